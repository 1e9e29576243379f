#include "fovea/named_tensors.h"

#include <string>

#include "core/fail.h"
#include "fovea/array_file.h"
#include "fovea/npy.h"
#include "fovea/npz.h"
#include "fovea/render.h"
#include "fovea/safetensors.h"
#include "io/file_format.h"
#include "io/messages.h"

namespace fovea {
const Shape& NamedArrays::Entry::shape() const {
  return std::visit([](const auto& value) -> const Shape& { return value.shape(); }, array);
}

void NamedArrays::add(std::string name, Tensor tensor) { add(Entry{std::move(name), std::move(tensor)}); }

void NamedArrays::add(std::string name, Ids ids) { add(Entry{std::move(name), std::move(ids)}); }

void NamedArrays::add(Entry entry) {
  if (entry.shape().rank() == 0) fail("{}: the array {} is empty", source_, in_quotes(entry.name));
  if (!positions_.emplace(entry.name, entries_.size()).second) {
    fail("{}: the name {} appears twice", source_, in_quotes(entry.name));
  }
  entries_.push_back(std::move(entry));
}

const NamedArrays::Entry& NamedArrays::find(std::string_view name) const {
  if (const auto found = positions_.find(std::string(name)); found != positions_.end()) {
    return entries_[found->second];
  }
  std::vector<std::string> known;
  for (const Entry& entry : entries_) known.push_back(in_quotes(entry.name));
  fail("{}: there is no array {}; there {}", source_, in_quotes(name),
       entries_.empty() ? "are none at all" : (entries_.size() == 1 ? "is " : "are ") + listed(known));
}

const Tensor& NamedArrays::tensor(std::string_view name) const {
  const auto* tensor = std::get_if<Tensor>(&find(name).array);
  if (tensor == nullptr) fail("{}: {} holds integers, expected floats", source_, in_quotes(name));
  return *tensor;
}

const Ids& NamedArrays::ids(std::string_view name) const {
  const auto* ids = std::get_if<Ids>(&find(name).array);
  if (ids == nullptr) fail("{}: {} holds floats, expected integers", source_, in_quotes(name));
  return *ids;
}

bool NamedArrays::contains(std::string_view name) const { return positions_.contains(std::string(name)); }

std::vector<std::string> NamedArrays::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

NamedArrays load_arrays(const std::string& path) { return ArrayFile(path).all(); }

void save_arrays(const std::string& path, const NamedArrays& arrays) {
  const FileFormat format = file_format(path);
  if (format == FileFormat::npz) return save_npz(path, arrays);
  if (format == FileFormat::safetensors) return save_safetensors(path, arrays);
  if (format == FileFormat::json)
    fail("[arrays] {}: unsupported extension, expected .npy, .npz or .safetensors", path);
  if (arrays.size() != 1) {
    fail("[npy] {}: an npy file holds one array, got {}; use .npz or .safetensors", path, arrays.size());
  }
  std::visit([&](const auto& array) { save_npy(path, array); }, arrays.begin()->array);
}

Tensor to_tensor(const Ids& ids) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 24;
  Tensor tensor = Tensor::uninitialized(ids.shape());
  for (std::size_t i = 0; i < ids.values().size(); ++i) {
    const std::int64_t value = ids.values()[i];
    if (value < -kLargest || value > kLargest) {
      fail("[to_tensor] {} is beyond ±2^24, where float32 does not hold every integer", value);
    }
    tensor.data()[i] = static_cast<float>(value);
  }
  return tensor;
}

}  // namespace fovea
