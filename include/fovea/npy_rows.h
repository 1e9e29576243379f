// Rows of large .npy files: read a few of them, or written by several processes into one file.
#pragma once

#include <memory>
#include <string>

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {

// An array [.., N, W] in C order, of any type that load_npy reads. The header is read and checked against
// the length of the file; of the data, only the rows asked for.
class FOVEA_API NpyRows {
 public:
  explicit NpyRows(const std::string& path);  // throws Error, also for Fortran order and rank 1
  ~NpyRows();
  NpyRows(const NpyRows&) = delete;
  NpyRows& operator=(const NpyRows&) = delete;

  const Shape& shape() const;
  // Rows [begin, end) of every matrix: [.., end − begin, W]. Throws Error if there are not so many.
  Tensor rows(Index begin, Index end) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// A new file [.., N, W] of float32 that several processes write. One chooses a temporary name in the folder
// of `path` and tells it to all; when all know it, the first makes the file, the others join; when all have
// written, the first puts it at `path`. If that never happens nothing is left: not when the maker's writer
// is destroyed, nor when any one of the processes ends by a signal and calls remove_unfinished_files(),
// whatever became of the others.
class FOVEA_API NpyRowsWriter {
 public:
  static std::string choose_name(const std::string& path);  // another one each time
  // Knows the name from now on; no file is touched.
  NpyRowsWriter(const std::string& path, const std::string& temporary, const Shape& shape);
  ~NpyRowsWriter();
  NpyRowsWriter(const NpyRowsWriter&) = delete;
  NpyRowsWriter& operator=(const NpyRowsWriter&) = delete;

  void make();  // one process, when all have their writers
  void join();  // the others, when it is made
  // rows [.., n, W], any strides, from row `first` on.
  void write(Index first, ConstView rows);
  void flush();   // to the disk: everybody calls it after the last write
  void finish();  // the maker, after all have flushed: the file is at its place

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace fovea
