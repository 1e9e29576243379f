#include "io/tar_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {
inline namespace internal {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kLongestName = std::uint64_t{1} << 20;  // and pax headers
constexpr std::uint64_t kLargestMember = std::uint64_t{1} << 50;

using Block = std::array<char, kBlock>;

// A field of the header, up to its first zero byte.
std::string_view tar_text(const Block& block, std::size_t at, std::size_t length) {
  const std::string_view field(block.data() + at, length);
  return field.substr(0, field.find('\0'));
}

// Octal digits, or with the first bit set, big-endian bytes.
std::uint64_t tar_number(const Block& block, std::size_t at, std::size_t length, const std::string& where) {
  std::uint64_t value = 0;
  if ((static_cast<unsigned char>(block[at]) & 0x80) != 0) {
    for (std::size_t i = 1; i < length; ++i) {
      if (value > kLargestMember) fail("{}: a tar header has a number that is too large", where);
      value = value << 8 | static_cast<unsigned char>(block[at + i]);
    }
    return value;
  }
  std::string_view digits = tar_text(block, at, length);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  if (digits.empty()) return 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail("{}: a tar header has {} where an octal number is expected", where, in_quotes(digits));
  }
  return value;
}

constexpr std::size_t kSumAt = 148, kSumLength = 8;

bool has_right_sum(const Block& block, const std::string& where) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kSumAt && i < kSumAt + kSumLength;
    sum += own ? std::uint64_t{' '} : static_cast<unsigned char>(block[i]);
  }
  return sum == tar_number(block, kSumAt, kSumLength, where);
}

// "27 path=aclImdb/..\n": the value of a record of a pax header, "" if there is none.
std::string pax_value(std::string_view records, std::string_view key, const std::string& where) {
  std::string value;
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (error != std::errc() || length <= digits + 1 || length > records.size() || *end != ' ' ||
        records[length - 1] != '\n') {
      fail("{}: a pax header of the tar is damaged", where);
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with(key) && record.substr(key.size()).starts_with('=')) {
      value = record.substr(key.size() + 1);
    }
    records.remove_prefix(length);
  }
  return value;
}

}  // namespace

void TarReader::skip(std::uint64_t count) {
  std::array<char, 16 * kBlock> unused;
  while (count > 0) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, unused.size()));
    read_exactly(stream_, unused.data(), part);
    count -= part;
  }
}

// False at the end: a block of zeros, or no block at all.
bool TarReader::read_header(TarMember& member, char& type) {
  const std::string& where = stream_.where();
  Block block;
  const std::size_t got = stream_.read(block.data(), block.size());
  if (got == 0) return false;
  read_exactly(stream_, block.data() + got, block.size() - got);
  if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) return false;
  if (!has_right_sum(block, where)) fail("{}: a tar header has a wrong check sum", where);
  constexpr std::size_t kNameLength = 100, kSizeAt = 124, kTypeAt = 156, kMagicAt = 257, kPrefixAt = 345;
  member.name = tar_text(block, 0, kNameLength);
  const std::string_view prefix = tar_text(block, kPrefixAt, 155);
  if (tar_text(block, kMagicAt, 5) == "ustar" && block[kMagicAt + 5] == '\0' && !prefix.empty()) {
    member.name = fmt::format("{}/{}", prefix, member.name);
  }
  type = block[kTypeAt];
  member.size = tar_number(block, kSizeAt, 12, where);
  if (member.size > kLargestMember) fail("{}: a member of the tar is too large", where);
  const bool linked = type >= '1' && type <= '6';  // links, devices, folders: no content
  if (linked) member.size = 0;
  member.is_file = (type == '0' || type == '\0' || type == '7') && !member.name.ends_with('/');
  left_ = member.size;
  padding_ = (kBlock - member.size % kBlock) % kBlock;
  return true;
}

std::string TarReader::long_text(std::uint64_t size) {
  if (size > kLongestName) fail("{}: a name of the tar is too long", stream_.where());
  std::string text(static_cast<std::size_t>(size), '\0');
  read_exactly(stream_, text.data(), text.size());
  left_ = 0;
  return text;
}

bool TarReader::next(TarMember& member) {
  std::string name;
  while (true) {
    skip(left_ + padding_);
    left_ = padding_ = 0;
    char type = 0;
    if (!read_header(member, type)) return false;
    if (type == 'L') {  // GNU: the name of the next member
      name = long_text(member.size);
      name.resize(std::min(name.find('\0'), name.size()));
    } else if (type == 'x') {  // pax: more about the next member
      const std::string records = long_text(member.size);
      if (!pax_value(records, "size", stream_.where()).empty()) {
        fail("{}: the tar has members beyond 8 GB", stream_.where());
      }
      if (std::string path = pax_value(records, "path", stream_.where()); !path.empty()) {
        name = std::move(path);
      }
    } else if (type != 'g' && type != 'K') {  // not about all members, nor the target of a link
      if (!name.empty()) member.name = name;
      return true;
    }
  }
}

std::size_t TarReader::read(char* to, std::size_t count) {
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
  if (part == 0) return 0;
  const std::size_t got = stream_.read(to, part);
  if (got == 0) fail("{}: the tar ends too early", stream_.where());
  left_ -= got;
  return got;
}

}  // namespace internal
}  // namespace fovea
