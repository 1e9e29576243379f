// Which pairs of tokens merge, when, and to what.
#pragma once

#include <cstdint>
#include <vector>

#include "text/models/hash.h"
#include "text/models/token_table.h"

namespace fovea {

class PairTable {
 public:
  struct Result {
    std::uint32_t rank = kNoRank;  // the lowest merges first
    TokenId id = kNoToken;
  };
  static constexpr std::uint32_t kNoRank = UINT32_MAX;

  explicit PairTable(std::size_t pairs) {
    std::size_t size = 16;
    while (size < 2 * pairs) size *= 2;
    slots_.resize(size);
  }

  // At most as many as announced; a later entry for the same pair takes over.
  void add(TokenId left, TokenId right, Result result) {
    Slot& slot = slots_[slot_of(key_of(left, right))];
    slot = {key_of(left, right), result};
  }

  Result find(TokenId left, TokenId right) const { return slots_[slot_of(key_of(left, right))].result; }

 private:
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  struct Slot {
    std::uint64_t key = kEmpty;
    Result result;
  };
  static std::uint64_t key_of(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash_number(key, seed_) & mask;; at = (at + 1) & mask) {
      if (slots_[at].key == key || slots_[at].key == kEmpty) return at;
    }
  }

  std::uint64_t seed_ = hash_seed();
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace fovea
