#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/head_roles.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures_report.h"

namespace fovea {
namespace {

using Names = std::vector<std::string>;
using Column = TextTable::Column;

constexpr std::size_t kMaxTokens = 64;  // more are in the JSON
constexpr int kMaxTokenWidth = 24;

Names names_for(const Names& given, Index count, const char* what) {
  if (!given.empty() && static_cast<Index>(given.size()) != count)
    fail("[measures] got {} {}, expected {}", given.size(), what, count);
  Names names;
  for (const std::string& name : given) names.push_back(shorten(printable(name), kMaxTokenWidth));
  for (Index i = 0; given.empty() && i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

class Writer {
 public:
  Writer(const MeasuresReport& report, const RenderOptions& options)
      : report_(report), options_(options), chinese_(options.language == Language::chinese) {
    same_ =
        report.queries == report.keys && (report.key_tokens.empty() || report.key_tokens == report.tokens);
    named_ = !(same_ ? report.tokens : report.key_tokens).empty();
    const Names queries = token_labels(report.tokens, report.unknown);
    queries_ = names_for(queries, report.queries, "tokens");
    keys_ = names_for(same_ ? queries : token_labels(report.key_tokens, report.unknown_keys), report.keys,
                      "memory tokens");
    columns_ = report.columns;
    if (columns_.empty()) columns_ = {Measure::entropy, Measure::normalised_entropy, Measure::diagonal};
    if (report.sorted_by && !shows(*report.sorted_by)) columns_.push_back(*report.sorted_by);
  }

  std::string write() const {
    std::string text = head_tables() + token_tables();
    return text + legend();
  }

 private:
  std::string say(const Text& text) const { return text.in(options_.language); }
  std::string number(double value) const {
    return std::isnan(value) ? "–" : fixed(value, std::clamp(options_.digits, 0, 17));
  }
  std::string more_line(std::size_t left) const {
    if (left == 0) return "";
    return chinese_ ? fmt::format("… 另有 {} 项（见 JSON）\n", left)
                    : fmt::format("… and {} more (the JSON has all)\n", left);
  }

  std::string most_attended(const HeadMeasures& head) const {
    const Index key = head.most_attended();
    if (key < 0) return "–";
    const auto at = static_cast<std::size_t>(key);
    const std::string name =
        named_ ? keys_[at] : fmt::format(fmt::runtime(chinese_ ? "第 {} 个键" : "key {}"), key);
    return name + "  " + number(head.received[at]);
  }

  // Measures in groups that fit the width, each a table of its own.
  std::vector<std::vector<Measure>> groups() const {
    constexpr int kName = 18;  // of the first column
    std::vector<std::vector<Measure>> all(1);
    int used = kName;
    for (const Measure measure : columns_) {
      const int width =
          2 + std::max(display_width(say(measure_definition(measure).title)), options_.digits + 4);
      if (used + width > options_.width && !all.back().empty()) {
        all.emplace_back();
        used = kName;
      }
      used += width;
      all.back().push_back(measure);
    }
    return all;
  }

  std::string head_tables() const {
    std::string text;
    const auto all = groups();
    for (std::size_t g = 0; g < all.size(); ++g) text += head_table(all[g], g + 1 == all.size()) + '\n';
    return text;
  }

  std::string head_table(const std::vector<Measure>& measures, bool last) const {
    const bool most = last && report_.columns.empty(), role = last && report_.role;
    std::vector<Column> columns = {{chinese_ ? "头" : "head", TextTable::Align::left}};
    for (const Measure measure : measures) columns.push_back({say(measure_definition(measure).title)});
    if (most) columns.push_back({chinese_ ? "最受关注的键" : "most attended key"});
    if (role) columns.push_back({chinese_ ? "角色" : "role", TextTable::Align::left});
    TextTable table(columns);
    const auto add = [&](const std::string& name, const HeadMeasures& head) {
      Names cells = {name};
      for (const Measure measure : measures) cells.push_back(number(head[measure]));
      if (most) cells.push_back(most_attended(head));
      if (role) cells.push_back(say(role_of(head, named_ ? keys_ : Names{}).name));
      table.add(std::move(cells));
    };
    for (const ReportedHead& head : report_.heads) add(head.name, head.measures);
    if (shows_means()) {
      table.rule();
      for (const ReportedHead& mean : report_.means) {
        add(report_.means.size() > 1 ? mean.name
            : chinese_               ? "平均权重"
                                     : "averaged weights",
            mean.measures);
      }
    }
    return table.to_string(0, options_.color);
  }

  bool shows_means() const { return !report_.means.empty() && report_.heads.size() != 1; }

  // What the table of tokens is about: the only head, or the only layer's averaged weights.
  const HeadMeasures* detailed() const {
    const HeadMeasures* one = nullptr;
    if (report_.heads.size() == 1) one = &report_.heads.front().measures;
    if (one == nullptr && report_.means.size() == 1) one = &report_.means.front().measures;
    return one == nullptr || one->rows(Measure::outgoing).empty() ? nullptr : one;
  }

  std::string token_tables() const {
    const HeadMeasures* head = detailed();
    if (head == nullptr || !report_.columns.empty()) return "";
    return query_table(*head) + '\n' + (same_ ? "" : key_table(*head) + '\n');
  }

  // One line per query; with the received attention if queries and keys are the same tokens.
  std::string query_table(const HeadMeasures& head) const {
    std::vector<Measure> measures;
    for (const Measure measure :
         {Measure::entropy, Measure::normalised_entropy, Measure::outgoing, Measure::diagonal}) {
      if (!head.rows(measure).empty()) measures.push_back(measure);
    }
    std::vector<Column> columns = {
        {chinese_ ? (same_ ? "词" : "查询") : (same_ ? "token" : "query"), TextTable::Align::left}};
    for (const Measure measure : measures) columns.push_back({say(measure_definition(measure).title)});
    if (same_) columns.push_back({say(measure_definition(Measure::received).title)});
    TextTable table(columns);
    const std::size_t shown = std::min(queries_.size(), kMaxTokens);
    for (std::size_t i = 0; i < shown; ++i) {
      Names cells = {queries_[i]};
      for (const Measure measure : measures) cells.push_back(number(head.rows(measure)[i]));
      if (same_) cells.push_back(number(head.received[i]));
      table.add(std::move(cells));
    }
    return table.to_string(0, options_.color) + more_line(queries_.size() - shown);
  }

  std::string key_table(const HeadMeasures& head) const {
    TextTable table({{chinese_ ? "键" : "key", TextTable::Align::left},
                     {say(measure_definition(Measure::received).title)}});
    const std::size_t shown = std::min(keys_.size(), kMaxTokens);
    for (std::size_t j = 0; j < shown; ++j) table.add({keys_[j], number(head.received[j])});
    return table.to_string(0, options_.color) + more_line(keys_.size() - shown);
  }

  bool shows(Measure measure) const {
    return std::find(columns_.begin(), columns_.end(), measure) != columns_.end();
  }

  std::string legend() const {
    std::string text;
    if (shows(Measure::entropy)) {
      text += chinese_ ? "熵：−Σ w·ln w，对能看到键的各行取平均。"
                       : "Entropy: −Σ w·ln w, mean over the rows that see something. ";
    }
    if (shows(Measure::normalised_entropy)) text += normalised_legend();
    if (shows_means()) text += means_legend();
    const int width = std::min(options_.width, 84);
    text = wrap(text, width);
    if (report_.role) text += wrap(role_legend(), width);
    for (const Text& note : report_.notes) text += '\n' + wrap(say(note), width);
    return text;
  }

  std::string means_legend() const {
    const bool tables = detailed() != nullptr && report_.columns.empty();
    if (chinese_) {
      return std::string("平均权重：先对各头的权重取平均，再计算各项指标，不是上面各行的平均") +
             (tables ? "；其下的表也是如此。" : "。");
    }
    return std::string(
               "Averaged weights: the measures of the weights averaged over the heads, not the mean of "
               "the lines above") +
           (tables ? "; the tables below also use these weights." : ".");
  }

  std::string normalised_legend() const {
    if (report_.masked) {
      return chinese_ ? "归一化：除以 ln(可见键数)，0 表示只看一个键，1 "
                        "表示一视同仁，只计入可见键不少于两个的行。"
                      : "Normalised: divided by ln(visible keys), 0 = one key only, 1 = all equal, over "
                        "the rows that see two keys or more. ";
    }
    return chinese_
               ? "归一化：除以 ln(键数)，0 表示只看一个键，1 表示一视同仁。未给出掩码：所有键都视为可见。"
               : "Normalised: divided by ln(keys), 0 = one key only, 1 = all equal. No mask was given: "
                 "all keys count as visible. ";
  }

  // The rules of the roles that occur.
  std::string role_legend() const {
    std::vector<std::string> ids;
    for (const ReportedHead& head : report_.heads) ids.push_back(role_of(head.measures).id);
    if (shows_means()) {
      for (const ReportedHead& mean : report_.means) ids.push_back(role_of(mean.measures).id);
    }
    std::string text;
    for (const RoleRule& rule : role_rules()) {
      const bool occurs = std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
        return std::find(rule.ids.begin(), rule.ids.end(), id) != rule.ids.end();
      });
      if (occurs) text += (text.empty() ? "" : chinese_ ? "；" : "; ") + say(rule.text);
    }
    return text.empty() ? "" : (chinese_ ? "角色：" : "Roles: ") + text + (chinese_ ? "。" : ".");
  }

  const MeasuresReport& report_;
  const RenderOptions& options_;
  bool chinese_;
  bool same_ = false;   // queries and keys are the same tokens
  bool named_ = false;  // keys have names
  Names queries_, keys_;
  std::vector<Measure> columns_;
};

}  // namespace

std::string to_terminal(const MeasuresReport& report, const RenderOptions& options) {
  return Writer(report, options).write();
}

}  // namespace fovea
