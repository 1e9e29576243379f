#include "inputs/weights_input.h"

#include <fmt/core.h>

#include "output/output.h"

namespace fovea::command {
namespace {

std::vector<std::string> tokens_from(const char* option, const std::optional<std::string>& text,
                                     const std::optional<std::string>& file) {
  if (text && file)
    throw UsageError(fmt::format("{}: give {} or {}-file, not both", option, option, option));
  if (file) return load_tokens(*file);
  return text ? split_tokens(*text) : std::vector<std::string>{};
}

// "[L, H, N, M]" for "LHNM".
std::string axes_text(const std::string& axes) {
  std::string text;
  for (const char axis : axes) text += fmt::format("{}{}", text.empty() ? "[" : ", ", axis);
  return text + "]";
}

}  // namespace

void TokenInput::declare(OptionList& options) {
  options.text("--tokens", "TEXT", tokens_,
               tr("labels of the queries, separated by spaces (also of the keys, if there are as many)"));
  options.path("--tokens-file", "FILE", tokens_file_,
               tr("the same from a file: one per line, or a JSON list"));
  options.text("--memory", "TEXT", memory_, tr("labels of the keys"));
  options.path("--memory-file", "FILE", memory_file_, tr("the same from a file"));
}

std::vector<std::string> TokenInput::queries() const {
  return tokens_from("--tokens", tokens_, tokens_file_);
}

std::vector<std::string> TokenInput::keys() const { return tokens_from("--memory", memory_, memory_file_); }

void WeightsInput::declare(OptionList& options) {
  options.text(
      "--key", "NAME", key_,
      tr("the array to use, or the common prefix of one array per layer; default: weights, attentions, "
         "the only one, or the only series (attention_0, attention_1, ..)"));
  options.text("--axes", "LETTERS", axes_,
               tr("order of the axes in the file: NM, HNM, LHNM, BHNM, LBHNM, BLHNM (L layers, B batch, H "
                  "heads); default for rank 4: LHNM, or BHNM where each layer is an array"));
  tokens_.declare(options);
}

AttentionWeights WeightsInput::load(const std::string& path) const {
  AttentionWeights weights =
      load_attention_weights(path, {.key = key_.value_or(""), .axes = axes_.value_or("")});
  const WeightsCheck check = check_weights(weights);
  if (weights.axes_assumed && weights.layers() > 1) {
    print_message(fmt::format("fovea: {}: reading rank 4 as {}; use --axes BHNM to read it as {}",
                              weights.source, axes_text(weights.axes), axes_text("BHNM")));
  }
  if (check.rows_not_one > 0) {
    print_message(fmt::format(
        "fovea: warning: {}: {} row{} not sum to 1; the worst is query {} of layer {}, head {}{}: {:.6g}",
        weights.source, check.rows_not_one, check.rows_not_one == 1 ? " does" : "s do", check.row,
        check.layer, check.head, weights.batch() > 1 ? fmt::format(", batch entry {}", check.entry) : "",
        check.sum));
  }
  return weights;
}

}  // namespace fovea::command
