#include <fmt/format.h>

#include <algorithm>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/json_writer.h"
#include "fovea/measures.h"

namespace fovea {
namespace {

using Names = std::vector<std::string>;
using Column = TextTable::Column;

constexpr std::size_t kMaxSequences = 8, kMaxTokens = 64;  // more are in the JSON

Names names_for(const Names& given, std::size_t count, const char* what) {
  if (!given.empty() && given.size() != count)
    fail("[measures] {} {} for {} of them", given.size(), what, count);
  Names names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(given.empty() ? std::to_string(i) : printable(given[i]));
  return names;
}

std::string number(double value, const RenderOptions& options) {
  return fixed(value, std::clamp(options.digits, 0, 17));
}

std::string bold_line(const std::string& text, const RenderOptions& options) {
  return styled(text, Style::bold, options.color) + '\n';
}

std::string more_line(std::size_t left, const RenderOptions& options) {
  if (left == 0) return "";
  return options.language == Language::chinese ? fmt::format("… 另有 {} 项（见 JSON）\n", left)
                                               : fmt::format("… and {} more (the JSON has all)\n", left);
}

std::size_t largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::string head_table(const std::vector<HeadMeasures>& heads, const HeadMeasures& mean, const Names& keys,
                       bool named, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  TextTable table({{chinese ? "头" : "head", TextTable::Align::left},
                   {chinese ? "熵 (nats)" : "entropy (nats)"},
                   {chinese ? "归一化熵" : "normalised"},
                   {chinese ? "关注自己" : "on itself"},
                   {chinese ? "最受关注的键" : "most attended key"}});
  const auto most_attended = [&](const HeadMeasures& m) -> std::string {
    if (keys.empty()) return "–";
    const std::size_t key = largest(m.received);
    const char* name = named ? "{}" : chinese ? "第 {} 个键" : "key {}";
    return fmt::format(fmt::runtime(name), keys[key]) + "  " + number(m.received[key], options);
  };
  const auto add = [&](const std::string& name, const HeadMeasures& m) {
    table.add({name, number(m.mean_entropy, options), number(m.mean_normalised_entropy, options),
               number(m.mean_diagonal, options), most_attended(m)});
  };
  for (std::size_t h = 0; h < heads.size(); ++h) {
    add(fmt::format("{} {}", chinese ? "头" : "Head", h + 1), heads[h]);
  }
  if (heads.size() != 1) {
    table.rule();
    add(chinese ? "平均权重" : "averaged weights", mean);
  }
  return table.to_string(0, options.color);
}

// One line per query of the head mean; with the received attention if queries and keys are the same tokens.
std::string query_table(const HeadMeasures& mean, const Names& queries, bool same,
                        const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  std::vector<Column> columns = {
      {chinese ? (same ? "词" : "查询") : (same ? "token" : "query"), TextTable::Align::left},
      {chinese ? "熵 (nats)" : "entropy (nats)"},
      {chinese ? "归一化熵" : "normalised"},
      {chinese ? "发出" : "outgoing"},
      {chinese ? "关注自己" : "on itself"}};
  if (same) columns.push_back({chinese ? "收到" : "received"});
  TextTable table(columns);
  const std::size_t shown = std::min(queries.size(), kMaxTokens);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = {queries[i], number(mean.entropy[i], options),
                                      number(mean.normalised_entropy[i], options),
                                      number(mean.outgoing[i], options), number(mean.diagonal[i], options)};
    if (same) cells.push_back(number(mean.received[i], options));
    table.add(std::move(cells));
  }
  return table.to_string(0, options.color) + more_line(queries.size() - shown, options);
}

std::string key_table(const HeadMeasures& mean, const Names& keys, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  TextTable table({{chinese ? "键" : "key", TextTable::Align::left}, {chinese ? "收到" : "received"}});
  const std::size_t shown = std::min(keys.size(), kMaxTokens);
  for (std::size_t j = 0; j < shown; ++j) table.add({keys[j], number(mean.received[j], options)});
  return table.to_string(0, options.color) + more_line(keys.size() - shown, options);
}

// Empty if all rows sum to 1.
Text sums_note(const AttentionMeasures& measures) {
  const Index count = measures.rows_not_one;
  if (count == 0) return {};
  const std::string low = short_number(measures.lowest_sum), high = short_number(measures.highest_sum);
  return {
      fmt::format("{} (lowest {}, highest {}): entropy is −Σ w·ln w of the weights as they are.",
                  count == 1 ? "1 row does not sum to 1" : fmt::format("{} rows do not sum to 1", count),
                  low, high),
      fmt::format("有 {} 行的权重之和不为 1（最低 {}，最高 {}）：熵按权重原样计算 −Σ w·ln w。", count, low,
                  high)};
}

std::string legend(const AttentionMeasures& measures, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  std::string text = chinese ? "熵：−Σ w·ln w，对能看到键的各行取平均。"
                             : "Entropy: −Σ w·ln w, mean over the rows that see something. ";
  if (measures.masked) {
    text +=
        chinese
            ? "归一化：除以 ln(可见键数)，0 表示只看一个键，1 表示一视同仁，只计入可见键不少于两个的行。"
            : "Normalised: divided by ln(visible keys), 0 = one key only, 1 = all alike, over the rows "
              "that see two keys or more.";
  } else {
    text +=
        chinese
            ? "归一化：除以 ln(键数)，0 表示只看一个键，1 表示一视同仁。未给出掩码：所有键都视为可见。"
            : "Normalised: divided by ln(keys), 0 = one key only, 1 = all alike. No mask was given: all "
              "keys count as visible.";
  }
  if (!measures.heads.empty() && measures.heads[0].size() > 1) {
    text += chinese
                ? "平均权重：先对各头的权重取平均，再计算各项指标，不是上面各行的平均；其下的表也是如此。"
                : " Averaged weights: the measures of the weights averaged over the heads, not the mean "
                  "of the lines above; the tables below it are of these weights too.";
  }
  const int width = std::min(options.width, 84);
  const Text note = sums_note(measures);
  return wrap(text, width) + (note.en.empty() ? "" : '\n' + wrap(note.in(options.language), width));
}

void write_head(JsonWriter& json, const HeadMeasures& m) {
  json.begin_object();
  json.key("mean_entropy");
  json.number(m.mean_entropy);
  json.key("mean_normalised_entropy");
  json.number(m.mean_normalised_entropy);
  json.key("mean_diagonal");
  json.number(m.mean_diagonal);
  json.key("rows_seeing");
  json.integer(m.rows_seeing);
  json.key("entropy");
  json.numbers(m.entropy);
  json.key("normalised_entropy");
  json.numbers(m.normalised_entropy);
  json.key("received");
  json.numbers(m.received);
  json.key("outgoing");
  json.numbers(m.outgoing);
  json.key("diagonal");
  json.numbers(m.diagonal);
  json.end_object();
}

}  // namespace

std::string to_terminal(const AttentionMeasures& measures, const RenderOptions& options,
                        const Names& tokens, const Names& memory_tokens) {
  const bool chinese = options.language == Language::chinese;
  const auto n = static_cast<std::size_t>(measures.shape.back(1)),
             m = static_cast<std::size_t>(measures.shape.back());
  const bool same = n == m && (memory_tokens.empty() || memory_tokens == tokens);
  const Names queries = names_for(tokens, n, "tokens");
  const bool named = !(same ? tokens : memory_tokens).empty();
  const Names keys = names_for(same ? tokens : memory_tokens, m, "memory tokens");

  std::string text;
  const std::size_t batch = measures.heads.size(), shown = std::min(batch, kMaxSequences);
  for (std::size_t b = 0; b < shown; ++b) {
    if (batch > 1) {
      text += bold_line(chinese ? fmt::format("第 {} 个序列（共 {} 个）", b + 1, batch)
                                : fmt::format("Sequence {} of {}", b + 1, batch),
                        options) +
              '\n';
    }
    text += head_table(measures.heads[b], measures.head_mean[b], keys, named, options) + '\n';
    text += query_table(measures.head_mean[b], queries, same, options) + '\n';
    if (!same) text += key_table(measures.head_mean[b], keys, options) + '\n';
  }
  return text + more_line(batch - shown, options) + legend(measures, options);
}

std::string to_json(const AttentionMeasures& measures) {
  JsonWriter json;
  json.begin_object();
  json.key("shape");
  json.shape(measures.shape);
  json.key("masked");
  json.boolean(measures.masked);
  json.key("notes");
  json.begin_array();
  if (const Text note = sums_note(measures); !note.en.empty()) json.text(note);
  json.end_array();
  json.key("batch");
  json.begin_array();
  for (std::size_t b = 0; b < measures.heads.size(); ++b) {
    json.begin_object();
    json.key("heads");
    json.begin_array();
    for (const HeadMeasures& head : measures.heads[b]) write_head(json, head);
    json.end_array();
    json.key("head_mean");
    write_head(json, measures.head_mean[b]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace fovea
