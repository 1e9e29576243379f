// Named tensors and ids: what .npz and .safetensors files hold.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/tensor.h"

namespace fovea {

// Arrays in order, each under its own name: numbers as Tensor (float32), integers and truth values as Ids
// (int64). `source` goes into messages: "[npz] in.npz".
class FOVEA_API NamedArrays {
 public:
  struct Entry {
    std::string name;
    std::variant<Tensor, Ids> array;

    bool is_tensor() const { return array.index() == 0; }
    const Shape& shape() const;
  };

  explicit NamedArrays(std::string source = "[arrays]") : source_(std::move(source)) {}

  // Throws Error if the name is taken or the array is the empty Tensor() or Ids().
  void add(std::string name, Tensor tensor);
  void add(std::string name, Ids ids);

  // Throws Error, naming what there is, if the name is not there or is of the other kind.
  const Tensor& tensor(std::string_view name) const;
  const Ids& ids(std::string_view name) const;
  bool contains(std::string_view name) const;
  std::vector<std::string> names() const;

  std::size_t size() const { return entries_.size(); }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  // Texts beside the arrays: "__metadata__" of safetensors, arrays of texts in an npz, texts and lists of
  // texts in JSON. A list is itself JSON: ["a", "b"]. Only safetensors keeps them when written.
  std::map<std::string, std::string>& metadata() { return metadata_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  const std::string& source() const { return source_; }

 private:
  void add(Entry entry);
  const Entry& find(std::string_view name) const;

  std::string source_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> positions_;  // name → place in entries_
  std::map<std::string, std::string> metadata_;
};

// The format follows from the extension: .npy (one array, named after the file: q.npy holds "q"), .npz,
// .safetensors, or .json up to 256 MiB (nested lists: {"weights": [[1, 0], ..], "tokens": ["a", ..]}, or a
// bare list, named after the file). Files are read as untrusted input: whatever is wrong with one is an
// Error.
//
// float16, bfloat16 (safetensors) and float32 become float32 exactly, float64 is rounded to float32;
// integers of every width and truth values become Ids. Rank 0 becomes shape [1]; rank over 5 is an Error.
FOVEA_API NamedArrays load_arrays(const std::string& path);

// Written as float32 and int64, completely or not at all (see write_file). A .npy takes exactly one array;
// .json is only read.
FOVEA_API void save_arrays(const std::string& path, const NamedArrays& arrays);

// The same integers as float32. Throws Error beyond ±2^24, where float32 has gaps.
FOVEA_API Tensor to_tensor(const Ids& ids);

}  // namespace fovea
