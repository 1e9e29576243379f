// Any bytes, taken for llama2.c's model.bin: loaded, or refused with an Error. Anything else is a bug.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fovea/error.h"
#include "io/json.h"
#include "models/architecture.h"
#include "models/llama2c.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const fovea::MemorySource source(bytes, "[llama2.c]");
    fovea::WeightFiles files("[model]");
    const fovea::Json config = fovea::read_llama2c(source, files);
    fovea::WeightPlan plan(files);
    const auto architecture = fovea::make_architecture(config, "[llama2.c]", plan);
    plan.load();
    if (architecture->config().max_tokens >= 2 && architecture->config().vocabulary > 1) {
      static_cast<void>(architecture->run({fovea::Ids{{1, 0}}, {}, {}, {}}, {}));
    }
  } catch (const fovea::Error&) {
  }
  return 0;
}
