#include "models/architecture.h"

#include <algorithm>
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

void DecodingState::reorder(const std::vector<Index>& from) {
  for (KeyValueCache& each : self) each.reorder(from);
}

void Architecture::read_generation(ConfigReader& config) {
  config_.forced_first_id = config.id("forced_bos_token_id");
  config_.forced_last_id = config.id("forced_eos_token_id");
  config_.forbidden = config.id_lists("bad_words_ids");
  for (const auto& [name, id] : {std::pair{"forced_bos_token_id", config_.forced_first_id},
                                 {"forced_eos_token_id", config_.forced_last_id}}) {
    if (id.value_or(0) < config_.vocabulary) continue;
    config.complain(fmt::format("{} is {}, expected 0 to {}", name, *id, config_.vocabulary - 1));
  }
}

void Architecture::start(DecodingState&, const Ids&, Probe*) const {
  fail("[generate] {} models have no decoder: they cannot generate text", to_string(config_.family));
}

Tensor Architecture::next(DecodingState&, const Ids&, Probe*) const {
  fail("[generate] {} models have no decoder: they cannot generate text", to_string(config_.family));
}

Tensor Architecture::wanted_logits(const Tensor& hidden, const RunOptions& options) const {
  if (!options.logits || !config_.has_logits) return {};
  if (options.logits_at.empty()) return logits(hidden);
  const Index batch = hidden.shape()[0], tokens = hidden.shape()[1], width = hidden.shape()[2];
  const auto wanted = static_cast<Index>(options.logits_at.size());
  Tensor rows = Tensor::uninitialized({batch, wanted, width});
  for (Index b = 0; b < batch; ++b) {
    for (Index i = 0; i < wanted; ++i) {
      const Index at = options.logits_at[static_cast<std::size_t>(i)];
      if (at < 0 || at >= tokens) fail("[model] logits of position {}, there are 0 to {}", at, tokens - 1);
      const float* from = hidden.data() + (b * tokens + at) * width;
      std::copy(from, from + width, rows.data() + (b * wanted + i) * width);
    }
  }
  return logits(rows);
}

std::unique_ptr<Architecture> make_architecture(const Json& json, const std::string& where,
                                                WeightPlan& weights) {
  ConfigReader config(json, where);
  const std::string type = config.text("model_type", "");
  for (const auto& [name, make] : kMakers) {
    if (type != name) continue;
    std::unique_ptr<Architecture> architecture = make(config, weights);
    architecture->read_generation(config);
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
