// Zip archives, as far as .npz files need them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct ZipEntry {
  std::string name;  // UTF-8
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint32_t size = 0;      // after inflating
  std::string_view data = {};  // as stored, within the archive
};

// The entries of the archive's directory, in its order, with their data located and checked for overlaps.
// Throws Error "<where>: ..": zip64, encryption, archives of several disks and other compressions are
// refused.
std::vector<ZipEntry> read_zip(std::string_view archive, const std::string& where);

// The entry's content, with its check sum verified: its own bytes where they were stored, otherwise
// inflated into `buffer`, which must live as long as the result is used.
std::string_view zip_content(const ZipEntry& entry, std::string& buffer, const std::string& where);

}  // namespace fovea
