// The tensors of a model's files by name, located and not yet read.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "io/raw_array.h"

namespace fovea {

class WeightFiles {
 public:
  explicit WeightFiles(std::string where) : where_(std::move(where)) {}

  // All tensors of a safetensors file. Throws Error if a name is there already.
  void add_safetensors(const std::string& path);
  // The files that a model.safetensors.index.json names, which lie beside it; each must hold the tensors
  // that the index expects in it.
  void add_sharded(const std::string& index_path);
  // A file in another format: its tensors are then given one by one.
  const ByteSource& add_file(const std::string& path, std::string_view format);
  void add(const std::string& name, const RawArray& raw);

  const RawArray* find(const std::string& name) const;  // null if there is none
  const std::map<std::string, RawArray>& tensors() const { return tensors_; }
  const std::string& where() const { return where_; }  // "[model] minilm", for messages

 private:
  std::string where_;
  std::vector<std::unique_ptr<InputFile>> files_;
  std::map<std::string, RawArray> tensors_;
};

// The index of a sharded model: tensor → name of its file. Throws Error "<where>: .." for anything that is
// not a plain file name.
std::map<std::string, std::string> parse_shard_index(std::string_view text, const std::string& where);

}  // namespace fovea
