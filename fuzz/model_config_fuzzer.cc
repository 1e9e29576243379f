// Any bytes, taken for a model's config.json: planned, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "io/json.h"
#include "models/architecture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const fovea::WeightFiles files("[model]");
    fovea::WeightPlan plan(files);
    const auto architecture = fovea::make_architecture(fovea::parse_json(text, "[model] config.json"),
                                                       "[model] config.json", plan);
    if (architecture->config().layers <= 8 && architecture->config().decoder_layers <= 8) plan.load();
  } catch (const fovea::Error&) {
  }
  return 0;
}
