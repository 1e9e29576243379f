// Arrays of texts in the .npy format, as np.savez writes np.array(["a", "b"]).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/npz.h"

namespace fovea {

// The texts of an array of dtype U (UTF-32) or S (bytes, UTF-8), row-major, as UTF-8. Nothing for other
// dtypes. Throws Error "<where>: .." for what is no header, and for texts that are not well formed.
std::optional<std::vector<std::string>> parse_npy_texts(std::string_view bytes, const std::string& where);

struct NpyTexts {
  std::string header, data;
};
// Dtype U. Throws Error if there are more or fewer texts than the shape says. Bytes that are no UTF-8
// become U+FFFD.
NpyTexts npy_texts(const NamedTexts& texts, const std::string& where);

}  // namespace fovea
