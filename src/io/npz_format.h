// The .npz format.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/named_tensors.h"
#include "io/npy_literal.h"
#include "io/raw_array.h"
#include "io/zip_reader.h"

namespace fovea {

// An archive whose names, types and shapes are read, and whose data are inflated only when they are asked
// for. Throws Error "<where>: .." for what is not as it should be: a shape that does not fit the size, a
// name that is there twice.
class NpzArchive {
 public:
  struct Entry {
    std::string name;  // without .npy
    ZipEntry zip;
    NpyLiteral literal;
    std::uint64_t data_begin = 0;
    bool is_texts = false;
    RawArray raw = {};  // unless is_texts
  };

  explicit NpzArchive(const ByteSource& file);  // which must outlive this

  const std::vector<Entry>& entries() const { return entries_; }
  std::variant<Tensor, Ids> array(const Entry& entry);
  std::vector<std::string> texts(const Entry& entry);
  NamedArrays all();

 private:
  std::string where_of(const ZipEntry& entry) const;
  Entry read_header(const ZipEntry& zip) const;
  void count_growth(const Entry& entry, std::uint64_t memory);

  const ByteSource& file_;
  std::vector<Entry> entries_;
  std::uint64_t grown_ = 0;  // memory taken by entries that are far smaller in the file
};

// Throws Error "<where>: ..".
NamedArrays parse_npz(std::string_view bytes, const std::string& where);

}  // namespace fovea
