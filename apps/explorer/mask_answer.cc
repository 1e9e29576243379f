#include "mask_answer.h"

#include <algorithm>

#include "fovea/json_writer.h"
#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr Index kTile = 64;
constexpr std::size_t kMostBlindRows = 100;

void write_blind_rows(JsonWriter& json, const Mask& mask, Index n, Index m) {
  std::size_t found = 0;
  json.begin_array();
  for (Index i = 0; i < n && found < kMostBlindRows; ++i) {
    if (mask.classify({0, 0, i, i + 1, 0, m}, n, m) != TileClass::hidden) continue;
    json.integer(i);
    ++found;
  }
  json.end_array();
}

void write_tiles(JsonWriter& json, const Mask& mask, Index n, Index m) {
  Index empty = 0, full = 0, partial = 0;
  for (Index row = 0; row < n; row += kTile) {
    for (const TileClass tile :
         mask.classify_band({0, 0, row, std::min(n, row + kTile), 0, m}, kTile, n, m)) {
      ++(tile == TileClass::hidden ? empty : tile == TileClass::full ? full : partial);
    }
  }
  json.begin_object();
  json.key("size").integer(kTile);
  json.key("empty").integer(empty);
  json.key("full").integer(full);
  json.key("partial").integer(partial);
  json.end_object();
}

std::vector<std::string> rows_of(const Mask& mask, Index n, Index m) {
  std::vector<std::string> rows;
  for (Index i = 0; i < n; ++i) {
    std::string& row = rows.emplace_back();
    for (const TileClass cell : mask.classify_band({0, 0, i, i + 1, 0, m}, 1, n, m)) {
      row += cell == TileClass::hidden ? '0' : '1';
    }
  }
  return rows;
}

}  // namespace

std::string mask_json(const Parameters& parameters) {
  const bool has_mask = text_parameter(parameters, "expression").has_value();
  const std::optional<Index> n = integer_parameter(parameters, "n", 1, kMostMaskTokens),
                             m = integer_parameter(parameters, "m", 1, kMostMaskTokens);
  if (!has_mask || !n || !m) throw RequestError(400, "expected the parameters expression, n and m");
  const Mask mask = mask_parameter(parameters, "expression", *n, *m).select(0, 0);
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("density").number(mask.density(*n, *m));
  json.key("rows_seeing_nothing");
  write_blind_rows(json, mask, *n, *m);
  json.key("tiles");
  write_tiles(json, mask, *n, *m);
  if (*n * *m <= kMostMaskBits) {
    json.key("rows").strings(rows_of(mask, *n, *m));
  }
  json.end_object();
  return json.take();
}

}  // namespace fovea::explorer
