// Safetensors files: named tensors behind a JSON header.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fovea/api.h"
#include "fovea/named_tensors.h"

namespace fovea {

// Arrays come in the order of their data. F16, BF16, F32, F64 become tensors; BOOL, I8 … I64 and
// U8 … U64 become ids. Strict as the format asks: header up to 100 MB, no duplicate names, data without
// holes or overlaps, sizes that fit the shapes.
FOVEA_API NamedArrays load_safetensors(const std::string& path);

// The same of bytes in memory; `where` goes into messages.
FOVEA_API NamedArrays parse_safetensors(std::string_view bytes, const std::string& where);

// F32 and I64. Wider elements are laid out first, so that every array is aligned to its element.
FOVEA_API void save_safetensors(const std::string& path, const NamedArrays& arrays);

// Smaller elements than those: f16 rounds numbers to the nearest; u8 takes whole numbers 0 .. 255, an Error
// for others.
enum class StoredType { f16, u8 };

// The bytes of such a file. `types` names the arrays that are stored in smaller elements.
FOVEA_API std::string safetensors_bytes(const NamedArrays& arrays,
                                        const std::map<std::string, StoredType>& types = {});

}  // namespace fovea
