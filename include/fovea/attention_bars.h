// Bars, one per token: the attention that each key receives, or another measure of tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/shape.h"

namespace fovea {

struct FOVEA_API AttentionBarsOptions {
  std::vector<std::string> labels = {};         // one per value; none: positions
  std::optional<std::string> title = {};        // default: "Attention received", in `language`
  std::optional<std::string> value_title = {};  // below the axis; default: what the sum means
  std::optional<double> reference = {};         // a dashed line, for example what even attention would give
  std::string reference_name = {};              // written at its end
  Theme theme = Theme::light;
  Language language = Language::english;
};

// Values that are finite and not negative. Up to 80 of them are horizontal bars with their names and
// numbers; more become columns over positions, above 512 of which means are drawn, and the figure says so.
FOVEA_API Figure attention_bars(const std::vector<double>& values,
                                const AttentionBarsOptions& options = {});

}  // namespace fovea
