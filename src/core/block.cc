#include "core/block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <new>
#include <vector>

#include "core/fork.h"
#include "fovea/memory.h"

namespace fovea {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kSmallestSpare = std::size_t{128} << 10;  // below, the allocator has it at hand
constexpr std::size_t kMostBlocks = 2048;
#if defined(__has_feature)
#define FOVEA_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define FOVEA_ADDRESS_SANITIZER 1
#else
#define FOVEA_ADDRESS_SANITIZER 0
#endif

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes < kLargePage ? 64 : kLargePage};
}

// Large blocks ask for large pages: fewer page faults when they are written first, fewer misses of the
// address cache later. A hint; without it everything works as well.
void hint_large_pages([[maybe_unused]] const Block& block) {
#ifdef MADV_HUGEPAGE
  const auto begin = reinterpret_cast<std::uintptr_t>(block.data);
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (begin + block.bytes) / kLargePage * kLargePage;
  if (first < last)
    madvise(reinterpret_cast<std::byte*>(block.data) + (first - begin), last - first, MADV_HUGEPAGE);
#endif
}

Block fresh_block(std::size_t bytes) {
  const Block block = {static_cast<float*>(::operator new(bytes, alignment_of(bytes))), bytes};
  if (bytes >= kLargePage) hint_large_pages(block);
  return block;
}

void release(const Block& block) noexcept { ::operator delete(block.data, alignment_of(block.bytes)); }

std::size_t usual_limit() {
  if (FOVEA_ADDRESS_SANITIZER) return 0;
  const auto memory =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min(memory / 64, std::size_t{256} << 20);
}

class SpareBlocks {
 public:
  SpareBlocks() { blocks_.reserve(kMostBlocks); }  // so that giving never throws

  // The newest block that fits and is not much larger: what was used last is still in the caches.
  Block take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      if (block->bytes < bytes || block->bytes > bytes + bytes / 8) continue;
      const Block found = *block;
      blocks_.erase(std::next(block).base());
      bytes_ -= found.bytes;
      return found;
    }
    return {};
  }

  // False if it is not kept.
  bool give(const Block& block) noexcept {
    const std::lock_guard lock(mutex_);
    if (block.bytes > limit_ || blocks_.size() == kMostBlocks) return false;
    keep_at_most(limit_ - block.bytes);
    blocks_.push_back(block);
    bytes_ += block.bytes;
    return true;
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    keep_at_most(0);
  }

  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  std::mutex& mutex() { return mutex_; }

  std::size_t limit() {
    const std::lock_guard lock(mutex_);
    return limit_;
  }

  void set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    keep_at_most(limit_);
  }

 private:
  // The oldest go first.
  void keep_at_most(std::size_t bytes) {
    std::size_t dropped = 0;
    for (; bytes_ > bytes; ++dropped) {
      bytes_ -= blocks_[dropped].bytes;
      release(blocks_[dropped]);
    }
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(dropped));
  }

  std::mutex mutex_;
  std::size_t limit_ = usual_limit();
  std::vector<Block> blocks_;  // in the order in which they were given
  std::size_t bytes_ = 0;
};

// Never destroyed: tensors of the program's own static variables may go after it.
SpareBlocks& spare_blocks() {
  static SpareBlocks& blocks = *new SpareBlocks;
  return blocks;
}

[[maybe_unused]] const bool kFreeInChild = free_after_fork(spare_blocks().mutex());

}  // namespace

Block take_block(std::size_t bytes) {
  if (bytes >= kSmallestSpare) {
    const Block spare = spare_blocks().take(bytes);
    if (spare.data != nullptr) return spare;
  }
  return fresh_block(bytes);
}

void give_back(const Block& block) noexcept {
  const bool kept = block.bytes >= kSmallestSpare && spare_blocks().give(block);
  if (!kept) release(block);
}

std::size_t spare_memory() { return spare_blocks().bytes(); }

void release_spare_memory() { spare_blocks().release_all(); }

std::size_t spare_memory_limit() { return spare_blocks().limit(); }

void set_spare_memory_limit(std::size_t bytes) { spare_blocks().set_limit(bytes); }

}  // namespace fovea
