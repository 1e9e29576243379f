#include "fovea/measure_definitions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/measure_texts.h"
#include "core/fail.h"
#include "core/text_layout.h"

namespace fovea {

const std::vector<MeasureDefinition>& measure_definitions() {
  static const std::vector<MeasureDefinition> definitions = [] {
    std::vector<MeasureDefinition> all = spread_definitions();
    for (const auto& more : {received_definitions(), token_definitions(), structure_definitions()})
      all.insert(all.end(), more.begin(), more.end());
    // In the order of Measure, those of several heads last.
    std::stable_sort(all.begin(), all.end(), [](const MeasureDefinition& a, const MeasureDefinition& b) {
      const auto place = [](const MeasureDefinition& definition) {
        return definition.measure ? static_cast<std::size_t>(*definition.measure) : kMeasureCount;
      };
      return place(a) < place(b);
    });
    return all;
  }();
  return definitions;
}

const MeasureDefinition& measure_definition(Measure measure) {
  return measure_definitions()[static_cast<std::size_t>(measure)];
}

const MeasureDefinition& measure_definition(std::string_view name) {
  std::vector<std::string> names;
  for (const MeasureDefinition& definition : measure_definitions()) {
    if (definition.name == name) return definition;
    names.push_back(definition.name);
  }
  fail("[measures] there is no measure \"{}\"; there are {}", name, fmt::join(names, ", "));
}

std::string to_terminal(const MeasureDefinition& definition, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  const int width = std::min(options.width, 84);
  std::string text = styled(definition.name, Style::bold, options.color) + "  " +
                     definition.title.in(options.language) + "\n\n";
  text += "  " + definition.formula.in(options.language) + "\n\n";
  text += wrap(definition.definition.in(options.language), width) + '\n';
  text += wrap((chinese ? "取值范围：" : "Range: ") + definition.range.in(options.language), width);
  text += wrap((chinese ? "注意：" : "Caveat: ") + definition.caveat.in(options.language), width);
  return text;
}

}  // namespace fovea
