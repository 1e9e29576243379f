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
      fail("{}: U+{:X} is no character", where, value);
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

std::optional<std::vector<std::string>> parse_npy_texts(std::string_view bytes, const std::string& where) {
  const auto [literal, data_begin] = parse_npy_header(bytes, where);
  const std::string& descr = literal.descr;  // "<U12", "|S12"
  if (descr.size() < 3 || (descr[1] != 'U' && descr[1] != 'S')) return std::nullopt;
  const bool wide = descr[1] == 'U';
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
  if (error != std::errc{} || end != descr.data() + descr.size() || length > (1U << 20)) {
    fail("{}: dtype {} is not read", where, in_quotes(descr));
  }
  const auto count = static_cast<std::uint64_t>(checked_shape(literal.extents, where).elements());
  const std::uint64_t size = wide ? 4 * length : length;
  const std::string_view data = bytes.substr(data_begin);
  // Texts of length 0 take no bytes: their number must not become an allocation of any size.
  if (count > bytes.size() + 1 || count * size != data.size()) {
    fail("{}: {} texts of {} expected, the file has {} bytes of data", where, grouped(count), descr,
         grouped(data.size()));
  }
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view one =
        data.substr(static_cast<std::size_t>(i * size), static_cast<std::size_t>(size));
    texts.push_back(wide ? text_of_utf32(one, descr[0] == '>', where) : text_of_bytes(one, where));
  }
  return texts;
}

NpyTexts npy_texts(const NamedTexts& texts, const std::string& where) {
  if (texts.shape.rank() < 1 || texts.shape.elements() != static_cast<Index>(texts.values.size())) {
    fail("{}: {} has {} texts for shape {}", where, in_quotes(texts.name), texts.values.size(),
         texts.shape.to_string());
  }
  std::vector<std::u32string> fields;
  std::size_t longest = 1;  // NumPy has no fields without length
  for (const std::string& text : texts.values) {
    fields.push_back(code_points(text));
    longest = std::max(longest, fields.back().size());
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
