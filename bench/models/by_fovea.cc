#include <fmt/format.h>

#include "fovea/capture.h"
#include "fovea/generation.h"
#include "fovea/instruction_set.h"
#include "models/contender.h"

namespace fovea::bench {
namespace {

Contender contender(const std::string& name, const ModelCase& c, const std::function<Tensor()>& call) {
  return local_contender(
      name, fmt::format("{}, packed weights, {} threads", instruction_set(), c.info.threads), call);
}

Tensor hidden_of(const Model& model, const ModelCase& c, Probe* probe) {
  return model.run({.ids = c.ids}, {.probe = probe, .logits = false}).hidden;
}

Tensor written_by(const Model& model, const ModelCase& c) {
  GenerationOptions options;
  options.max_tokens = c.tokens;
  options.stop_at_end = false;
  const Generation result =
      generate(model, {c.ids.data(), c.ids.data() + c.ids.shape().elements()}, options);
  Tensor tokens({static_cast<Index>(result.ids.size())});
  for (std::size_t i = 0; i < result.ids.size(); ++i) tokens.data()[i] = static_cast<float>(result.ids[i]);
  return tokens;
}

}  // namespace

std::vector<Contender> fovea_contenders(const Model& model, const ModelCase& c) {
  if (c.info.operation == Operation::generation) {
    return {contender("fovea", c, [&] { return written_by(model, c); })};
  }
  return {contender("fovea", c,
                    [&] {
                      Capture capture;
                      return hidden_of(model, c, &capture);
                    }),
          contender("fovea_plain", c, [&] { return hidden_of(model, c, nullptr); })};
}

}  // namespace fovea::bench
