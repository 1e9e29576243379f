// Helpers of the io tests: a folder of one's own, and the message of an Error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "fovea/error.h"
#include "fovea/tensor.h"

namespace fovea {

// An empty folder, removed with all in it. In memory where possible: synchronising a disk takes
// milliseconds.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    for (const auto& parent : {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
      std::string pattern = (parent / "fovea-test-XXXXXX").string();
      if (::mkdtemp(pattern.data()) == nullptr) continue;
      path_ = pattern;
      return;
    }
    throw std::runtime_error("no temporary folder");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    const std::filesystem::directory_iterator all(path_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

// The message of the Error that `call` throws; "" if it throws nothing. Other exceptions pass through, and
// fail the test.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << text << "\" does not contain \"" << part << "\"";
}

inline std::vector<float> values_of(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.shape().elements()};
}

inline std::string golden(const std::string& name) { return std::string(FOVEA_TEST_DATA) + "/io/" + name; }

}  // namespace fovea
