// Decoders of tokenizer.json: from tokens back to text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/files/json_field.h"

namespace fovea {

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void apply(std::vector<std::string>& tokens) const = 0;
};

// What tokens may become: replacements come from files, and each of thirty may double the text. Throws
// Error if `bytes` are far more than the tokens had.
class DecodingLimit {
 public:
  explicit DecodingLimit(const std::vector<std::string>& tokens);
  void check(std::size_t bytes) const;
  void check(const std::vector<std::string>& tokens) const;

 private:
  std::size_t most_;
};

using Decoders = std::vector<std::unique_ptr<Decoder>>;  // one after the other; their tokens are joined

std::unique_ptr<Decoder> make_word_piece_decoder(std::string continuation, bool clean_up);
std::unique_ptr<Decoder> make_byte_level_decoder();
std::unique_ptr<Decoder> make_metaspace_decoder(char32_t replacement, bool drop_first);
void add_sentence_piece_decoders(
    Decoders& decoders);  // ▁ to a space, <0x..> to bytes, no space at the start

// The same, without spaces at both ends.
void add_marian_decoders(Decoders& decoders);

void read_decoders(const JsonField& json, Decoders& decoders);

}  // namespace fovea
