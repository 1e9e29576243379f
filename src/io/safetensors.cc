#include "fovea/safetensors.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/fail.h"
#include "core/half.h"
#include "io/file_writer.h"
#include "io/json.h"
#include "io/little_endian.h"
#include "io/safetensors_format.h"

namespace fovea {
namespace {

// An array as it will lie in the file.
struct StoredArray {
  const NamedArrays::Entry* entry;
  std::string_view dtype;
  std::size_t element;    // bytes
  std::string converted;  // the data, where its type is not that of the array

  std::string_view data() const {
    if (!converted.empty()) return converted;
    return std::visit([](const auto& array) { return bytes_of(array); }, entry->array);
  }
};

std::string to_half(const NamedArrays::Entry& entry, const std::string& where) {
  const auto* tensor = std::get_if<Tensor>(&entry.array);
  if (tensor == nullptr) fail("{}: {} holds integers, which cannot be stored as f16", where, entry.name);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(entry.shape().elements()) * 2);
  for (Index i = 0; i < entry.shape().elements(); ++i) {
    append_little_endian(bytes, float_to_half(tensor->data()[i]));
  }
  return bytes;
}

std::string to_bytes(const NamedArrays::Entry& entry, const std::string& where) {
  return std::visit(
      [&](const auto& array) {
        std::string bytes(static_cast<std::size_t>(entry.shape().elements()), '\0');
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          const auto value = array.data()[i];
          const bool fits = value >= 0 && value <= 255;
          const auto byte = static_cast<std::uint8_t>(fits ? value : 0);
          if (!fits || static_cast<std::remove_const_t<decltype(value)>>(byte) != value) {
            fail("{}: {} holds {}, but u8 stores whole numbers from 0 to 255", where, entry.name, value);
          }
          bytes[i] = static_cast<char>(byte);
        }
        return bytes;
      },
      entry.array);
}

// Wide elements before narrow ones; otherwise in their order.
std::vector<StoredArray> stored(const NamedArrays& arrays, const std::map<std::string, StoredType>& types,
                                const std::string& where) {
  std::vector<StoredArray> all;
  for (const NamedArrays::Entry& entry : arrays) {
    const auto type = types.find(entry.name);
    if (type == types.end()) {
      all.push_back({&entry, entry.is_tensor() ? "F32" : "I64", entry.is_tensor() ? 4u : 8u, {}});
    } else if (type->second == StoredType::f16) {
      all.push_back({&entry, "F16", 2, to_half(entry, where)});
    } else {
      all.push_back({&entry, "U8", 1, to_bytes(entry, where)});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const StoredArray& a, const StoredArray& b) { return a.element > b.element; });
  return all;
}

// The JSON header, padded with spaces to a multiple of 8 bytes, behind its length.
std::string header_of(const std::vector<StoredArray>& all,
                      const std::map<std::string, std::string>& metadata, const std::string& where) {
  std::string json = "{";
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      if (json.back() != '{') json += ',';
      json += json_string(key, where) + ":" + json_string(value, where);
    }
    json += '}';
  }
  std::size_t offset = 0;
  for (const StoredArray& array : all) {
    const NamedArrays::Entry* entry = array.entry;
    if (entry->name == "__metadata__") fail("{}: no array can have the name \"__metadata__\"", where);
    if (json.size() > 1) json += ',';
    const std::size_t end = offset + array.data().size();
    std::string shape = entry->shape().to_string();
    std::erase(shape, ' ');
    json += fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                        json_string(entry->name, where), array.dtype, shape, offset, end);
    offset = end;
  }
  json += '}';
  json.append((8 - json.size() % 8) % 8, ' ');
  std::string header;
  append_little_endian(header, std::uint64_t{json.size()});
  return header + json;
}

}  // namespace

NamedArrays decode_safetensors(SafetensorsIndex index, const std::string& where) {
  NamedArrays arrays(where);
  arrays.metadata() = std::move(index.metadata);
  for (const auto& [name, raw] : index.entries) {
    std::visit(
        [&arrays, &name = name](auto&& array) { arrays.add(name, std::forward<decltype(array)>(array)); },
        decode(raw, where));
  }
  return arrays;
}

NamedArrays parse_safetensors(std::string_view bytes, const std::string& where) {
  const MemorySource source(bytes, where);
  return decode_safetensors(index_safetensors(source), where);
}

NamedArrays load_safetensors(const std::string& path) {
  const InputFile file(path, "safetensors");
  return decode_safetensors(index_safetensors(file), file.where());
}

void save_safetensors(const std::string& path, const NamedArrays& arrays) {
  const std::string where = "[safetensors] " + path;
  const std::vector<StoredArray> all = stored(arrays, {}, where);
  const std::string header = header_of(all, arrays.metadata(), where);
  write_file_atomically(path, [&](FileWriter& file) {
    file.write(header);
    for (const StoredArray& array : all) file.write(array.data());
  });
}

std::string safetensors_bytes(const NamedArrays& arrays, const std::map<std::string, StoredType>& types) {
  const std::vector<StoredArray> all = stored(arrays, types, arrays.source());
  std::string bytes = header_of(all, arrays.metadata(), arrays.source());
  std::size_t size = bytes.size();
  for (const StoredArray& array : all) size += array.data().size();
  bytes.reserve(size);
  for (const StoredArray& array : all) bytes += array.data();
  return bytes;
}

}  // namespace fovea
