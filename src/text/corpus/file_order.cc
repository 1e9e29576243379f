#include "text/corpus/file_order.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace fovea {
inline namespace internal {
namespace {

// Folders that people do not count by the alphabet.
constexpr std::string_view kFolders[] = {"train", "test", "pos", "neg", "unsup"};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return parts;
    path.remove_prefix(end + 1);
  }
}

// The number at the beginning of a name, as (how many digits, digits): of any length.
auto number_key(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
  std::string_view number = name.substr(0, digits);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return std::make_tuple(digits == 0, number.size(), number, name);
}

auto folder_key(std::string_view name) {
  const auto* const known = std::find(std::begin(kFolders), std::end(kFolders), name);
  return std::make_tuple(known - std::begin(kFolders), number_key(name));
}

std::string_view folder_of(std::string_view path) {
  const std::vector<std::string_view> parts = parts_of(path);
  return parts.size() < 2 ? "" : parts[parts.size() - 2];
}

}  // namespace

bool comes_before(const std::string& a, const std::string& b) {
  const std::vector<std::string_view> left = parts_of(a), right = parts_of(b);
  const std::size_t folders = std::min(left.size(), right.size()) - 1;
  for (std::size_t i = 0; i < folders; ++i) {
    if (left[i] != right[i]) return folder_key(left[i]) < folder_key(right[i]);
  }
  if (left.size() != right.size()) return left.size() < right.size();  // files before folders
  return number_key(left.back()) < number_key(right.back());
}

bool is_text_name(const std::string& path) { return path.ends_with(".txt"); }

bool is_rated(const std::string& path) { return folder_of(path) == "pos" || folder_of(path) == "neg"; }

bool is_review(const std::string& path) { return is_rated(path) || folder_of(path) == "unsup"; }

}  // namespace internal
}  // namespace fovea
