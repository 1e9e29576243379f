// One number per layer and head, as a matrix with means beside it: entropy, confidence, or another measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/matrix.h"

namespace fovea {

struct FOVEA_API LayerHeadMatrixOptions {
  std::optional<std::string> title = {};       // default: "Entropy by layer and head", in `language`
  std::optional<std::string> bar_title = {};   // default: "mean entropy of a row (nats)"
  std::vector<Index> layers = {}, heads = {};  // their numbers; none: 0, 1, ..
  std::string colormap = "viridis";
  std::optional<double> low = {}, high = {};  // of the colours; default: the least and the largest value
  int digits = 2;
  Theme theme = Theme::light;
  Language language = Language::english;
};

// values [L, H], finite. On the right the mean of each layer, below the mean of each head, in the same
// colours, and in the corner the mean of all.
FOVEA_API Figure layer_head_matrix(const Matrix& values, const LayerHeadMatrixOptions& options = {});

}  // namespace fovea
