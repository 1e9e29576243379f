// Values that take long to compute, of which the last few are kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace fovea::explorer {

// Safe for several threads: who asks for a value that is being computed waits for it. What is dropped lives
// on for those who hold it.
template <typename Value>
class RecentValues {
 public:
  using Size = std::function<std::size_t(const Value&)>;
  RecentValues(std::size_t most, std::size_t most_bytes, Size size)
      : most_(most), most_bytes_(most_bytes), size_(std::move(size)) {}

  template <typename Compute>
  Value get(const std::string& key, const Compute& compute) {
    const std::shared_ptr<Slot> slot = slot_of(key);
    const std::lock_guard<std::mutex> lock(slot->mutex);
    if (!slot->value) {  // if it throws, the next one tries again
      slot->value = compute();
      ++computed_;
      make_room(*slot, size_(*slot->value));
    }
    return *slot->value;
  }

  std::size_t computed() const { return computed_; }  // values, since the beginning

  // Those whose keys begin so.
  void forget(const std::string& prefix) {
    const std::lock_guard<std::mutex> lock(mutex_);
    slots_.remove_if([&](const auto& slot) { return slot->key.starts_with(prefix); });
  }

 private:
  struct Slot {
    explicit Slot(std::string name) : key(std::move(name)) {}
    const std::string key;
    std::mutex mutex;  // of the value
    std::optional<Value> value;
    std::size_t bytes = 0;  // guarded by the mutex of the list
  };

  std::shared_ptr<Slot> slot_of(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto at = slots_.begin(); at != slots_.end(); ++at) {
      if ((*at)->key != key) continue;
      slots_.splice(slots_.end(), slots_, at);
      return slots_.back();
    }
    slots_.push_back(std::make_shared<Slot>(key));
    if (slots_.size() > most_) slots_.pop_front();
    return slots_.back();
  }

  void make_room(Slot& of, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    of.bytes = bytes;
    std::size_t all = 0;
    for (const auto& slot : slots_) all += slot->bytes;
    while (slots_.size() > 1 && all > most_bytes_) {
      all -= slots_.front()->bytes;
      slots_.pop_front();
    }
  }

  const std::size_t most_, most_bytes_;
  const Size size_;
  std::atomic<std::size_t> computed_ = 0;
  std::mutex mutex_;                        // of the list
  std::list<std::shared_ptr<Slot>> slots_;  // the one used last stands last
};

}  // namespace fovea::explorer
