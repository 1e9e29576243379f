// Zip archives, as far as .npz files need them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.h"

namespace fovea {

struct ZipEntry {
  std::string name;  // UTF-8
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint32_t size = 0;         // after inflating
  std::uint32_t stored_size = 0;  // in the archive,
  std::uint64_t begin = 0;        // from this byte on
};

// The entries of the archive's directory, in its order, with their data located and checked for overlaps.
// Throws Error "<where>: ..": zip64, encryption, archives of several disks and other compressions are
// refused.
std::vector<ZipEntry> read_zip(const ByteSource& archive, const std::string& where);

// The content of an entry, inflated as it is read: some 100 KiB of memory, whatever its size.
class ZipEntryReader final : public ByteReader {
 public:
  // All three must outlive this.
  ZipEntryReader(const ByteSource& archive, const ZipEntry& entry, const std::string& where);
  ~ZipEntryReader() override;
  ZipEntryReader(const ZipEntryReader&) = delete;
  ZipEntryReader& operator=(const ZipEntryReader&) = delete;

  void read(char* to, std::size_t count) override;
  void finish();  // throws Error unless exactly everything was read and the check sum is right

 private:
  struct Inflating;
  void fill();
  std::size_t inflate_some(char* to, std::size_t count);
  [[noreturn]] void damaged(std::uint64_t inflated) const;

  const ByteSource& archive_;
  const ZipEntry& entry_;
  const std::string& where_;
  std::uint64_t stored_read_ = 0, read_ = 0;
  unsigned long crc_;
  std::unique_ptr<Inflating> inflating_;  // null: the entry is stored as it is
};

}  // namespace fovea
