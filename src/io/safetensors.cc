#include "fovea/safetensors.h"

#include "core/fail.h"
#include "io/file_writer.h"
#include "io/json.h"
#include "io/little_endian.h"
#include "io/mapped_file.h"
#include "io/safetensors_format.h"

namespace fovea {
namespace {

// Ids before tensors, eight-byte elements before four-byte ones; otherwise in their order.
std::vector<const NamedArrays::Entry*> data_order(const NamedArrays& arrays) {
  std::vector<const NamedArrays::Entry*> order;
  for (const bool tensors : {false, true}) {
    for (const NamedArrays::Entry& entry : arrays) {
      if (entry.is_tensor() == tensors) order.push_back(&entry);
    }
  }
  return order;
}

std::string_view data_of(const NamedArrays::Entry& entry) {
  return std::visit([](const auto& array) { return bytes_of(array); }, entry.array);
}

// The JSON header, padded with spaces to a multiple of 8 bytes, behind its length.
std::string header_of(const std::vector<const NamedArrays::Entry*>& entries,
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
  for (const NamedArrays::Entry* entry : entries) {
    if (entry->name == "__metadata__") fail("{}: no array can have the name \"__metadata__\"", where);
    if (json.size() > 1) json += ',';
    const std::size_t end = offset + data_of(*entry).size();
    std::string shape = entry->shape().to_string();
    std::erase(shape, ' ');
    json += fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                        json_string(entry->name, where), entry->is_tensor() ? "F32" : "I64", shape, offset,
                        end);
    offset = end;
  }
  json += '}';
  json.append((8 - json.size() % 8) % 8, ' ');
  std::string header;
  append_little_endian(header, std::uint64_t{json.size()});
  return header + json;
}

}  // namespace

NamedArrays parse_safetensors(std::string_view bytes, const std::string& where) {
  SafetensorsIndex index = index_safetensors(bytes, where);
  NamedArrays arrays(where);
  arrays.metadata() = std::move(index.metadata);
  for (const auto& [name, raw] : index.entries) {
    std::visit(
        [&arrays, &name = name](auto&& array) { arrays.add(name, std::forward<decltype(array)>(array)); },
        decode(raw, where));
  }
  return arrays;
}

NamedArrays load_safetensors(const std::string& path) {
  const MappedFile file(path, "safetensors");
  return parse_safetensors(file.bytes(), file.where());
}

void save_safetensors(const std::string& path, const NamedArrays& arrays) {
  const std::vector<const NamedArrays::Entry*> entries = data_order(arrays);
  const std::string header = header_of(entries, arrays.metadata(), "[safetensors] " + path);
  write_file_atomically(path, [&](FileWriter& file) {
    file.write(header);
    for (const NamedArrays::Entry* entry : entries) file.write(data_of(*entry));
  });
}

}  // namespace fovea
