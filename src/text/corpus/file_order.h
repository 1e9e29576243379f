// Which files of a folder or archive are texts, and in which order.
#pragma once

#include <string>
#include <vector>

namespace fovea {
inline namespace internal {

// Does `a` come before `b`? Paths with / between folders.
bool comes_before(const std::string& a, const std::string& b);

// Is it a text by its name?
bool is_text_name(const std::string& path);

// Lies the file in a folder pos or neg?
bool is_rated(const std::string& path);
// Or in one of these or unsup?
bool is_review(const std::string& path);

}  // namespace internal
}  // namespace fovea
