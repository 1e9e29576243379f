#include "io/json_arrays.h"

#include "core/fail.h"
#include "io/json.h"
#include "io/messages.h"
#include "io/raw_array.h"

namespace fovea {
namespace {

constexpr int kMaxDepth = 16;  // rank 5 inside an object takes 6

enum class Kind { numbers, texts, text, other };

// Told by what stands first.
Kind kind_of(const Json& value) {
  if (value.is_string()) return Kind::text;
  if (!value.is_array()) return Kind::other;
  if (value.empty() || value.front().is_string()) return Kind::texts;
  const Json* first = &value;
  while (first->is_array() && !first->empty()) first = &first->front();
  return first->is_number() || first->is_array() ? Kind::numbers : Kind::other;
}

Shape shape_of(const Json& list, const std::string& where) {
  std::vector<Index> extents;
  for (const Json* first = &list; first->is_array(); first = &first->front()) {
    extents.push_back(static_cast<Index>(first->size()));
    if (first->empty()) break;
  }
  return checked_shape(extents, where);
}

// Throws Error unless every list is as long as the first of its depth; `depth` axes are around this one.
void check_shape(const Json& list, const Shape& shape, int depth, const std::string& where) {
  if (depth == shape.rank()) {
    if (!list.is_number()) fail("{}: expected a number, got {}", where, list.type_name());
    return;
  }
  if (!list.is_array() || static_cast<Index>(list.size()) != shape[depth]) {
    fail(
        "{}: ragged: the first entries say shape {}, another at depth {} is {}", where, shape.to_string(),
        depth,
        list.is_array() ? fmt::format("a list of {}", list.size()) : fmt::format("a {}", list.type_name()));
  }
  for (const Json& item : list) check_shape(item, shape, depth + 1, where);
}

// Appends the numbers of the list in row-major order.
float* copy_numbers(const Json& list, float* out) {
  if (!list.is_array()) {
    *out = static_cast<float>(list.get<double>());
    return out + 1;
  }
  for (const Json& item : list) out = copy_numbers(item, out);
  return out;
}

Tensor tensor_of(const Json& list, const std::string& where) {
  const Shape shape = shape_of(list, where);
  check_shape(list, shape, 0, where);  // before the shape is believed: it comes from the first entries
  Tensor tensor = Tensor::uninitialized(shape);
  copy_numbers(list, tensor.data());
  return tensor;
}

std::vector<std::string> texts_of(const Json& list, const std::string& where) {
  if (!list.is_array()) fail("{}: expected a list of strings, got {}", where, list.type_name());
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (!item.is_string()) {
      fail("{}: expected a string at position {} of the list, got {}", where, texts.size() + 1,
           item.type_name());
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace

NamedArrays parse_json_arrays(std::string_view text, const std::string& where, const std::string& name) {
  const Json document = parse_json(text, where, {.max_depth = kMaxDepth, .unique_keys = true});
  NamedArrays arrays(where);
  if (document.is_array()) {
    if (kind_of(document) != Kind::numbers) fail("{}: expected nested lists of numbers", where);
    arrays.add(name, tensor_of(document, where));
    return arrays;
  }
  if (!document.is_object()) {
    fail("{}: expected nested lists of numbers or an object of them, got {}", where, document.type_name());
  }
  for (const auto& [key, value] : document.items()) {
    const std::string member = fmt::format("{}: {}", where, in_quotes(key));
    const Kind kind = kind_of(value);
    if (kind == Kind::numbers) arrays.add(key, tensor_of(value, member));
    if (kind == Kind::texts) arrays.metadata()[key] = text_list_json(texts_of(value, member), member);
    if (kind == Kind::text) arrays.metadata()[key] = value.get<std::string>();
  }
  return arrays;
}

std::vector<std::string> parse_text_list(std::string_view json, const std::string& where) {
  return texts_of(parse_json(json, where, {.max_depth = kMaxDepth, .unique_keys = false}), where);
}

std::string text_list_json(const std::vector<std::string>& texts, const std::string& where) {
  std::string json = "[";
  for (const std::string& text : texts) {
    if (json.size() > 1) json += ',';
    json += json_string(text, where);
  }
  return json + "]";
}

}  // namespace fovea
