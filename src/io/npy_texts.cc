#include "io/npy_texts.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/little_endian.h"
#include "io/messages.h"
#include "io/npy_format.h"

namespace fovea {
namespace {

// Code points of one field of dtype "<U12"; 0 if the dtype is another.
std::uint64_t field_length(std::string_view descr) {
  std::uint64_t length = 0;
  if (!descr.starts_with("<U")) return 0;
  const auto [rest, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
  return error == std::errc{} && rest == descr.data() + descr.size() ? length : 0;
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

bool is_scalar_value(std::uint32_t point) {
  return point < 0xD800 || (point > 0xDFFF && point <= 0x10FFFF);
}

}  // namespace

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

bool is_npy_texts(std::string_view bytes, const std::string& where) {
  return field_length(split_npy(bytes, where).literal.descr) > 0;
}

std::vector<std::string> parse_npy_texts(std::string_view bytes, const std::string& where) {
  const NpyContent content = split_npy(bytes, where);
  const std::uint64_t length = field_length(content.literal.descr);
  const auto count = static_cast<std::uint64_t>(checked_shape(content.literal.extents, where).elements());
  // Division, not a product: a length is anybody's number.
  if (length == 0 || content.data.size() % 4 != 0 ||
      (count == 0 ? !content.data.empty()
                  : content.data.size() / 4 / count != length || content.data.size() / 4 % count != 0)) {
    fail("{}: {} bytes do not hold {} texts of dtype {}", where, grouped(content.data.size()), count,
         in_quotes(content.literal.descr));
  }
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string text;
    std::size_t zeros = 0;
    for (std::uint64_t c = 0; c < length; ++c) {
      const auto point =
          little_endian<std::uint32_t>(content.data, static_cast<std::size_t>((i * length + c) * 4));
      if (point == 0) {
        ++zeros;
        continue;
      }
      text.append(std::exchange(zeros, 0), '\0');
      text += encode_utf8(is_scalar_value(point) ? static_cast<char32_t>(point) : U'\uFFFD');
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace fovea
