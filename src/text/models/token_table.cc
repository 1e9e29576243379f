#include "text/models/token_table.h"

#include <algorithm>

#include "text/models/hash.h"

namespace fovea {

std::size_t TokenTable::slot_of(std::string_view token, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto upper = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.id == kNoToken) return at;
    if (slot.hash == upper && slot.size == token.size() &&
        std::string_view(bytes_.data() + slot.begin, slot.size) == token) {
      return at;
    }
  }
}

void TokenTable::grow() {
  std::vector<Slot> old(std::max<std::size_t>(16, 2 * slots_.size()));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id == kNoToken) continue;
    const std::string_view token(bytes_.data() + slot.begin, slot.size);
    slots_[slot_of(token, hash_bytes(token, hash_seed()))] = slot;
  }
}

void TokenTable::add(std::string_view token, TokenId id) {
  if (2 * static_cast<std::size_t>(count_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_bytes(token, hash_seed());
  Slot& slot = slots_[slot_of(token, hash)];
  if (slot.id == kNoToken) {
    slot = {static_cast<std::uint32_t>(hash >> 32), id, bytes_.size(),
            static_cast<std::uint32_t>(token.size())};
    bytes_ += token;
    longest_ = std::max(longest_, token.size());
    ++count_;
  }
  slot.id = id;
  if (id >= end()) by_id_.resize(static_cast<std::size_t>(id) + 1);
  by_id_[static_cast<std::size_t>(id)] = {slot.begin, slot.size, true};
}

TokenId TokenTable::find(std::string_view token) const {
  if (slots_.empty()) return kNoToken;
  return slots_[slot_of(token, hash_bytes(token, hash_seed()))].id;
}

bool TokenTable::contains(TokenId id) const {
  return id >= 0 && id < end() && by_id_[static_cast<std::size_t>(id)].used;
}

std::string_view TokenTable::token(TokenId id) const {
  const Place& place = by_id_[static_cast<std::size_t>(id)];
  return {bytes_.data() + place.begin, place.size};
}

}  // namespace fovea
