// Tokenizers of published models: from text to token ids and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"
#include "fovea/text_reading.h"

namespace fovea {

inline namespace internal {
struct FOVEA_PRIVATE_API TokenizerParts;
}

// A place in a text: [begin, end).
struct FOVEA_API TextSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

// One text, or a pair of texts. All lists but the last two have one entry per token.
struct FOVEA_API Encoding {
  std::vector<Index> ids;
  std::vector<std::string> tokens;   // what the vocabulary calls them: ##ing, Ġthe, ▁und
  std::vector<TextSpan> bytes;       // where in the original text; special tokens and pads: 0, 0
  std::vector<TextSpan> characters;  // the same in code points; what is not UTF-8 counts as one U+FFFD each
  std::vector<Index> type_ids;       // the segment, as the model numbers them: RoBERTa has only one
  std::vector<Index> text_ids;       // 0: the first text, 1: the second; -1 for special tokens and pads
  std::vector<Index> word_ids;       // which word of its text; -1 for special tokens and pads
  std::vector<std::uint8_t> special_mask;    // 1: added around the texts, or a pad
  std::vector<std::uint8_t> attention_mask;  // 0: a pad
  Index cut = 0;                             // tokens that did not fit into max_length
  std::vector<UnknownToken> unknown;         // in the order of the tokens; none with byte-level tokens
  std::vector<TextReading> texts;            // one per text

  Index size() const { return static_cast<Index>(ids.size()); }
};

// Which text of a pair is cut when both are too long for max_length.
enum class Truncation { longest_first, only_first, only_second };
enum class Side { left, right };

struct FOVEA_API EncodeOptions {
  bool add_special_tokens = true;
  Index max_length = 0;  // tokens, the special ones included; 0: any number
  Truncation truncation = Truncation::longest_first;
  Side cut_side = Side::right;
  Index pad_to = 0;  // shorter encodings are filled up to this length with pads
  Side pad_side = Side::right;
  std::optional<Index> pad_id = {};  // default: the tokenizer's own pad token, else 0
};

// Cheap to copy; all functions may be called from several threads at once. Any bytes can be encoded: what
// is not UTF-8 is read as U+FFFD. Padding and truncation settings in files are ignored: they are choices of
// a call, not of a vocabulary.
class FOVEA_API Tokenizer {
 public:
  // A folder as downloaded (tokenizer.json, else spiece.model or tokenizer.model, else Marian's source.spm,
  // target.spm and vocab.json, else vocab.json with merges.txt, else vocab.txt, else tokenizer.bin), or one
  // of these files. Throws Error that names the file and what in it is not understood.
  static Tokenizer load(const std::string& path);

  static Tokenizer from_json(std::string_view json, const std::string& name = "tokenizer.json");
  static Tokenizer from_sentence_piece(std::string_view model, const std::string& name = "spiece.model");
  static Tokenizer from_llama2c(std::string_view bytes, const std::string& name = "tokenizer.bin");

  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;

  // All of the same length: that of the longest, or options.pad_to if that is more. `seconds` is empty, or
  // has one text for each of `firsts`.
  std::vector<Encoding> encode_batch(const std::vector<std::string>& firsts,
                                     const std::vector<std::string>& seconds = {},
                                     const EncodeOptions& options = {}) const;

  // Ids without a token are left out.
  std::string decode(const std::vector<Index>& ids, bool skip_special_tokens = true) const;

  // Of what the decoder of an encoder-decoder model reads and writes: Marian cuts its targets in another
  // way than its sources. Of all others the tokenizer itself.
  Tokenizer target() const;

  std::optional<Index> token_to_id(std::string_view token) const;
  std::optional<std::string> id_to_token(Index id) const;
  bool is_special(Index id) const;
  std::optional<Index> pad_id() const;
  Index size() const;  // tokens, added ones included

 private:
  explicit Tokenizer(std::shared_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const TokenizerParts> parts_;
};

// A token of a byte-level vocabulary in letters: 你 for ä½ł, Ġ你 for Ġä½ł. Its marks of spaces and line
// ends stay, and so do tokens that end within a letter, and those of other vocabularies.
FOVEA_API std::string token_in_letters(std::string_view token);

}  // namespace fovea
