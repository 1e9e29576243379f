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

// A new file [.., N, W] of float32 that several processes write. One makes it, under a temporary name in
// the folder of `path`; the others join; when all have written, the first puts it at `path`. If that never
// happens nothing is left: not when it is destroyed, nor when a process that takes part ends by a signal
// and calls remove_unfinished_files().
class FOVEA_API NpyRowsWriter {
 public:
  NpyRowsWriter(const std::string& path, const Shape& shape);  // makes it
  static NpyRowsWriter join(const std::string& temporary,
                            const Shape& shape);  // temporary_name() of the maker
  ~NpyRowsWriter();
  NpyRowsWriter(NpyRowsWriter&&) noexcept;
  NpyRowsWriter& operator=(NpyRowsWriter&&) = delete;

  const std::string& temporary_name() const;
  // rows [.., n, W], any strides, from row `first` on.
  void write(Index first, ConstView rows);
  void flush();   // to the disk: everybody calls it after the last write
  void finish();  // the maker, after all have flushed: the file is at its place

 private:
  struct Inside;
  explicit NpyRowsWriter(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace fovea
