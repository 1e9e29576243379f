// The model of a tokenizer: from a word to tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/models/token_table.h"

namespace fovea {

struct Token {
  TokenId id = kNoToken;
  std::uint32_t begin = 0, end = 0;  // bytes of the word
};

// Buffers that one encoding uses over and over, so that words do not allocate.
struct Workspace {
  struct Symbol {
    TokenId id;
    std::uint32_t begin, end;
    std::uint32_t previous, next;  // places in the list
  };
  struct Merge {
    std::uint64_t order;  // the smallest comes first
    TokenId id;           // of the result
    std::uint32_t place;
  };
  struct Path {
    double score;
    std::uint32_t begin;  // of the last token of the best path that ends here
    TokenId id;           // kNoToken: no path yet
  };
  std::vector<Symbol> symbols;
  std::vector<std::uint32_t> ranks;
  std::vector<Merge> merges;
  std::vector<Path> paths;
  std::vector<Token> tokens, pieces;
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // Appends the tokens of `word`, which is valid UTF-8 and not empty.
  virtual void tokenize(std::string_view word, Workspace& work, std::vector<Token>& tokens) const = 0;

  // What it puts where it has no token; kNoToken: such text is left out.
  virtual TokenId unknown() const = 0;
};

}  // namespace fovea
