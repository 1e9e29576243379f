// How far npm is with a package: it says nothing itself where its output is not a terminal of its own.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace fovea::command {

// Watches npm's cache grow, on a terminal only, until it is destroyed.
class DownloadProgress {
 public:
  DownloadProgress(std::string what, double bytes);  // expected
  ~DownloadProgress();
  DownloadProgress(const DownloadProgress&) = delete;
  DownloadProgress& operator=(const DownloadProgress&) = delete;

 private:
  std::atomic<bool> done_ = false;
  std::thread watcher_;
};

}  // namespace fovea::command
