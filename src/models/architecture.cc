#include "models/architecture.h"

#include <functional>
#include <utility>

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {
namespace {

using Maker = std::unique_ptr<Architecture> (*)(ConfigReader&, WeightPlan&);

constexpr std::pair<const char*, Maker> kMakers[] = {
    {"bert", make_bert},       {"roberta", make_bert}, {"xlm-roberta", make_bert}, {"camembert", make_bert},
    {"distilbert", make_bert}, {"gpt2", make_gpt2},    {"llama", make_llama},      {"qwen2", make_llama},
    {"t5", make_t5},           {"mt5", make_t5},       {"bart", make_bart},        {"marian", make_bart},
    {"mbart", make_bart}};

}  // namespace

const char* to_string(ModelFamily family) {
  switch (family) {
    case ModelFamily::bert:
      return "BERT";
    case ModelFamily::gpt2:
      return "GPT-2";
    case ModelFamily::llama:
      return "Llama";
    case ModelFamily::t5:
      return "T5";
    case ModelFamily::bart:
      return "BART";
  }
  return "";
}

void Architecture::start(DecodingState&, const Ids&, Probe*) const {
  fail("[generate] {} models have no decoder: they cannot generate text", to_string(config_.family));
}

Tensor Architecture::next(DecodingState&, const Ids&, Probe*) const {
  fail("[generate] {} models have no decoder: they cannot generate text", to_string(config_.family));
}

std::unique_ptr<Architecture> make_architecture(const Json& json, const std::string& where,
                                                WeightPlan& weights) {
  ConfigReader config(json, where);
  const std::string type = config.text("model_type", "");
  for (const auto& [name, make] : kMakers) {
    if (type != name) continue;
    std::unique_ptr<Architecture> architecture = make(config, weights);
    config.finish();
    return architecture;
  }
  config.finish();
  std::string known;
  for (const auto& [name, make] : kMakers) known += (known.empty() ? "" : ", ") + std::string(name);
  fail("{}: model_type is {}, expected one of {}", where, type.empty() ? "missing" : in_quotes(type),
       known);
}

}  // namespace fovea
