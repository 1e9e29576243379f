#include "io/npy_texts.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/little_endian.h"
#include "io/messages.h"
#include "io/npy_format.h"

namespace fovea {
namespace {

// One text of `length` code points, filled with zeros at its end.
std::string text_of_utf32(std::string_view data, bool big_endian, const std::string& where) {
  std::string text;
  for (std::size_t at = 0; at < data.size(); at += 4) {
    auto value = little_endian<std::uint32_t>(data, at);
    if (big_endian) value = __builtin_bswap32(value);
    if (value == 0) break;
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
      fail("{}: U+{:X} is not a character", where, value);
    }
    text += encode_utf8(static_cast<char32_t>(value));
  }
  return text;
}

std::string text_of_bytes(std::string_view data, const std::string& where) {
  const std::string_view text = data.substr(0, data.find('\0'));
  if (!is_utf8(text)) fail("{}: the text {} is not UTF-8", where, in_quotes(text));
  return std::string(text);
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    points += point.value;
    at += point.bytes;
  }
  return points;
}

}  // namespace

bool is_npy_texts(const NpyLiteral& literal) {
  const std::string& descr = literal.descr;  // "<U12", "|S12"
  return descr.size() >= 3 && (descr[1] == 'U' || descr[1] == 'S');
}

NpyTextLayout npy_text_layout(const NpyLiteral& literal, std::uint64_t data_size,
                              const std::string& where) {
  const std::string& descr = literal.descr;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
  if (error != std::errc{} || end != descr.data() + descr.size() || length > (1U << 20)) {
    fail("{}: unsupported dtype {}", where, in_quotes(descr));
  }
  const auto count = static_cast<std::uint64_t>(checked_shape(literal.extents, where).elements());
  const std::uint64_t size = descr[1] == 'U' ? 4 * length : length;
  // Texts of length 0 take no bytes: their number must not become an allocation of any size.
  constexpr std::uint64_t kMostEmpty = 1024;
  if (count > data_size + kMostEmpty || count * size != data_size) {
    fail("{}: expected {} strings of {}, the file has {} bytes of data", where, grouped(count), descr,
         grouped(data_size));
  }
  return {count, size};
}

std::vector<std::string> read_npy_texts(const NpyLiteral& literal, const NpyTextLayout& layout,
                                        ByteReader& data, const std::string& where) {
  std::vector<std::string> texts;
  std::string one(static_cast<std::size_t>(layout.size), '\0');
  for (std::uint64_t i = 0; i < layout.count; ++i) {
    data.read(one.data(), one.size());
    texts.push_back(literal.descr[1] == 'U' ? text_of_utf32(one, literal.descr[0] == '>', where)
                                            : text_of_bytes(one, where));
  }
  return texts;
}

NpyTexts npy_texts(const NamedTexts& texts, const std::string& where) {
  if (texts.shape.rank() < 1 || texts.shape.elements() != static_cast<Index>(texts.values.size())) {
    fail("{}: {} has {} strings for shape {}", where, in_quotes(texts.name), texts.values.size(),
         texts.shape.to_string());
  }
  std::vector<std::u32string> fields;
  std::size_t longest = 1;  // NumPy has no fields without length
  for (const std::string& text : texts.values) {
    fields.push_back(code_points(text));
    longest = std::max(longest, fields.back().size());
  }
  // Every field is as long as the longest text: one giant among thousands makes gigabytes of zeros.
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  if (longest > kMostBytes / sizeof(char32_t) / std::max<std::size_t>(1, fields.size())) {
    fail(
        "{}: {} has {} strings, the longest of {} characters: stored as NumPy strings they would take "
        "more than {} bytes; use .safetensors or .json",
        where, in_quotes(texts.name), grouped(fields.size()), grouped(longest), grouped(kMostBytes));
  }
  NpyTexts npy{npy_header(fmt::format("<U{}", longest), texts.shape), ""};
  npy.data.reserve(4 * longest * fields.size());
  for (std::u32string& field : fields) {
    field.resize(longest);
    for (const char32_t point : field) append_little_endian(npy.data, static_cast<std::uint32_t>(point));
  }
  return npy;
}

}  // namespace fovea
