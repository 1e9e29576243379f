// Ranks that are threads of one process: the ring without MPI.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "distributed/rank_group.h"
#include "fovea/distributed.h"

namespace fovea::testing {

class ThreadWorld {
 public:
  explicit ThreadWorld(int ranks) : size(ranks), texts_(static_cast<std::size_t>(ranks)) {}
  const int size;

  void post(int channel, int from, int to, std::vector<float> floats) {
    const std::lock_guard lock(mutex_);
    mail_[{channel, from, to}].push_back(std::move(floats));
    changed_.notify_all();
  }
  std::vector<float> take(int channel, int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<float>>& box = mail_[{channel, from, to}];
    changed_.wait(lock, [&] { return !box.empty(); });
    std::vector<float> floats = std::move(box.front());
    box.pop_front();
    return floats;
  }
  std::vector<std::string> gather(int rank, const std::string& text) {
    std::unique_lock lock(mutex_);
    const int round = round_;
    texts_[static_cast<std::size_t>(rank)] = text;
    if (++arrived_ == size) {
      gathered_ = texts_;
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return round_ != round; });
    }
    return gathered_;  // nobody changes it before all have it: each joins the next round first
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::tuple<int, int, int>, std::deque<std::vector<float>>> mail_;
  std::vector<std::string> texts_, gathered_;
  int arrived_ = 0, round_ = 0;
};

class ThreadGroup final : public RankGroup {
 public:
  ThreadGroup(ThreadWorld& world, int rank) : world_(world), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return world_.size; }
  std::unique_ptr<Transfer> start(int channel, int to, std::vector<Outgoing> sent, int from,
                                  std::vector<Incoming> received) override {
    for (const Outgoing& out : sent) {
      world_.post(channel, rank_, to, std::vector<float>(out.data, out.data + out.count));
    }
    return std::make_unique<Arrival>(*this, channel, from, std::move(received));
  }
  std::vector<std::string> gather(const std::string& bytes) override { return world_.gather(rank_, bytes); }
  [[noreturn]] void abort(int) noexcept override { std::terminate(); }

 private:
  class Arrival final : public Transfer {
   public:
    Arrival(ThreadGroup& group, int channel, int from, std::vector<Incoming> received)
        : group_(group), channel_(channel), from_(from), received_(std::move(received)) {}
    void finish() override {
      for (const Incoming& in : received_) {
        const std::vector<float> floats = group_.world_.take(channel_, from_, group_.rank_);
        if (static_cast<Index>(floats.size()) != in.count) std::terminate();
        std::copy(floats.begin(), floats.end(), in.data);
      }
      received_.clear();
    }

   private:
    ThreadGroup& group_;
    int channel_, from_;
    std::vector<Incoming> received_;
  };

  ThreadWorld& world_;
  int rank_;
};

// body(ranks) on each of `size` ranks; what each threw, "" for nothing.
inline std::vector<std::string> on_ranks(int size, const std::function<void(const Ranks&)>& body) {
  ThreadWorld world(size);
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(Ranks(std::make_unique<ThreadGroup>(world, rank)));
      } catch (const Error& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace fovea::testing
