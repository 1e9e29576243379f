#include "fovea/npy.h"

#include "core/fail.h"
#include "fovea/named_tensors.h"
#include "io/file_writer.h"
#include "io/npy_format.h"

namespace fovea {
namespace {

std::variant<Tensor, Ids> load(const std::string& path) {
  const InputFile file(path, "npy");
  return decode(parse_npy(file, file.where()), file.where());
}

void save(const std::string& path, std::string_view dtype, const Shape& shape, std::string_view bytes) {
  write_file_atomically(path, [&](FileWriter& writer) {
    writer.write(npy_header(dtype, shape));
    writer.write(bytes);
  });
}

}  // namespace

Tensor load_npy(const std::string& path) {
  std::variant<Tensor, Ids> array = load(path);
  if (auto* tensor = std::get_if<Tensor>(&array)) return std::move(*tensor);
  try {
    return to_tensor(std::get<Ids>(array));
  } catch (const Error& error) {
    fail("[npy] {}: expected floats, got integers: {}", path, error.what());
  }
}

Ids load_npy_ids(const std::string& path) {
  std::variant<Tensor, Ids> array = load(path);
  if (auto* ids = std::get_if<Ids>(&array)) return std::move(*ids);
  fail("[npy] {}: expected integers, the file has floats", path);
}

void save_npy(const std::string& path, ConstView tensor) {
  if (tensor.shape().rank() == 0) fail("[npy] {}: nothing to write: the tensor is empty", path);
  if (tensor.is_contiguous()) {
    const auto length = static_cast<std::size_t>(tensor.shape().elements()) * sizeof(float);
    return save(path, kNpyFloat, tensor.shape(), {reinterpret_cast<const char*>(tensor.data()), length});
  }
  save(path, kNpyFloat, tensor.shape(), bytes_of(Tensor::copy_of(tensor)));
}

void save_npy(const std::string& path, const Ids& ids) {
  if (ids.shape().rank() == 0) fail("[npy] {}: nothing to write: there are no ids", path);
  save(path, kNpyIds, ids.shape(), bytes_of(ids));
}

}  // namespace fovea
