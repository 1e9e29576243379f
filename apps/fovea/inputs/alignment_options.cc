#include "inputs/alignment_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "output/output.h"

namespace fovea::command {
namespace {

constexpr std::size_t kNamedLines = 10;

// "0,2" → 0 and 2; "all" → none, which means all.
std::vector<Index> heads_of_list(const std::string& text) {
  std::vector<Index> heads;
  if (text == "all") return heads;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    Index head = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, head);
    if (error != std::errc{} || stop != text.data() + end || head < 0) {
      throw UsageError(
          fmt::format("--heads: got \"{}\", expected all, or numbers as in 0,2", one_line(text)));
    }
    heads.push_back(head);
    at = end + 1;
  }
  return heads;
}

}  // namespace

void AlignmentArguments::declare(OptionList& options) {
  options.integer("--layer", "L", layer_, 0, 1 << 10,
                  tr("layer of the decoder, from 0; default: the model's choice, or the last"));
  options.text("--heads", "LIST", heads_, tr("heads whose mean is taken, as in 0,2, or all"));
  options.choice("--reading", {"predicting", "reading"}, reading_,
                 tr("whose weights count: those of the step that predicts the word, or of the one that "
                    "reads it"));
  options.number("--threshold", "X", threshold_,
                 tr("the share of a word's weight that makes a link, 0 to 1"));
}

AlignmentOptions AlignmentArguments::options(const std::string& model_folder) const {
  AlignmentOptions result = load_alignment_options(model_folder);
  if (layer_) result.layer = *layer_;
  if (heads_) result.heads = heads_of_list(*heads_);
  if (!reading_.empty()) {
    result.reading = reading_ == "predicting" ? AlignmentReading::predicting : AlignmentReading::reading;
  }
  if (threshold_) result.threshold = *threshold_;
  if (!(result.threshold > 0 && result.threshold <= 1)) {
    throw UsageError(fmt::format("--threshold: got {}, expected 0 < X ≤ 1", result.threshold));
  }
  return result;
}

void write_alignment(JsonWriter& json, const WordAlignment& alignment) {
  json.key("source").strings(alignment.source);
  json.key("target").strings(alignment.target);
  json.key("weights").begin_array();
  for (Index t = 0; t < alignment.weights.shape()[0]; ++t) {
    json.begin_array();
    for (Index s = 0; s < alignment.weights.shape()[1]; ++s) {
      json.number(static_cast<double>(alignment.weights(t, s)));
    }
    json.end_array();
  }
  json.end_array();
  json.key("links").string(to_pharaoh(alignment.links));
}

std::string numbers_of_lines(const std::vector<Index>& lines) {
  std::string numbers;
  for (std::size_t i = 0; i < std::min(lines.size(), kNamedLines); ++i) {
    numbers += (i == 0 ? "" : ", ") + fmt::format("{}", lines[i]);
  }
  return lines.size() > kNamedLines ? numbers + ", .." : numbers;
}

}  // namespace fovea::command
