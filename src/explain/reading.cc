#include "fovea/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "core/utf8.h"

namespace fovea {
namespace {

constexpr double kSumTolerance = 1e-6;
constexpr int kBarLength = 40;

// Checked, with the names ready to print.
struct Rows {
  explicit Rows(const Reading& reading) : weights(reading.weights) {
    const auto& keys_given = reading.memory_tokens.empty() ? reading.tokens : reading.memory_tokens;
    if (static_cast<Index>(reading.tokens.size()) != weights.rows() ||
        static_cast<Index>(keys_given.size()) != weights.columns()) {
      fail("[reading] {} tokens and {} keys for weights {}", reading.tokens.size(), keys_given.size(),
           weights.shape_text());
    }
    for (Index i = 0; i < weights.rows(); ++i) {
      for (Index j = 0; j < weights.columns(); ++j) {
        if (!(weights(i, j) >= 0) || std::isinf(weights(i, j))) {
          fail("[reading] the weight of row {}, column {} is {}, expected 0 or more", i, j, weights(i, j));
        }
      }
    }
    for (const std::string& token : reading.tokens) tokens.push_back(printable(token));
    for (const std::string& key : keys_given) {
      keys.push_back(printable(key));
      key_width = std::max(key_width, display_width(keys.back()));
    }
  }

  double sum(Index row) const {
    double total = 0;
    for (Index j = 0; j < weights.columns(); ++j) total += weights(row, j);
    return total;
  }

  // Column indices by falling weight; equal ones stay in token order.
  std::vector<Index> falling(Index row) const {
    std::vector<Index> order(static_cast<std::size_t>(weights.columns()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return weights(row, a) > weights(row, b); });
    return order;
  }

  std::string key(Index j) const { return pad_right(keys[static_cast<std::size_t>(j)], key_width); }

  const Matrix& weights;
  std::vector<std::string> tokens, keys;
  int key_width = 0;
};

std::string with_percent(double weight) { return fmt::format("{:.4f} ({:.1f}%)", weight, 100 * weight); }

bool is_chinese(const RenderOptions& options) { return options.language == Language::chinese; }

std::string row_heading(const std::string& token, const RenderOptions& options) {
  return styled(token, Style::bold, options.color) + (is_chinese(options) ? " 关注：" : " looks at") + '\n';
}

std::string sees_nothing(const RenderOptions& options) {
  return is_chinese(options) ? "  （什么也看不到）\n" : "  (sees nothing)\n";
}

std::string sum_line(double sum, int key_width, const RenderOptions& options) {
  const std::string label = pad_right(is_chinese(options) ? "合计" : "sum", key_width);
  const bool is_one = std::abs(sum - 1) <= kSumTolerance;
  const char* verdict = is_one ? "✓" : is_chinese(options) ? "✗ 不是 1" : "✗ not 1";
  return fmt::format("  {}  {:.4f} {}\n", label, sum, verdict);
}

}  // namespace

Reading reading_of(const Account& account, int head) {
  return {account.weights(head), account.tokens, account.memory_tokens};
}

std::string read_in_order(const Reading& reading, const RenderOptions& options) {
  Rows rows(reading);
  rows.key_width = std::max(rows.key_width, is_chinese(options) ? 4 : 3);  // room for the label of the sum
  std::string text;
  Index good = 0, blind = 0;
  for (Index i = 0; i < rows.weights.rows(); ++i) {
    text += row_heading(rows.tokens[static_cast<std::size_t>(i)], options);
    const double sum = rows.sum(i);
    if (sum == 0) {
      ++blind;
      text += sees_nothing(options) + '\n';
      continue;
    }
    for (Index j = 0; j < rows.weights.columns(); ++j) {
      const double weight = rows.weights(i, j);
      text += fmt::format("  {}  {}\n", rows.key(j), shaded(with_percent(weight), weight, options.color));
    }
    good += std::abs(sum - 1) <= kSumTolerance ? 1 : 0;
    text += sum_line(sum, rows.key_width, options) + '\n';
  }
  if (is_chinese(options)) {
    return text + fmt::format("{} 行中有 {} 行总和为 1{}。\n", rows.weights.rows(), good,
                              blind == 0 ? "" : fmt::format("，{} 行什么也看不到", blind));
  }
  const std::string rest =
      blind == 0 ? "" : fmt::format(", {} see{} nothing", blind, blind == 1 ? "s" : "");
  return text + fmt::format("{} of {} rows sum to 1{}.\n", good, rows.weights.rows(), rest);
}

std::string read_sorted(const Reading& reading, const RenderOptions& options) {
  const Rows rows(reading);
  std::string text;
  for (Index i = 0; i < rows.weights.rows(); ++i) {
    if (i > 0) text += '\n';
    text += row_heading(rows.tokens[static_cast<std::size_t>(i)], options);
    if (rows.sum(i) == 0) text += sees_nothing(options);
    for (const Index j : rows.falling(i)) {
      const double weight = rows.weights(i, j);
      if (rows.sum(i) == 0) break;
      const std::string bar = repeat("█", static_cast<int>(kBarLength * weight));
      text += fmt::format("  {}  {:.3f}{}{}\n", rows.key(j), weight, bar.empty() ? "" : "  ",
                          styled(bar, Style::accent, options.color && !bar.empty()));
    }
  }
  return text;
}

std::string read_top(const Reading& reading, const RenderOptions& options) {
  static constexpr const char* kMarks[] = {"🎯", "👀", "📌"};
  const Rows rows(reading);
  std::string text;
  for (Index i = 0; i < rows.weights.rows(); ++i) {
    text += row_heading(rows.tokens[static_cast<std::size_t>(i)], options);
    std::size_t rank = 0;
    for (const Index j : rows.falling(i)) {
      if (rank == 3 || rows.weights(i, j) == 0) break;
      text += fmt::format("  {} {}  {}\n", kMarks[rank], rows.key(j), with_percent(rows.weights(i, j)));
      ++rank;
    }
    text += (rank == 0 ? sees_nothing(options) : "") + "\n";
  }
  return text +
         (is_chinese(options)
              ? fmt::format("{} 最受关注   {} 第二   {} 第三\n", kMarks[0], kMarks[1], kMarks[2])
              : fmt::format("{} most attention   {} second   {} third\n", kMarks[0], kMarks[1], kMarks[2]));
}

}  // namespace fovea
