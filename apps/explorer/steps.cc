#include "steps.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>
#include <vector>

#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

// θ of frequencies θ^(−2i/D), which a scaling of long positions leaves in the first two.
double rope_base(const HeadSteps& steps) {
  if (steps.frequencies.size() < 2) return 0;
  const double ratio = steps.frequencies[0] / steps.frequencies[1];
  return std::pow(ratio, static_cast<double>(steps.frequencies.size()));
}

Tensor to_tensor(const std::vector<double>& values) {
  Tensor tensor = Tensor::uninitialized({static_cast<Index>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) tensor.data()[i] = static_cast<float>(values[i]);
  return tensor;
}

}  // namespace

void add_steps(const HeadSteps& steps, const std::string& prefix, NamedArrays& arrays,
               std::map<std::string, StoredType>& types) {
  const std::pair<const char*, const Tensor*> parts[] = {{"x", &steps.x},
                                                         {"memory", &steps.memory},
                                                         {"w_q", &steps.w_q},
                                                         {"w_k", &steps.w_k},
                                                         {"w_v", &steps.w_v},
                                                         {"b_q", &steps.b_q},
                                                         {"b_k", &steps.b_k},
                                                         {"b_v", &steps.b_v},
                                                         {"q_projected", &steps.q_projected},
                                                         {"k_projected", &steps.k_projected},
                                                         {"q", &steps.q},
                                                         {"k", &steps.k},
                                                         {"v", &steps.v},
                                                         {"bias", &steps.bias},
                                                         {"logsumexp", &steps.logsumexp},
                                                         {"maximum_score", &steps.maximum_score},
                                                         {"weights", &steps.weights},
                                                         {"head_output", &steps.head_output},
                                                         {"concat", &steps.concat},
                                                         {"w_o", &steps.w_o},
                                                         {"b_o", &steps.b_o},
                                                         {"output", &steps.output}};
  for (const auto& [name, tensor] : parts) {
    if (!tensor->empty()) arrays.add(prefix + name, *tensor);
  }
  const std::vector<std::uint8_t>& flags = steps.visible.values();
  arrays.add(prefix + "visible",
             Ids(steps.visible.shape(), std::vector<std::int64_t>(flags.begin(), flags.end())));
  types[prefix + "visible"] = StoredType::u8;
  if (!steps.frequencies.empty()) arrays.add(prefix + "frequencies", to_tensor(steps.frequencies));

  const auto say = [&](const char* name, const std::string& value) {
    arrays.metadata()[prefix + name] = value;
  };
  say("scale", fmt::format("{}", steps.scale));
  say("scaled", steps.scale != 1 ? "true" : "false");
  say("rotary", steps.frequencies.empty() ? "false" : "true");
  say("softcap", fmt::format("{}", steps.softcap));
  say("rope_base", fmt::format("{:.6g}", rope_base(steps)));
  say("positions_begin", fmt::format("{}", steps.crop.row_begin));
  say("rows", fmt::format("{}:{}", steps.crop.row_begin, steps.crop.row_end));
  say("keys", fmt::format("{}:{}", steps.crop.key_begin, steps.crop.key_end));
  say("heads", fmt::format("{}", steps.heads));
  say("head", fmt::format("{}", steps.head));
}

std::string steps_bytes(CaptureStore& store, const CapturePtr& stored, const Parameters& parameters) {
  const HeadChoice choice = head_parameters(parameters, stored->run());
  if (!stored->model) {
    throw RequestError(422, stored->film
                                ? "a film keeps queries and keys, not the model: there are no steps to show"
                                : "this run came without its model: there are no steps to show");
  }
  if (choice.merge != HeadMerge::none)
    throw RequestError(400, "head: steps are available for a single head, not for the mean");
  if (!choice.mask.is_none()) throw RequestError(400, "mask: steps always use the model's own mask");
  const LayerView& layer = stored->run().layer(choice.kind, choice.layer);
  const Crop crop = crop_parameters(parameters, layer.queries(), layer.keys(), kStepTokens, kStepTokens);
  if (crop.row_end - crop.row_begin > kMostStepTokens || crop.key_end - crop.key_begin > kMostStepTokens) {
    throw RequestError(413, fmt::format("the limit per request is {0} rows and {0} keys: request fewer "
                                        "(rows=a:b, keys=c:d)",
                                        kMostStepTokens));
  }
  NamedArrays arrays("[steps]");
  std::map<std::string, StoredType> types;
  add_steps(store.layer(stored, choice.kind, choice.layer).head(choice.head, crop), "", arrays, types);
  return safetensors_bytes(arrays, types);
}

}  // namespace fovea::explorer
