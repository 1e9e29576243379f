#include "fovea/threads.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "fovea/error.h"

namespace fovea {
namespace {

// Puts the number of threads back.
class Threads : public testing::Test {
 protected:
  ~Threads() override { omp_set_num_threads(before_); }
  int before_ = omp_get_max_threads();
};

TEST_F(Threads, count_is_that_of_openmp) {
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  EXPECT_EQ(omp_get_max_threads(), 3);
  omp_set_num_threads(2);
  EXPECT_EQ(thread_count(), 2);
}

TEST_F(Threads, zero_threads_throw) {
  const int count = thread_count();
  EXPECT_THROW(set_thread_count(0), Error);
  EXPECT_THROW(set_thread_count(-1), Error);
  EXPECT_EQ(thread_count(), count);
}

TEST_F(Threads, too_many_are_refused_or_not_started) {
  const int count = thread_count();
  EXPECT_THROW(set_thread_count(1'000'000), Error);
  EXPECT_EQ(thread_count(), count);
  omp_set_num_threads(100'000);  // as OMP_NUM_THREADS does
  EXPECT_EQ(thread_count(), kMostThreads);
  std::atomic<int> sum{0};
  parallel_for(3, [&](Index i) { sum += static_cast<int>(i); });  // no more threads than work
  EXPECT_EQ(sum, 3);
}

// The threads of OpenMP stay with the parent.
TEST_F(Threads, child_of_fork_has_one) {
  set_thread_count(4);
  parallel_for(100, [](Index) {});
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    std::vector<int> runs(1000);
    if (thread_count() != 1) ::_exit(1);
    set_thread_count(4);  // whatever is set
    if (thread_count() != 1) ::_exit(2);
    parallel_for(1000, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
    ::_exit(runs == std::vector<int>(1000, 1) ? 0 : 3);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(thread_count(), 4);
}

TEST_F(Threads, parallel_for_runs_every_index_once) {
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    for (const Index count : {0, 1, 2, 1000}) {
      std::vector<int> runs(static_cast<std::size_t>(count));
      parallel_for(count, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(runs, std::vector<int>(runs.size(), 1));
    }
  }
}

TEST_F(Threads, parallel_for_rethrows_and_finishes_the_rest) {
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    std::atomic<int> runs{0};
    try {
      parallel_for(100, [&](Index i) {
        ++runs;
        if (i == 40) throw Error("[test] stop");
      });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "[test] stop");
    }
    EXPECT_EQ(runs, 100);
  }
}

TEST_F(Threads, parallel_for_survives_many_exceptions) {
  set_thread_count(4);
  EXPECT_THROW(parallel_for(100, [](Index) { throw Error("[test] stop"); }), Error);
  EXPECT_THROW(parallel_for(1, [](Index) { throw 5; }), int);
}

}  // namespace
}  // namespace fovea
