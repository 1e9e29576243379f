// Arrays of texts in .npy files: NumPy's dtype U, code points of 4 bytes in fields of one length.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/npz.h"

namespace fovea {

struct NpyTexts {
  std::string header, data;
};
// Throws Error if there are more or fewer texts than the shape says. Bytes that are no UTF-8 become U+FFFD.
NpyTexts npy_texts(const NamedTexts& texts, const std::string& where);

bool is_npy_texts(std::string_view bytes, const std::string& where);
// As UTF-8; zeros at the end of a field are not part of the text. Throws Error "<where>: ..".
std::vector<std::string> parse_npy_texts(std::string_view bytes, const std::string& where);

}  // namespace fovea
