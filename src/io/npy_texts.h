// Arrays of texts in the .npy format, as np.savez writes np.array(["a", "b"]).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// The texts of an array of rank 0 or 1 with dtype U (UTF-32) or S (bytes, UTF-8), as UTF-8. Nothing for
// other dtypes. Throws Error "<where>: .." for what is no header, and for texts that are not well formed.
std::optional<std::vector<std::string>> parse_npy_texts(std::string_view bytes, const std::string& where);

}  // namespace fovea
