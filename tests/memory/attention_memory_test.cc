// What attention allocates. A program of its own, because it replaces operator new, as ThreadSanitizer
// does.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fovea/attention.h"
#include "fovea/memory.h"
#include "fovea/random.h"
#include "support/memory_counter.h"

namespace {

// Every allocation of this program is counted; the peak above a mark shows what one call needs.
std::atomic<long long> live_bytes{0}, peak_bytes{0};

// Stands right before the memory that is handed out.
struct Header {
  void* start;
  std::size_t size;
};

void* count_and_allocate(std::size_t size, std::size_t alignment) {
  alignment = std::max<std::size_t>(alignment, 64);
  const std::size_t whole = (alignment + size + alignment - 1) / alignment * alignment;
  void* start = std::aligned_alloc(alignment, whole);
  if (start == nullptr) throw std::bad_alloc();
  char* memory = static_cast<char*>(start) + alignment;
  const Header header = {start, size};
  std::memcpy(memory - sizeof header, &header, sizeof header);
  const long long now = live_bytes += static_cast<long long>(size);
  long long peak = peak_bytes;
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now)) {
  }
  return memory;
}

void count_and_release(void* memory) {
  if (memory == nullptr) return;
  Header header;
  std::memcpy(&header, static_cast<char*>(memory) - sizeof header, sizeof header);
  live_bytes -= static_cast<long long>(header.size);
  std::free(header.start);
}

}  // namespace

void* operator new(std::size_t size) { return count_and_allocate(size, 64); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return count_and_allocate(size, static_cast<std::size_t>(alignment));
}
// std::stable_sort asks this one; a sanitizer's own would not go with the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return count_and_allocate(size, 64);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { count_and_release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { count_and_release(memory); }
void operator delete(void* memory, std::size_t) noexcept { count_and_release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { count_and_release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { count_and_release(memory); }

namespace fovea {

static long long counted_from = 0;
void testing::start_counting_memory() {
  release_spare_memory();
  peak_bytes = live_bytes.load();
  counted_from = live_bytes;
}
long long testing::most_memory_since_start() { return peak_bytes - counted_from; }

namespace {

long long peak_during(Index n, const AttentionOptions& options) {
  Random random(7);
  const Tensor q = random.normal({n, 8}), k = random.normal({n, 8}), v = random.normal({n, 8});
  testing::start_counting_memory();
  const AttentionResult r = attention(q, k, v, options);
  return testing::most_memory_since_start();
}

// Beyond the output of 8 floats per query, memory is at most proportional to N: no N×M matrix.
TEST(AttentionMemory, memory_grows_with_n_not_with_n_squared) {
  Ids documents = Ids::filled({4096}, 0);
  for (Index j = 2000; j < 4096; ++j) documents(j) = 1;
  const std::vector<std::pair<const char*, AttentionOptions>> cases = {
      {"none", {}},
      {"causal", {.mask = Mask::causal()}},
      {"window and not causal", {.mask = Mask::sliding_window(9, 9) & !Mask::causal()}},
      {"sparse", {.mask = Mask::sparse(16)}},
      {"alibi and dropout", {.bias = Bias::alibi({0.5f}), .dropout = 0.1f}}};
  for (const auto& [name, options] : cases) {
    const long long small = peak_during(1024, options), large = peak_during(4096, options);
    const long long square = 4096LL * 4096 * 4;
    EXPECT_LT(large, square / 16) << name;
    EXPECT_LT(large, 6 * small + 100'000)
        << name << ": " << small << " bytes at 1024, " << large << " at 4096";
  }
  EXPECT_GT(peak_during(1024, {.weights = true}), 1024LL * 1024 * 4) << "the counter must see the weights";
}

long long backward_peak_during(Index n, AttentionOptions options) {
  Random random(7);
  const Tensor q = random.normal({n, 8}), k = random.normal({n, 8}), v = random.normal({n, 8});
  options.logsumexp = true;
  const AttentionResult forward = attention(q, k, v, options);
  testing::start_counting_memory();
  const AttentionGradients g = attention_backward(q, k, v, forward, v, options);
  return testing::most_memory_since_start();
}

// Backward computes the weights again, tile by tile; a table of biases is summed along diagonals.
TEST(AttentionMemory, backward_memory_grows_with_n_not_with_n_squared) {
  const std::vector<std::pair<const char*, AttentionOptions>> cases = {
      {"none", {}},
      {"causal", {.mask = Mask::causal()}},
      {"sparse", {.mask = Mask::sparse(16)}},
      {"relative", {.bias = Bias::relative(Tensor({257, 1})), .dropout = 0.1f}},
      {"t5 and softcap", {.bias = Bias::t5(Tensor({32, 1})), .softcap = 5}}};
  for (const auto& [name, options] : cases) {
    const long long small = backward_peak_during(1024, options),
                    large = backward_peak_during(4096, options);
    EXPECT_LT(large, 4096LL * 4096 * 4 / 16) << name;
    EXPECT_LT(large, 6 * small + 100'000)
        << name << ": " << small << " bytes at 1024, " << large << " at 4096";
  }
}

}  // namespace
}  // namespace fovea
