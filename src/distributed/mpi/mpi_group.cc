// The processes of MPI, the only user of its library. Calls come from several threads, one at a time
// (MPI_THREAD_SERIALIZED): whoever computes leaves the progress of its messages to a thread that looks
// after them now and then. Without it large messages would move only when somebody waits for them.
#include "distributed/mpi/mpi_group.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <thread>

#include "core/fail.h"

namespace fovea {
inline namespace internal {
namespace {

// Of one message, in floats: MPI counts in int.
constexpr Index kLongestMessage = Index{1} << 28;
// Between two looks at messages on their way. Looking costs a microsecond or two; what arrives in between
// lies in buffers of the system.
constexpr auto kBetweenLooks = std::chrono::microseconds(50);

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) fail("[distributed] {} failed with MPI's code {}", what, code);
}

class MpiTransfer final : public Transfer {
 public:
  MpiTransfer(std::mutex& one_at_a_time, std::vector<MPI_Request> requests)
      : one_at_a_time_(one_at_a_time), requests_(std::move(requests)), thread_([this] { watch(); }) {}
  ~MpiTransfer() override {
    if (thread_.joinable()) thread_.join();
  }
  void finish() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void watch() {
    for (int done = 0; done == 0;) {
      {
        const std::lock_guard lock(one_at_a_time_);
        MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      }
      if (done == 0) std::this_thread::sleep_for(kBetweenLooks);
    }
  }

  std::mutex& one_at_a_time_;
  std::vector<MPI_Request> requests_;
  std::thread thread_;
};

class MpiGroup final : public RankGroup {
 public:
  // The communicator is copied, so that no message of the program is mistaken for ours.
  MpiGroup(MPI_Comm communicator, bool ends_mpi) : ends_mpi_(ends_mpi) {
    check(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  ~MpiGroup() override {
    MPI_Comm_free(&communicator_);
    if (ends_mpi_) MPI_Finalize();
  }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::unique_ptr<Transfer> start(int channel, int to, std::vector<Outgoing> sent, int from,
                                  std::vector<Incoming> received) override {
    std::vector<MPI_Request> requests;
    const std::lock_guard lock(one_at_a_time_);
    for (const Incoming& in : received) {
      for (Index at = 0; at < in.count; at += kLongestMessage) {
        const int count = static_cast<int>(std::min(kLongestMessage, in.count - at));
        MPI_Irecv(in.data + at, count, MPI_FLOAT, from, channel, communicator_,
                  &requests.emplace_back(MPI_REQUEST_NULL));
      }
    }
    for (const Outgoing& out : sent) {
      for (Index at = 0; at < out.count; at += kLongestMessage) {
        const int count = static_cast<int>(std::min(kLongestMessage, out.count - at));
        MPI_Isend(out.data + at, count, MPI_FLOAT, to, channel, communicator_,
                  &requests.emplace_back(MPI_REQUEST_NULL));
      }
    }
    return std::make_unique<MpiTransfer>(one_at_a_time_, std::move(requests));
  }

  std::vector<std::string> gather(const std::string& bytes) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    if (bytes.size() > kMost) fail("[distributed] {} bytes are too many to gather", bytes.size());
    const auto ranks = static_cast<std::size_t>(size_);
    const int own = static_cast<int>(bytes.size());
    std::vector<int> sizes(ranks);
    std::vector<MPI_Request> requests(1);
    const std::lock_guard lock(one_at_a_time_);
    MPI_Iallgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, communicator_, requests.data());
    wait(requests);
    std::vector<std::string> all(ranks);
    requests.assign(ranks, MPI_REQUEST_NULL);
    for (std::size_t from = 0; from < ranks; ++from) {
      const bool is_own = static_cast<int>(from) == rank_;
      all[from] = is_own ? bytes : std::string(static_cast<std::size_t>(sizes[from]), '\0');
      MPI_Ibcast(all[from].data(), sizes[from], MPI_BYTE, static_cast<int>(from), communicator_,
                 &requests[from]);
    }
    wait(requests);
    return all;
  }

  [[noreturn]] void abort(int exit_code) noexcept override {
    MPI_Abort(communicator_, exit_code);
    std::abort();  // not reached: MPI ends this process, too
  }

 private:
  // MPI's own waiting keeps a core busy, or gives it away whole time slices long where others want it:
  // first some looks without a pause, then with naps in between.
  static void wait(std::vector<MPI_Request>& requests) {
    constexpr int kLooks = 1000;
    int done = 0;
    for (int look = 0; done == 0; ++look) {
      if (look >= kLooks) std::this_thread::sleep_for(kBetweenLooks);
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    }
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  bool ends_mpi_;
  int rank_ = 0, size_ = 1;
  std::mutex one_at_a_time_;
};

void check_threads(int provided) {
  if (provided < MPI_THREAD_SERIALIZED) {
    fail("[distributed] MPI was started for one thread, expected MPI_THREAD_SERIALIZED or more");
  }
}

std::unique_ptr<RankGroup> group_of_communicator(MPI_Comm communicator) {
  int provided = 0;
  MPI_Query_thread(&provided);
  check_threads(provided);
  return std::make_unique<MpiGroup>(communicator, false);
}

std::unique_ptr<RankGroup> group_of_started_mpi() {
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  check_threads(provided);
  return std::make_unique<MpiGroup>(MPI_COMM_WORLD, true);
}

}  // namespace
}  // namespace internal
}  // namespace fovea

fovea::RankGroup* fovea_mpi_group(const int* communicator) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0 && communicator != nullptr) {
    fovea::fail("[distributed] a communicator needs MPI to be started: MPI_Init_thread");
  }
  if (started == 0) return fovea::group_of_started_mpi().release();
  return fovea::group_of_communicator(communicator == nullptr ? MPI_COMM_WORLD
                                                              : MPI_Comm_f2c(*communicator))
      .release();
}
