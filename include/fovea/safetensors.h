// Safetensors files: named tensors behind a JSON header.
#pragma once

#include <string>

#include "fovea/named_tensors.h"

namespace fovea {

// Arrays come in the order of their data. F16, BF16, F32, F64 become tensors; BOOL, I8 … I64 and
// U8 … U64 become ids. Strict as the format asks: header up to 100 MB, no duplicate names, data without
// holes or overlaps, sizes that fit the shapes.
NamedArrays load_safetensors(const std::string& path);

// F32 and I64. Ids are laid out first, so that every array is aligned to its element.
void save_safetensors(const std::string& path, const NamedArrays& arrays);

}  // namespace fovea
