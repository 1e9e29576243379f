// A file of arrays, read on demand: only the arrays you ask for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/named_tensors.h"

namespace fovea {

// Names, types and shapes are read immediately, the data of an array on demand. The formats, and
// what numbers become, are those of load_arrays(), whose memory is that of all arrays together.
class FOVEA_API ArrayFile {
 public:
  struct Entry {
    std::string name;
    Shape shape;
    bool is_tensor = true;  // false: integers or truth values
  };
  explicit ArrayFile(const std::string& path);  // .npy, .npz, .safetensors or .json
  ArrayFile(ArrayFile&&) noexcept;
  ArrayFile& operator=(ArrayFile&&) noexcept;
  ~ArrayFile();

  const std::vector<Entry>& entries() const { return entries_; }
  const std::string& source() const { return source_; }  // for messages: "[npz] in.npz"

  // Throws Error if there is no array of this name. Integers become floats (see to_tensor).
  Tensor tensor(std::string_view name) const;
  // A text beside the arrays (see NamedArrays::metadata); "" if there is none.
  std::string text(const std::string& name) const;
  NamedArrays all() const;  // everything, as load_arrays() gives it

 private:
  class Format;

  std::string source_;
  std::vector<Entry> entries_;
  std::unique_ptr<Format> format_;
};

}  // namespace fovea
