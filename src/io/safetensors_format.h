// The safetensors format.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/named_tensors.h"
#include "io/raw_array.h"

namespace fovea {

// What the header says, checked, with each tensor's data located in the file: nothing is converted yet.
struct SafetensorsIndex {
  struct Entry {
    std::string name;
    RawArray raw;
  };
  std::vector<Entry> entries;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// Throws Error "<where>: ..". The file must outlive what is located in it.
SafetensorsIndex index_safetensors(const ByteSource& file);

NamedArrays decode_safetensors(SafetensorsIndex index, const std::string& where);

}  // namespace fovea
