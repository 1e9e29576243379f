#include "fovea/npy_rows.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/fail.h"
#include "fovea/named_tensors.h"
#include "io/npy_format.h"
#include "io/temporary_file.h"

namespace fovea {
namespace {

// [.., N, W] as `matrices` of N × W.
struct Matrices {
  explicit Matrices(const Shape& shape) : rows(shape.back(1)), width(shape.back()) {
    for (int axis = 0; axis + 2 < shape.rank(); ++axis) count *= shape[axis];
  }
  Index count = 1, rows, width;
};

Shape with_other_rows(const Shape& shape, Index rows) {
  std::vector<Index> extents;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    extents.push_back(axis == shape.rank() - 2 ? rows : shape[axis]);
  }
  return Shape(extents);
}

void write_at(int descriptor, const char* bytes, std::size_t count, std::uint64_t at,
              const std::string& where) {
  while (count > 0) {
    const ssize_t written = ::pwrite(descriptor, bytes, count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("{}: cannot write the file: {}", where, std::strerror(errno));
    bytes += written;
    at += static_cast<std::uint64_t>(written);
    count -= static_cast<std::size_t>(written);
  }
}

void check_target(const std::string& path, const std::string& where) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) fail("{}: cannot write the file: it is not a regular file", where);
  if ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || ::access(path.c_str(), W_OK) != 0) {
    fail("{}: cannot write the file: it is read-only", where);
  }
}

}  // namespace

struct NpyRows::Inside {
  explicit Inside(const std::string& path) : file(path, "npy"), array(parse_npy(file, file.where())) {}
  InputFile file;
  RawArray array;
};

NpyRows::NpyRows(const std::string& path) : inside_(std::make_unique<Inside>(path)) {
  const RawArray& array = inside_->array;
  if (array.shape.rank() < 2) {
    fail("{}: the shape is {}, expected [.., rows, width]", inside_->file.where(), array.shape.to_string());
  }
  if (array.fortran_order) {
    fail("{}: the array is in Fortran order, expected C order: rows are read one by one",
         inside_->file.where());
  }
}
NpyRows::~NpyRows() = default;

const Shape& NpyRows::shape() const { return inside_->array.shape; }

Tensor NpyRows::rows(Index begin, Index end) const {
  const Matrices all(shape());
  const std::string& where = inside_->file.where();
  if (begin < 0 || begin > end || end > all.rows) {
    fail("{}: no rows {} .. {}: there are {}", where, begin, end, all.rows);
  }
  Tensor result = Tensor::uninitialized(with_other_rows(shape(), end - begin));
  if (result.shape().elements() == 0) return result;
  RawArray some = inside_->array;
  some.shape = {end - begin, all.width};
  for (Index matrix = 0; matrix < all.count; ++matrix) {
    const auto skipped = static_cast<std::uint64_t>((matrix * all.rows + begin) * all.width);
    some.begin = inside_->array.begin + skipped * size_of(some.dtype);
    std::variant<Tensor, Ids> values = decode(some, where);
    const Tensor floats = std::holds_alternative<Tensor>(values) ? std::move(std::get<Tensor>(values))
                                                                 : to_tensor(std::get<Ids>(values));
    std::copy_n(floats.data(), floats.shape().elements(),
                result.data() + matrix * floats.shape().elements());
  }
  return result;
}

struct NpyRowsWriter::Inside {
  Inside(const std::string& target, const std::string& temporary, const Shape& extents)
      : path(target), name(temporary), where("[npy] " + target), shape(extents), unfinished(temporary) {}

  std::string path, name, where;
  Shape shape;
  std::uint64_t data_begin = 0;
  UnfinishedName unfinished;
  std::unique_ptr<TemporaryFile> made;  // by its maker
  std::unique_ptr<Descriptor> joined;   // by the others
  int descriptor() const {
    if (!made && !joined) fail("{}: cannot be written before it is made or joined", where);
    return made ? made->descriptor() : joined->get();
  }
};

std::string NpyRowsWriter::choose_name(const std::string& path) {
  return TemporaryFile::new_name(path).string();
}

NpyRowsWriter::NpyRowsWriter(const std::string& path, const std::string& temporary, const Shape& shape)
    : inside_(std::make_unique<Inside>(path, temporary, shape)) {
  if (shape.rank() < 2)
    fail("{}: the shape is {}, expected [.., rows, width]", inside_->where, shape.to_string());
  inside_->data_begin = npy_header(kNpyFloat, shape).size();
}
NpyRowsWriter::~NpyRowsWriter() = default;

void NpyRowsWriter::make() {
  check_target(inside_->path, inside_->where);
  inside_->made = std::make_unique<TemporaryFile>(inside_->path, inside_->where, inside_->name);
  const std::string header = npy_header(kNpyFloat, inside_->shape);
  write_at(inside_->descriptor(), header.data(), header.size(), 0, inside_->where);
  const auto size = header.size() + static_cast<std::uint64_t>(inside_->shape.elements()) * sizeof(float);
  // Room for all of it now: a disk that is too full is noticed before anybody writes.
  const int error =
      ::posix_fallocate(inside_->descriptor(), 0, static_cast<off_t>(std::max<std::uint64_t>(size, 1)));
  if (error != 0) fail("{}: cannot write {} bytes: {}", inside_->where, size, std::strerror(error));
}

void NpyRowsWriter::join() {
  inside_->joined = std::make_unique<Descriptor>(::open(inside_->name.c_str(), O_WRONLY | O_CLOEXEC));
  if (inside_->joined->get() < 0) {
    fail("{}: cannot open {}, which another process made: {}; do all machines see this folder?",
         inside_->where, inside_->name, std::strerror(errno));
  }
}

void NpyRowsWriter::write(Index first, ConstView rows) {
  const Matrices all(inside_->shape);
  const Shape expected =
      with_other_rows(inside_->shape, rows.shape().rank() < 2 ? 0 : rows.shape().back(1));
  const Index count = expected.back(1);
  if (!(rows.shape() == expected) || first < 0 || first > all.rows - count) {
    fail("{}: rows {} from row {} on do not fit {}", inside_->where, rows.shape().to_string(), first,
         inside_->shape.to_string());
  }
  const Tensor floats = Tensor::copy_of(rows);
  const auto bytes = static_cast<std::size_t>(count * all.width) * sizeof(float);
  for (Index matrix = 0; matrix < all.count; ++matrix) {
    const auto skipped =
        static_cast<std::uint64_t>((matrix * all.rows + first) * all.width) * sizeof(float);
    write_at(inside_->descriptor(),
             reinterpret_cast<const char*>(floats.data() + matrix * count * all.width), bytes,
             inside_->data_begin + skipped, inside_->where);
  }
}

void NpyRowsWriter::flush() {
  if (::fsync(inside_->descriptor()) != 0 && errno != EINVAL) {
    fail("{}: cannot be flushed to disk: {}", inside_->where, std::strerror(errno));
  }
}

void NpyRowsWriter::finish() {
  if (!inside_->made) fail("{}: only the process that made the file finishes it", inside_->where);
  inside_->made->move_to_target();
}

}  // namespace fovea
