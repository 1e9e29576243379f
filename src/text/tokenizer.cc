#include "fovea/tokenizer.h"

#include <algorithm>

#include "core/fail.h"
#include "text/steps/assemble_encoding.h"
#include "text/steps/encode_sequence.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {
namespace {

void check(const EncodeOptions& options) {
  if (options.max_length < 0 || options.pad_to < 0) {
    fail("[tokenizer] max_length {} and pad_to {} must not be negative", options.max_length,
         options.pad_to);
  }
}

bool is_id(const TokenTable& tokens, Index id) {
  return id >= 0 && id <= INT32_MAX && tokens.contains(static_cast<TokenId>(id));
}

}  // namespace

Tokenizer Tokenizer::from_json(std::string_view json, const std::string& name) {
  return Tokenizer(std::make_shared<TokenizerParts>(read_tokenizer_json(json, "[tokenizer] " + name)));
}

Tokenizer Tokenizer::from_sentence_piece(std::string_view model, const std::string& name) {
  return Tokenizer(std::make_shared<TokenizerParts>(read_sentence_piece(model, "[tokenizer] " + name)));
}

Tokenizer Tokenizer::from_llama2c(std::string_view bytes, const std::string& name) {
  return Tokenizer(std::make_shared<TokenizerParts>(read_llama2c_tokenizer(bytes, "[tokenizer] " + name)));
}

Tokenizer Tokenizer::load(const std::string& path) {
  return Tokenizer(std::make_shared<TokenizerParts>(load_tokenizer(path)));
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  check(options);
  return assemble_encoding(*parts_, encode_sequence(*parts_, text), nullptr, options);
}

Encoding Tokenizer::encode(std::string_view first, std::string_view second,
                           const EncodeOptions& options) const {
  check(options);
  EncodedText encoded = encode_sequence(*parts_, second);
  return assemble_encoding(*parts_, encode_sequence(*parts_, first), &encoded, options);
}

std::vector<Encoding> Tokenizer::encode_batch(const std::vector<std::string>& firsts,
                                              const std::vector<std::string>& seconds,
                                              const EncodeOptions& options) const {
  if (!seconds.empty() && seconds.size() != firsts.size()) {
    fail("[tokenizer] got {} texts and {} second texts, expected as many of both", firsts.size(),
         seconds.size());
  }
  std::vector<Encoding> encodings;
  encodings.reserve(firsts.size());
  Index longest = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    encodings.push_back(seconds.empty() ? encode(firsts[i], options)
                                        : encode(firsts[i], seconds[i], options));
    longest = std::max(longest, encodings.back().size());
  }
  for (Encoding& encoding : encodings) pad_encoding(encoding, longest, *parts_, options);
  return encodings;
}

std::string Tokenizer::decode(const std::vector<Index>& ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const Index id : ids) {
    if (!is_id(parts_->tokens, id) || (skip_special_tokens && is_special(id))) continue;
    tokens.emplace_back(parts_->tokens.token(static_cast<TokenId>(id)));
  }
  const DecodingLimit limit(tokens);
  for (const auto& decoder : parts_->decoders) {
    decoder->apply(tokens);
    limit.check(tokens);
  }
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && parts_->decoders.empty()) text += ' ';
    text += tokens[i];
  }
  return text;
}

Tokenizer Tokenizer::target() const { return parts_->target ? Tokenizer(parts_->target) : *this; }

std::optional<Index> Tokenizer::token_to_id(std::string_view token) const {
  const TokenId id = parts_->tokens.find(token);
  return id == kNoToken ? std::nullopt : std::optional<Index>(id);
}

std::optional<std::string> Tokenizer::id_to_token(Index id) const {
  if (!is_id(parts_->tokens, id)) return std::nullopt;
  return std::string(parts_->tokens.token(static_cast<TokenId>(id)));
}

bool Tokenizer::is_special(Index id) const {
  return is_id(parts_->tokens, id) && parts_->added.is_special(static_cast<TokenId>(id));
}

std::optional<Index> Tokenizer::pad_id() const {
  const TokenId id = parts_->pad();
  return id == kNoToken ? std::nullopt : std::optional<Index>(id);
}

Index Tokenizer::size() const { return parts_->tokens.size(); }

}  // namespace fovea
