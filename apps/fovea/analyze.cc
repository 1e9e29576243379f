// fovea analyze: measures of attention weights from a file.
#include <fmt/core.h>

#include <sstream>

#include "arrays.h"
#include "command.h"
#include "fovea/error.h"
#include "fovea/measures.h"
#include "mask_argument.h"

namespace fovea::command {
namespace {

std::vector<std::string> split_tokens(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> tokens;
  for (std::string token; stream >> token;) tokens.push_back(token);
  return tokens;
}

// The names given with an option, one per row (or column) of the weights; none if it was not given.
std::vector<std::string> names_of(const char* option, const std::optional<std::string>& text, Index count,
                                  const char* what) {
  if (!text) return {};
  std::vector<std::string> names = split_tokens(*text);
  if (static_cast<Index>(names.size()) == count) return names;
  throw Error(fmt::format("[analyze] {}: got {} name{}, expected {}, one per {}", option, names.size(),
                          names.size() == 1 ? "" : "s", count, what));
}

class AnalyzeCommand final : public Command {
 public:
  std::string name() const override { return "analyze"; }
  Text summary() const override {
    return {"measure attention weights: entropy, who receives, who looks at itself",
            "度量注意力权重：熵、谁被关注、谁关注自己"};
  }
  Text description() const override {
    return {
        "FILE holds weights [N, M], [H, N, M] or [B, H, N, M] (rows are queries). Per head, and for the "
        "mean "
        "of the heads: the entropy of each row (−Σ w ln w, nats; also divided by ln of the visible keys), "
        "the "
        "attention each key receives (column sums), the row sums, the diagonal.",
        "FILE 中是权重 [N, M]、[H, N, M] 或 [B, H, N, M]（行是查询）。对每个头以及各头的平均给出："
        "每行的熵（−Σ w ln w，单位 nat；另除以可见键数的 ln）、每个键收到的注意力（列和）、行和、对角线。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea analyze weights.npy --tokens \"I love AI\"",
             {"a table per head, with the words' names", "每个头一张表，带词语名称"}},
            {"fovea analyze out.npz --mask causal",
             {"hidden keys do not count as a choice in the normalised entropy", "归一化熵只计可见的键"}},
            {"fovea analyze model.safetensors --key layer.0.weights --json",
             {"one array of several, for a program", "取多个数组之一，供程序读取"}}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("FILE", 1, 1, file_,
                             {"a .npy, .npz or .safetensors file", ".npy、.npz 或 .safetensors 文件"});
    options.text("--key", "NAME", key_,
                 {"the array to take; default: weights, or the only one",
                  "要读取的数组；默认 weights，或唯一的那个"});
    options.text("--tokens", "TEXT", tokens_,
                 {"names of the queries, separated by spaces (of the keys too, if there are as many)",
                  "查询的名称，用空格分隔（键数相同时也用于键）"});
    options.text("--memory", "TEXT", memory_, {"names of the keys", "键的名称"});
    declare_mask(options, mask_);
    options.integer("--digits", "D", digits_, 0, 17, {"decimals; default: 4", "小数位数；默认 4"});
    options.flag("--json", json_, {"for programs", "供程序读取的 JSON"});
  }
  void run(const Context& context) override {
    const Mask mask = mask_of(mask_);
    const Tensor weights = pick_tensor(load_arrays(file_.front()), key_, {"weights"});
    const AttentionMeasures measures = measure_attention(weights, mask);
    const std::vector<std::string> tokens = names_of("--tokens", tokens_, weights.shape().back(1), "query");
    const std::vector<std::string> memory = names_of("--memory", memory_, weights.shape().back(0), "key");
    if (json_) {
      context.print(to_json(measures) + "\n");
      return;
    }
    context.print(
        to_terminal(measures, context.render(static_cast<int>(digits_.value_or(4))), tokens, memory));
  }

 private:
  std::vector<std::string> file_;
  std::optional<std::string> key_, tokens_, memory_, mask_;
  std::optional<Index> digits_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_analyze_command() { return std::make_unique<AnalyzeCommand>(); }

}  // namespace fovea::command
