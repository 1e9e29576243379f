// Which word of a translation belongs to which word of its source: read off cross-attention.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/tensor.h"
#include "fovea/text_model.h"

namespace fovea {

// Which row of cross-attention speaks for a token of the translation: that of the step which is about to
// write it, or that of the next step, which reads it.
enum class AlignmentReading { predicting, reading };

struct FOVEA_API AlignmentOptions {
  Index layer = -1;               // of the decoder, from 0; −1: the last
  std::vector<Index> heads = {};  // whose mean is taken; none: all of the layer
  AlignmentReading reading = AlignmentReading::predicting;
  double threshold = 0.25;  // a source word with this share of a target word's weight is linked with it
};

// What was found best for a model, where its config.json says so: "alignment_layer", "alignment_heads",
// "alignment_reading" and "alignment_threshold". Throws Error for values that do not fit.
FOVEA_API AlignmentOptions load_alignment_options(const std::string& folder);

struct FOVEA_API AlignmentLink {
  Index source = 0, target = 0;  // words, from 0
  bool operator==(const AlignmentLink&) const = default;
};

struct FOVEA_API WordAlignment {
  std::vector<std::string> source, target;  // S and T words
  Tensor weights;                           // [T, S]: how a target word's weight is shared; rows sum to 1
  std::vector<AlignmentLink> links;         // by source word, then by target word
};

// An encoder-decoder model is made to write the target; weights of tokens are summed into source words, and
// their mean over the tokens of a target word is taken. What falls on no word, the end of the text for
// instance, does not count. Throws Error for models without cross-attention, no words, words that are too
// many for the model, and options that do not fit.
FOVEA_API WordAlignment align_words(const TextModel& model, const std::vector<std::string>& source,
                                    const std::vector<std::string>& target,
                                    const AlignmentOptions& options = {});

// "0-0 1-2": Pharaoh's format, source word and target word.
FOVEA_API std::string to_pharaoh(const std::vector<AlignmentLink>& links);

// What stands between white space.
FOVEA_API std::vector<std::string> words_between_spaces(std::string_view text);
// The same, with every mark and every ideograph as a word of its own: "I love you.", "我爱你。" have four.
FOVEA_API std::vector<std::string> words_and_marks(std::string_view text);

// Words as they are written: no space before a mark, nor beside an ideograph.
struct FOVEA_API JoinedWords {
  std::string text;
  std::vector<TextSpan> words;  // bytes of each
};
FOVEA_API JoinedWords join_words(const std::vector<std::string>& words);

}  // namespace fovea
