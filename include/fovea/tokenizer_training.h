// Tokenizers made from texts: words, characters, or byte pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

enum class TokenizerKind {
  words,       // letters and digits, or marks, between white space; what is rare is <unk>
  characters,  // one token per code point, white space included
  byte_pairs,  // GPT-2's way: bytes, and the pairs that are frequent; nothing is unknown
};

FOVEA_API std::string to_string(TokenizerKind kind);            // "words", "characters", "bpe"
FOVEA_API TokenizerKind tokenizer_kind(std::string_view name);  // throws Error that lists them

struct FOVEA_API TokenizerTraining {
  TokenizerKind kind = TokenizerKind::byte_pairs;
  Index vocabulary = 0;  // tokens at most, all included; 0: every word or character, 1,000 byte pairs
  Index min_count = 1;   // words, characters, pairs that are rarer are left out
  // Tokens of their own that no text is split at, <mask> for instance: they get the first ids.
  std::vector<std::string> special = {};
  std::string end = {};     // one of them that comes behind every text; "": none
  bool lower_case = false;  // A is read as a
  // byte_pairs: a text begins with a space, so that its first word is spelled as it is elsewhere.
  bool prefix_space = false;
  // byte_pairs: no token holds more than one ideograph (我), nor one together with something else.
  bool single_ideographs = false;
};

// The text of a tokenizer.json, which Tokenizer::from_json and the library `tokenizers` read. <unk> comes
// behind the special tokens; then words by falling frequency, equal ones in the order of their bytes;
// characters by code point; or the 256 bytes and the merged pairs, the most frequent first. Throws Error
// for texts that are not UTF-8, hold no token, or for a vocabulary too small for what it must hold.
FOVEA_API std::string train_tokenizer(const std::vector<std::string>& texts,
                                      const TokenizerTraining& options = {});

// The tokenizer.json of exactly these words, which have the ids 0, 1, ..; <unk> comes last. White space
// separates them; with `single_digits` each digit is a word of its own, "31 4" is 3, 1, 4. Throws Error
// for a word that could not be read back.
FOVEA_API std::string word_tokenizer(const std::vector<std::string>& words, bool single_digits = false);

// The same for texts without spaces: a text is cut into as few words as possible (SentencePiece's unigram
// model, all words alike). <unk> and <pad> come behind the words; white space is skipped. Throws Error for
// a word that could not be read back.
FOVEA_API std::string segmenting_tokenizer(const std::vector<std::string>& words);

}  // namespace fovea
