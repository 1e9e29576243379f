// Attention as lines between tokens: queries on the left, keys on the right, as BertViz draws it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/tensor.h"

namespace fovea {

struct FOVEA_API AttentionLinesOptions {
  std::vector<std::string> queries = {};     // N names; none: positions
  std::vector<std::string> keys = {};        // M names
  std::vector<std::string> head_names = {};  // H names for the legend; none: Head 0, ..
  std::optional<std::string> title = {};     // default: named in `language`; "" is left out
  double mass = 0.9;           // of each query, the largest weights that hold this share are drawn; 0 .. 1
  std::optional<Index> query;  // only the lines of this query
  Theme theme = Theme::light;
  Language language = Language::english;
};

inline constexpr Index kMostLineTokens = 300;  // more cannot be told apart

// weights [N, M] or [H, N, M], one colour per head. A line is as wide and as dark as its weight. Throws
// Error for more than kMostLineTokens queries or keys, for weights that are NaN or negative, and for names
// that are not as many as what they name.
FOVEA_API Figure attention_lines(ConstView weights, const AttentionLinesOptions& options = {});

}  // namespace fovea
