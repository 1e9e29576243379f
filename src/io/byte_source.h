// Bytes of untrusted files, read by copying.
//
// Nothing is mapped: a file that another process cuts short while it is mapped ends the program by a
// signal; while it is read, that is an Error as any other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/descriptor.h"

namespace fovea {

// A known number of bytes, read at any place. Safe to read from several threads at once.
class ByteSource {
 public:
  ByteSource(std::string where, std::uint64_t size) : where_(std::move(where)), size_(size) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Exactly `count` bytes from byte `at` on, which the caller knows to be within size(). Throws Error if
  // they cannot be read.
  virtual void read(std::uint64_t at, char* to, std::size_t count) const = 0;
  std::string bytes(std::uint64_t at, std::size_t count) const;

  std::uint64_t size() const { return size_; }
  const std::string& where() const { return where_; }  // "[npy] q.npy", for messages

 private:
  std::string where_;
  std::uint64_t size_;
};

// A regular file of at least one byte; throws Error "[npy] q.npy: .." for missing files, directories,
// pipes, devices and empty files. `format` is the name in the brackets.
class InputFile final : public ByteSource {
 public:
  InputFile(const std::string& path, std::string_view format);
  void read(std::uint64_t at, char* to, std::size_t count) const override;

 private:
  struct Opened {
    int descriptor;
    std::uint64_t size;
    std::string where;
  };
  static Opened open(const std::string& path, std::string_view format);
  explicit InputFile(Opened opened);

  Descriptor file_;
};

// Bytes in memory, which must outlive this.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::string where)
      : ByteSource(std::move(where), bytes.size()), bytes_(bytes) {}
  void read(std::uint64_t at, char* to, std::size_t count) const override;

 private:
  std::string_view bytes_;
};

// Bytes in their order, from wherever they come.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  virtual void read(char* to, std::size_t count) = 0;  // exactly `count`, or throws Error
};

// From one place of a source on.
class SourceReader final : public ByteReader {
 public:
  SourceReader(const ByteSource& source, std::uint64_t at) : source_(source), at_(at) {}
  void read(char* to, std::size_t count) override {
    source_.read(at_, to, count);
    at_ += count;
  }

 private:
  const ByteSource& source_;
  std::uint64_t at_;
};

}  // namespace fovea
