// What each measure means: name, formula, range and caveat, in English and Chinese.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/measures.h"
#include "fovea/render.h"

namespace fovea {

struct FOVEA_API MeasureDefinition {
  std::string name;                // "normalised_entropy"
  std::optional<Measure> measure;  // none: of several heads or layers, or made of other measures
  Text title;                      // the heading of a column: "normalised", "归一化熵"
  Text formula;
  Text definition;
  Text range;
  Text caveat;
};

// All of them: those of Measure in its order, then role, head_similarity, rollout and attention_flow.
FOVEA_API const std::vector<MeasureDefinition>& measure_definitions();
FOVEA_API const MeasureDefinition& measure_definition(Measure measure);
// Throws Error naming those there are.
FOVEA_API const MeasureDefinition& measure_definition(std::string_view name);

FOVEA_API std::string to_terminal(const MeasureDefinition&, const RenderOptions& = {});

}  // namespace fovea
