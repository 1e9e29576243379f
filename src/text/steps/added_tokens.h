// Tokens that are found in a text before anything else happens to it: [MASK], <|endoftext|>.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/files/json_field.h"
#include "text/models/token_table.h"
#include "text/models/trie.h"
#include "text/steps/normalizer.h"

namespace fovea {

struct AddedToken {
  TokenId id = kNoToken;
  std::string content;
  bool special = true;       // left out when decoding, if asked
  bool single_word = false;  // not inside a word
  bool strip_left = false;   // takes the white space before it along
  bool strip_right = false;
  bool normalized = false;  // is looked for in the normalised text
  bool in_texts = true;     // false: a name for an id, never found in a text
};

class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(std::vector<AddedToken> tokens, const Normalizers& normalizers);

  const std::vector<AddedToken>& tokens() const { return tokens_; }
  bool is_special(TokenId id) const;

  struct Part {
    ByteSpan span;
    TokenId id = kNoToken;  // kNoToken: a text between tokens
  };
  // The whole text as parts, in order, none of them empty. `normalized` says which text it is.
  std::vector<Part> find(std::string_view text, bool normalized) const;

 private:
  std::vector<AddedToken> tokens_;
  std::vector<std::string> patterns_;  // what is looked for, per token
  Trie raw_, normalized_;              // to places in tokens_
  std::vector<TokenId> special_;       // sorted
};

// The list "added_tokens" of tokenizer.json. A token that the model knows keeps the model's id.
std::vector<AddedToken> read_added_tokens(const JsonField& json, const TokenTable& model_tokens);

}  // namespace fovea
