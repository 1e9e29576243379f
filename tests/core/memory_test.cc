#include "fovea/memory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "fovea/tensor.h"

namespace fovea {
namespace {

constexpr Index kMegabyte = (1 << 20) / sizeof(float);

class SpareMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    release_spare_memory();
    set_spare_memory_limit(64 << 20);
  }
  void TearDown() override { set_spare_memory_limit(usual_limit_); }

 private:
  std::size_t usual_limit_ = spare_memory_limit();
};

TEST_F(SpareMemory, a_tensor_of_the_same_size_takes_over) {
  const float* first = nullptr;
  {
    const Tensor tensor({3, kMegabyte});
    first = tensor.data();
  }
  EXPECT_EQ(spare_memory(), 3u << 20);
  const Tensor next = Tensor::uninitialized({3 * kMegabyte - 5});
  EXPECT_EQ(next.data(), first);
  EXPECT_EQ(spare_memory(), 0u);
}

TEST_F(SpareMemory, is_cleared_where_zeros_are_promised) {
  { const Tensor tensor = Tensor::filled({kMegabyte}, 7.0f); }
  const Tensor zeros({kMegabyte});
  EXPECT_TRUE(
      std::all_of(zeros.data(), zeros.data() + kMegabyte, [](float number) { return number == 0.0f; }));
}

TEST_F(SpareMemory, serves_neither_larger_nor_much_smaller_tensors) {
  { const Tensor tensor({2 * kMegabyte}); }
  const Tensor larger = Tensor::uninitialized({2 * kMegabyte + 1});
  const Tensor smaller = Tensor::uninitialized({kMegabyte});
  EXPECT_EQ(spare_memory(), 2u << 20);
}

TEST_F(SpareMemory, has_a_limit_and_the_oldest_go_first) {
  std::vector<Tensor> tensors;
  for (Index i = 0; i < 30; ++i) tensors.push_back(Tensor::uninitialized({(3 * kMegabyte) + i}));
  const float* newest = tensors.back().data();
  for (Tensor& tensor : tensors) tensor = Tensor();
  EXPECT_LE(spare_memory(), 64u << 20);
  EXPECT_GT(spare_memory(), 60u << 20);
  EXPECT_EQ(Tensor::uninitialized({3 * kMegabyte + 29}).data(), newest);
  { const Tensor too_large = Tensor::uninitialized({65 * kMegabyte}); }
  EXPECT_LE(spare_memory(), 64u << 20);
  set_spare_memory_limit(8 << 20);
  EXPECT_EQ(spare_memory() >> 20, 6u) << "two blocks of 3 MiB and a little";
  release_spare_memory();
  EXPECT_EQ(spare_memory(), 0u);
}

TEST_F(SpareMemory, small_tensors_are_not_kept) {
  { const Tensor tensor({100}); }
  EXPECT_EQ(spare_memory(), 0u);
}

TEST_F(SpareMemory, no_two_threads_get_the_same_block) {
  std::vector<int> mistakes(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &mistakes] {
      for (int i = 0; i < 200; ++i) {
        const Tensor mine = Tensor::filled({40'000 + i % 7}, static_cast<float>(t));
        for (Index j = 0; j < 40'000; ++j)
          mistakes[static_cast<std::size_t>(t)] += mine(j) != static_cast<float>(t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(mistakes, std::vector<int>(4));
}

// Another thread may hold the lock at the moment of the fork; in the child nobody would ever release it.
TEST_F(SpareMemory, children_of_fork_are_not_locked_out) {
  std::atomic<bool> done = false;
  std::thread busy([&] {
    while (!done) {
      const Tensor a({40'000}), b({50'000});
    }
  });
  int hung = 0;
  for (int i = 0; i < 100 && hung == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      for (int j = 0; j < 20; ++j) {
        const Tensor mine({40'000});
      }
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    hung += WIFSIGNALED(status) ? 1 : 0;
  }
  done = true;
  busy.join();
  EXPECT_EQ(hung, 0);
}

}  // namespace
}  // namespace fovea
