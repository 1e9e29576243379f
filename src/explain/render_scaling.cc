#include <fmt/format.h>

#include <cmath>

#include "core/number_text.h"
#include "core/text_layout.h"
#include "fovea/json_writer.h"
#include "fovea/scaling.h"

namespace fovea {
namespace {

constexpr int kIndent = 3;

std::string heading(const std::string& text, const RenderOptions& options) {
  return styled(text, Style::bold, options.color) + '\n' +
         styled(repeat("═", display_width(text)), Style::dim, options.color) + "\n\n";
}

std::string numbers(const std::vector<double>& values, int decimals) {
  const NumberFormat format = choose_format(values, decimals);
  std::string text = "[";
  for (const double value : values) {
    const bool tiny = value != 0 && std::abs(value) < 1e-8;
    text += (text.size() == 1 ? "" : ", ") +
            (tiny ? fmt::format("{:.2e}", value) : format_number(value, format));
  }
  return text + "]";
}

std::string norm(double value) { return value < 1e-4 ? fmt::format("{:.2e}", value) : fixed(value, 6); }

std::string variance_table(const ScalingExperiment& experiment, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  TextTable table({{"d_k"},
                   {chinese ? "q·k 的方差" : "variance of q·k"},
                   {chinese ? "q·k/√d_k 的方差" : "variance of q·k/√d_k"}});
  for (const ScalingVariance& row : experiment.variances) {
    table.add({std::to_string(row.d_k), fixed(row.raw, 3), fixed(row.scaled, 3)});
  }
  return table.to_string(kIndent, options.color);
}

std::string saturation_table(const ScalingExperiment& experiment, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  const std::string root = fmt::format("√{}", experiment.options.saturation_width);
  TextTable table({{"", TextTable::Align::left},
                   {chinese ? "分数" : "scores", TextTable::Align::left},
                   {"softmax", TextTable::Align::left},
                   {"‖J‖"}});
  const auto add = [&](const std::string& name, const Saturation& s) {
    table.add({name, numbers(s.scores, 4), numbers(s.weights, 8), norm(s.jacobian_norm)});
  };
  add(chinese ? "缩放前" : "before", experiment.raw);
  add((chinese ? "除以 " : "divided by ") + root, experiment.scaled);
  return table.to_string(kIndent, options.color);
}

// Where subtraction loses 1 − p, the two norms differ: say so.
std::string rounding_note(const Saturation& s, bool chinese) {
  if (std::abs(s.jacobian_norm - s.jacobian_norm_naive) <= 1e-6 * s.jacobian_norm) return "";
  const std::string exact = norm(s.jacobian_norm), naive = norm(s.jacobian_norm_naive);
  return chinese ? fmt::format(
                       "若在双精度下直接计算 1 − p，最大权重处的 1 − p 会舍入为 0，得到 {}；把 1 − p "
                       "算作其余权重之和，才得到准确的 {}。",
                       naive, exact)
                 : fmt::format(
                       "Computing 1 − p by subtraction in double rounds it to 0 at the largest weight and "
                       "gives "
                       "{}; taking 1 − p as the sum of the other weights gives the exact {}.",
                       naive, exact);
}

}  // namespace

std::string to_terminal(const ScalingExperiment& e, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  const int width = std::min(options.width, 84);
  const ScalingVariance& last = e.variances.back();
  std::string text = heading(chinese ? "为什么要除以 √d_k" : "Why divide by √d_k", options);
  text += wrap(
      chinese ? fmt::format("q 和 k 的每个数都取自 N(0, 1)，共抽取 {} 次（种子 {}）。点积的方差随 d_k "
                            "增长：d_k = {} 时约为 {}；除以 √d_k 后保持在 1 附近（{}）。",
                            e.options.draws, e.options.seed, last.d_k, fixed(last.raw, 1),
                            fixed(last.scaled, 3))
              : fmt::format(
                    "Every number of q and k is drawn from N(0, 1), {} times (seed {}). The variance of "
                    "the dot product grows with d_k: {} at d_k = {}. Divided by √d_k it stays near 1 "
                    "({}).",
                    e.options.draws, e.options.seed, fixed(last.raw, 1), last.d_k, fixed(last.scaled, 3)),
      width);
  text += '\n' + variance_table(e, options) + '\n';
  text += heading(chinese ? "大的分数让 softmax 饱和" : "Large scores saturate softmax", options);
  text += saturation_table(e, options) + '\n';
  const double ratio = e.scaled.jacobian_norm / e.raw.jacobian_norm;
  text += wrap(
      chinese
          ? fmt::format("‖J‖ 是 softmax 的雅可比矩阵 diag(p) − p·pᵀ 的 Frobenius 范数：梯度经过 softmax "
                        "后还剩多少。缩放前为 {}，几乎学不到东西；缩放后为 {}，大了 {} 倍。",
                        norm(e.raw.jacobian_norm), norm(e.scaled.jacobian_norm), short_number(ratio))
          : fmt::format("‖J‖ is the Frobenius norm of softmax's Jacobian diag(p) − p·pᵀ: how much of a "
                        "gradient gets through. Before scaling it is {}, so almost nothing is learned; "
                        "after scaling it is {}, larger by a factor of {}.",
                        norm(e.raw.jacobian_norm), norm(e.scaled.jacobian_norm), short_number(ratio)),
      width);
  const std::string note = rounding_note(e.raw, chinese);
  return note.empty() ? text : text + '\n' + wrap(note, width);
}

std::string to_json(const ScalingExperiment& experiment) {
  JsonWriter json;
  const auto saturation_object = [&](const Saturation& s) {
    json.begin_object();
    json.key("scores").numbers(s.scores);
    json.key("weights").numbers(s.weights);
    json.key("jacobian_norm").number(s.jacobian_norm);
    json.key("jacobian_norm_naive").number(s.jacobian_norm_naive);
    json.end_object();
  };
  json.begin_object();
  json.key("draws").integer(experiment.options.draws);
  json.key("seed").string(std::to_string(experiment.options.seed));  // 64 bits do not fit a JSON number
  json.key("variances").begin_array();
  for (const ScalingVariance& row : experiment.variances) {
    json.begin_object();
    json.key("d_k").integer(row.d_k);
    json.key("raw").number(row.raw);
    json.key("scaled").number(row.scaled);
    json.end_object();
  }
  json.end_array();
  json.key("saturation_width").integer(experiment.options.saturation_width);
  json.key("saturation_raw");
  saturation_object(experiment.raw);
  json.key("saturation_scaled");
  saturation_object(experiment.scaled);
  json.end_object();
  return json.take();
}

}  // namespace fovea
