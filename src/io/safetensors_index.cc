#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/fail.h"
#include "io/json.h"
#include "io/little_endian.h"
#include "io/messages.h"
#include "io/safetensors_format.h"

namespace fovea {
namespace {

constexpr std::uint64_t kHeaderLimit = 100'000'000;  // of the format
constexpr std::size_t kLengthSize = 8;

std::optional<DType> dtype_of(std::string_view text) {
  constexpr std::pair<std::string_view, DType> kKnown[] = {
      {"F16", DType::f16},      {"BF16", DType::bf16}, {"F32", DType::f32}, {"F64", DType::f64},
      {"BOOL", DType::boolean}, {"I8", DType::i8},     {"I16", DType::i16}, {"I32", DType::i32},
      {"I64", DType::i64},      {"U8", DType::u8},     {"U16", DType::u16}, {"U32", DType::u32},
      {"U64", DType::u64}};
  for (const auto& [name, dtype] : kKnown) {
    if (name == text) return dtype;
  }
  return std::nullopt;
}

std::string header_text(const ByteSource& file) {
  const std::string& where = file.where();
  if (file.size() < kLengthSize) {
    fail("{}: has {} bytes, too short for a safetensors header", where, file.size());
  }
  const auto length = little_endian<std::uint64_t>(file.bytes(0, kLengthSize), 0);
  if (length > kHeaderLimit) {
    fail("{}: the header claims {} bytes, the limit is {}: not a safetensors file?", where, grouped(length),
         grouped(kHeaderLimit));
  }
  if (length > file.size() - kLengthSize) {
    fail("{}: the header claims {} bytes, the file has only {} after its length", where, grouped(length),
         grouped(file.size() - kLengthSize));
  }
  if (length == 0 || file.bytes(kLengthSize, 1) != "{")
    fail("{}: the header should start with '{{'", where);
  return file.bytes(kLengthSize, static_cast<std::size_t>(length));
}

const Json& member(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) fail("{}: {} is missing", where, key);
  return *found;
}

// A list of integers from 0 to 2^63 − 1.
std::vector<Index> sizes(const Json& list, const char* what, const std::string& where) {
  if (!list.is_array()) fail("{}: {} should be a list, is {}", where, what, list.type_name());
  std::vector<Index> values;
  for (const Json& item : list) {
    if (!item.is_number_unsigned() ||
        item.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
      fail("{}: {} should hold sizes, has {}", where, what, in_quotes(item.dump()));
    }
    values.push_back(item.get<Index>());
  }
  return values;
}

struct Range {
  std::uint64_t begin = 0, end = 0;
};

Range read_entry(const Json& info, std::uint64_t data_size, const std::string& where, RawArray& raw) {
  if (!info.is_object()) fail("{}: should be an object, is {}", where, info.type_name());
  const Json& dtype_text = member(info, "dtype", where);
  const std::optional<DType> dtype =
      dtype_text.is_string() ? dtype_of(dtype_text.get_ref<const std::string&>()) : std::nullopt;
  if (!dtype) {
    fail("{}: unsupported dtype {}; supported: F16, BF16, F32, F64, BOOL, I8 to I64 and U8 to U64", where,
         dtype_text.is_string() ? in_quotes(dtype_text.get_ref<const std::string&>())
                                : dtype_text.type_name());
  }
  raw.dtype = *dtype;
  raw.shape = checked_shape(sizes(member(info, "shape", where), "shape", where), where);

  const std::vector<Index> offsets = sizes(member(info, "data_offsets", where), "data_offsets", where);
  if (offsets.size() != 2) fail("{}: data_offsets should be two numbers, got {}", where, offsets.size());
  const Range range = {static_cast<std::uint64_t>(offsets[0]), static_cast<std::uint64_t>(offsets[1])};
  if (range.begin > range.end || range.end > data_size) {
    fail("{}: data_offsets {} to {} are outside the {} bytes of data", where, grouped(range.begin),
         grouped(range.end), grouped(data_size));
  }
  if (range.end - range.begin != raw.byte_count()) {
    fail("{}: expected {} bytes of data for shape {} of {}, data_offsets span {}", where,
         grouped(raw.byte_count()), raw.shape.to_string(), dtype_text.get_ref<const std::string&>(),
         grouped(range.end - range.begin));
  }
  return range;
}

void read_metadata(const Json& object, const std::string& where,
                   std::map<std::string, std::string>& metadata) {
  if (!object.is_object()) fail("{}: __metadata__ should be an object, is {}", where, object.type_name());
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) {
      fail("{}: __metadata__ should hold strings, {} is {}", where, in_quotes(key), value.type_name());
    }
    metadata[key] = value.get<std::string>();
  }
}

}  // namespace

SafetensorsIndex index_safetensors(const ByteSource& file) {
  const std::string& where = file.where();
  const std::string text = header_text(file);
  const std::uint64_t data_begin = kLengthSize + text.size(), data_size = file.size() - data_begin;
  const Json header = parse_json(text, where + ": header", {.max_depth = 8, .unique_keys = true});

  SafetensorsIndex index;
  std::vector<std::pair<Range, SafetensorsIndex::Entry>> found;
  for (const auto& [name, info] : header.items()) {
    if (name == "__metadata__") {
      read_metadata(info, where, index.metadata);
      continue;
    }
    found.emplace_back(Range{}, SafetensorsIndex::Entry{name, {}});
    found.back().first = read_entry(info, data_size, fmt::format("{}: tensor {}", where, in_quotes(name)),
                                    found.back().second.raw);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.begin, a.first.end) < std::pair(b.first.begin, b.first.end);
  });
  std::uint64_t covered = 0;
  for (auto& [range, entry] : found) {
    if (range.begin != covered) {
      fail("{}: tensor {} starts at byte {} of the data, {} before it; expected {}", where,
           in_quotes(entry.name), grouped(range.begin), range.begin < covered ? "an overlap" : "a hole",
           grouped(covered));
    }
    covered = range.end;
    entry.raw.source = &file;
    entry.raw.begin = data_begin + range.begin;
    index.entries.push_back(std::move(entry));
  }
  if (covered != data_size) {
    fail("{}: the tensors take {} bytes of data, the file has {}", where, grouped(covered),
         grouped(data_size));
  }
  return index;
}

}  // namespace fovea
