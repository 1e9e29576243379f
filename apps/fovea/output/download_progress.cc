#include "output/download_progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "output/progress.h"
#include "subprocess.h"

namespace fovea::command {
namespace {

namespace fs = std::filesystem;

// Where npm keeps what is still on its way; empty if npm does not tell.
std::string npm_temporary_folder() {
  const ProgramResult result = run_program({"npm", "config", "get", "cache", "--silent"});
  const std::string cache = result.out.substr(0, result.out.find('\n'));
  return result.exit_code == 0 && !cache.empty() ? cache + "/_cacache/tmp" : "";
}

double bytes_in(const std::string& folder) {
  double bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code gone;
    const auto size = entry.file_size(gone);
    if (!gone) bytes += static_cast<double>(size);
  }
  return bytes;
}

}  // namespace

DownloadProgress::DownloadProgress(std::string what, double bytes) {
  if (isatty(STDERR_FILENO) == 0) return;
  const std::string folder = npm_temporary_folder();
  if (folder.empty()) return;
  const double before = bytes_in(folder);
  watcher_ = std::thread([this, what = std::move(what), folder, bytes, before] {
    Progress progress(what);
    double share = 0;  // the file moves away when it is whole: never back
    while (!done_) {
      share = std::max(share, std::clamp((bytes_in(folder) - before) / bytes, 0.0, 1.0));
      progress.show(share);
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
  });
}

DownloadProgress::~DownloadProgress() {
  done_ = true;
  if (watcher_.joinable()) watcher_.join();
}

}  // namespace fovea::command
