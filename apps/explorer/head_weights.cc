#include "head_weights.h"

#include <fmt/core.h>

#include <utility>

#include "fovea/safetensors.h"
#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {

std::string weights_bytes(const Run& run, const Parameters& parameters) {
  const HeadChoice choice = head_parameters(parameters, run);
  NamedArrays arrays("[weights]");
  if (const std::optional<Index> size = integer_parameter(parameters, "cells", 1, 2048)) {
    WeightCells cells = run.cells(choice, *size);
    arrays.add("mean", std::move(cells.mean));
    arrays.add("max", std::move(cells.max));
    return safetensors_bytes(arrays);
  }
  const LayerView& layer = run.layer(choice.kind, choice.layer);
  const Crop crop =
      crop_parameters(parameters, layer.queries(), layer.keys(), layer.queries(), layer.keys());
  const Index count = (crop.row_end - crop.row_begin) * (crop.key_end - crop.key_begin);
  if (count > kMostCells) {
    throw RequestError(413, fmt::format("{} weights requested, the limit per request is {}: request a crop "
                                        "(rows=a:b, keys=c:d) or cells (cells=512)",
                                        count, kMostCells));
  }
  arrays.add("weights", run.weights(choice, crop));
  return safetensors_bytes(arrays);
}

std::string rows_bytes(const Run& run, const Parameters& parameters) {
  StatisticsOptions wanted;
  wanted.thumbnail = 0;
  AttentionStatistics rows = run.statistics(head_parameters(parameters, run), wanted);
  NamedArrays arrays("[rows]");
  arrays.add("entropy", std::move(rows.entropy));
  arrays.add("maximum", std::move(rows.maximum));
  arrays.add("position", std::move(rows.position));
  arrays.add("received", std::move(rows.received));
  arrays.add("visible", std::move(rows.visible));
  return safetensors_bytes(arrays);
}

}  // namespace fovea::explorer
