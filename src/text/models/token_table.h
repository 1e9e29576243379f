// Tokens and their ids, in both directions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/shape.h"

namespace fovea {

using TokenId = std::int32_t;
inline constexpr TokenId kNoToken = -1;

class TokenTable {
 public:
  // A later token of the same text takes over from an earlier one; so does a later token of the same id
  // when ids are looked up. Ids may have gaps.
  void add(std::string_view token, TokenId id);

  TokenId find(std::string_view token) const;                          // kNoToken if it is not there
  bool contains(TokenId id) const;                                     // any number
  std::string_view token(TokenId id) const;                            // contains(id)
  Index size() const { return count_; }                                // different texts
  TokenId end() const { return static_cast<TokenId>(by_id_.size()); }  // one more than the largest id
  std::size_t longest() const { return longest_; }                     // bytes

 private:
  struct Slot {
    std::uint32_t hash = 0;  // the upper half: most comparisons of texts end here
    TokenId id = kNoToken;
    std::size_t begin = 0;
    std::uint32_t size = 0;
  };
  struct Place {
    std::size_t begin = 0;
    std::uint32_t size = 0;
    bool used = false;
  };
  std::size_t slot_of(std::string_view token, std::uint64_t hash) const;
  void grow();

  std::string bytes_;
  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<Place> by_id_;
  Index count_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace fovea
