// What a tokenizer consists of, whichever file it came from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "fovea/api.h"
#include "text/models/token_model.h"
#include "text/models/token_table.h"
#include "text/steps/added_tokens.h"
#include "text/steps/decoder.h"
#include "text/steps/normalizer.h"
#include "text/steps/post_processor.h"
#include "text/steps/pre_tokenizer.h"

namespace fovea {
inline namespace internal {

struct FOVEA_PRIVATE_API TokenizerParts {
  TokenTable tokens;  // of the model and the added ones
  std::unique_ptr<TokenModel> model;
  Normalizers normalizers;
  PreTokenizers pre_tokenizers;
  AddedTokens added;
  PostProcessor post_processor;
  Decoders decoders;
  bool language_codes = false;  // ">>fra<<" in front of a text is one token

  // What the decoder of an encoder-decoder model reads and writes, where that is cut in another way.
  std::shared_ptr<const TokenizerParts> target = {};

  // The pad token by its usual names; kNoToken if there is none.
  TokenId pad() const;
};

}  // namespace internal

// Adds the tokens to `parts.tokens` and `parts.added`; the normalisers are there already.
void set_added_tokens(TokenizerParts& parts, std::vector<AddedToken> tokens);

// A folder or one of the files below.
TokenizerParts load_tokenizer(const std::string& path);
// source.spm, target.spm and vocab.json of a folder.
TokenizerParts load_marian_tokenizer(const std::filesystem::path& folder);

// From the bytes of a file. `where` is "[tokenizer] tokenizer.json", for messages.
TokenizerParts read_tokenizer_json(std::string_view json, const std::string& where);
enum class WordBreaks { white_space, spaces };  // of Unigram: as `tokenizers`, as SentencePiece
TokenizerParts read_sentence_piece(std::string_view model, const std::string& where,
                                   WordBreaks breaks = WordBreaks::white_space);
TokenizerParts read_llama2c_tokenizer(std::string_view bytes, const std::string& where);
TokenizerParts read_word_list(std::string_view vocab_txt, bool lower_case, const std::string& where);
TokenizerParts read_vocab_and_merges(std::string_view vocab_json, std::string_view merges_txt,
                                     const std::string& where);

}  // namespace fovea
