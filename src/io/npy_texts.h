// Arrays of texts in the .npy format, as np.savez writes np.array(["a", "b"]).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/npz.h"
#include "io/byte_source.h"
#include "io/npy_literal.h"

namespace fovea {

// Is the dtype U (UTF-32) or S (bytes, UTF-8)?
bool is_npy_texts(const NpyLiteral& literal);

// Their number and the size of each in the file. Throws Error "<where>: .." if `data_size` bytes of data
// are not those.
struct NpyTextLayout {
  std::uint64_t count = 0, size = 0;
};
NpyTextLayout npy_text_layout(const NpyLiteral& literal, std::uint64_t data_size, const std::string& where);

// The texts, row-major, as UTF-8. Throws Error "<where>: .." for texts that are not well formed.
std::vector<std::string> read_npy_texts(const NpyLiteral& literal, const NpyTextLayout& layout,
                                        ByteReader& data, const std::string& where);

struct NpyTexts {
  std::string header, data;
};
// Dtype U. Throws Error if there are more or fewer texts than the shape says. Bytes that are no UTF-8
// become U+FFFD.
NpyTexts npy_texts(const NamedTexts& texts, const std::string& where);

}  // namespace fovea
