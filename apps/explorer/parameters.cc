#include "parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "fovea/error.h"
#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

std::optional<Index> integer_of(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

struct Range {
  Index begin = 0, end = 0;
};

Range range_parameter(const Parameters& parameters, const std::string& name, Index size, Index by_default) {
  const std::optional<std::string> text = text_parameter(parameters, name);
  if (!text) return {0, std::min(size, by_default)};
  const std::size_t colon = text->find(':');
  if (colon != std::string::npos) {
    const std::optional<Index> begin = integer_of(std::string_view(*text).substr(0, colon)),
                               end = integer_of(std::string_view(*text).substr(colon + 1));
    if (begin && end && *begin >= 0 && *begin < *end && *end <= size) return {*begin, *end};
  }
  throw RequestError(400, fmt::format("{}: expected a:b with 0 ≤ a < b ≤ {}", name, size));
}

Index place_parameter(const Parameters& parameters, const std::string& name, Index count) {
  const std::optional<std::string> text = text_parameter(parameters, name);
  const std::optional<Index> value = text ? integer_of(*text) : std::nullopt;
  if (!value) throw RequestError(400, fmt::format("{}: expected a number from 0 to {}", name, count - 1));
  if (*value < 0 || *value >= count) {
    throw RequestError(
        404, fmt::format("{} {} does not exist: there are {}, counted from 0", name, *value, count));
  }
  return *value;
}

}  // namespace

std::optional<std::string> text_parameter(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::nullopt;
  return found->second;
}

std::optional<Index> integer_parameter(const Parameters& parameters, const std::string& name, Index min,
                                       Index max) {
  const std::optional<std::string> text = text_parameter(parameters, name);
  if (!text) return std::nullopt;
  const std::optional<Index> value = integer_of(*text);
  if (!value || *value < min || *value > max) {
    throw RequestError(400, fmt::format("{}: expected a number from {} to {}", name, min, max));
  }
  return value;
}

Mask mask_parameter(const Parameters& parameters, const std::string& name, Index n, Index m) {
  const std::optional<std::string> text = text_parameter(parameters, name);
  if (!text) return {};
  // Each mask that is joined may be asked for every pair. "or" and "and" may be parts of longer words, none
  // of which a mask has.
  Index masks = 1;
  for (std::size_t i = 0; i < text->size(); ++i) {
    const bool joins = (*text)[i] == '&' || (*text)[i] == '|' || text->compare(i, 2, "or") == 0 ||
                       text->compare(i, 3, "and") == 0;
    masks += joins ? 1 : 0;
  }
  if (masks > std::max<Index>(1, kMostMaskWork / std::max<Index>(1, n * m))) {
    throw RequestError(400, fmt::format("{}: {} masks are joined, too many for {} queries and {} keys",
                                        name, masks, n, m));
  }
  return parse_mask(*text);  // Error: status 400
}

AttentionKind kind_parameter(const Parameters& parameters, const Run& run) {
  const std::optional<std::string> text = text_parameter(parameters, "kind");
  std::string known;
  for (const AttentionKind kind : run.kinds()) {
    if (text == to_string(kind)) return kind;
    known += (known.empty() ? "" : ", ") + std::string(to_string(kind));
  }
  throw RequestError(text ? 404 : 400, "kind: expected one of " + known);
}

Crop crop_parameters(const Parameters& parameters, Index queries, Index keys, Index default_rows,
                     Index default_keys) {
  const Range rows = range_parameter(parameters, "rows", queries, default_rows);
  const Range columns = range_parameter(parameters, "keys", keys, default_keys);
  return {rows.begin, rows.end, columns.begin, columns.end};
}

HeadChoice head_parameters(const Parameters& parameters, const Run& run) {
  HeadChoice choice;
  choice.kind = kind_parameter(parameters, run);
  choice.layer = place_parameter(parameters, "layer", run.layers(choice.kind));
  if (text_parameter(parameters, "head") == "mean") {
    choice.merge = HeadMerge::mean;
  } else {
    choice.head = place_parameter(parameters, "head", run.layer(choice.kind, choice.layer).heads());
  }
  const LayerView& layer = run.layer(choice.kind, choice.layer);
  choice.mask = mask_parameter(parameters, "mask", layer.queries(), layer.keys());
  return choice;
}

}  // namespace fovea::explorer
