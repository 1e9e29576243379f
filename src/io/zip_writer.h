// Zip archives of stored (not compressed) entries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file_writer.h"

namespace fovea {

class ZipWriter {
 public:
  ZipWriter(FileWriter& file, const std::string& where) : file_(file), where_(where) {}

  // One entry of two pieces, a header and its data. Throws Error if the archive would reach 4 GiB.
  void add(std::string_view name, std::string_view header, std::string_view data);
  void finish();  // writes the directory

 private:
  FileWriter& file_;
  const std::string& where_;
  std::string directory_;
  unsigned entries_ = 0;
};

}  // namespace fovea
