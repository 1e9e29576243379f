// Answers that take long to compute, kept with the capture they are about.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace fovea::explorer {

// Safe for several threads: who asks for an answer that is being computed waits for it.
class AnswerCache {
 public:
  std::string get(const std::string& key, const std::function<std::string()>& compute) {
    const std::shared_ptr<Slot> slot = slot_of(key);
    const std::lock_guard<std::mutex> lock(slot->mutex);
    if (!slot->answer) slot->answer = compute();  // if it throws, the next one tries again
    return *slot->answer;
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::optional<std::string> answer;
  };
  std::shared_ptr<Slot> slot_of(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Slot>& slot = slots_[key];
    if (slot == nullptr) slot = std::make_shared<Slot>();
    return slot;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Slot>> slots_;
};

}  // namespace fovea::explorer
