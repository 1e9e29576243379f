#include "fovea/generation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/fail.h"
#include "fovea/random.h"
#include "models/architecture.h"
#include "models/generation_input.h"
#include "models/token_rules.h"

namespace fovea {
namespace {

Index largest(const Tensor& logits) {
  return std::max_element(logits.data(), logits.data() + logits.shape()[0]) - logits.data();
}

}  // namespace

Decoding::Decoding(const Model& model, const std::vector<Index>& encoder_ids, Probe* probe, FloatType cache)
    : architecture_(&model.architecture()), state_(std::make_unique<DecodingState>()) {
  state_->cache = cache_type(model, cache);
  check_encoder_part(model.config(), encoder_ids);
  architecture_->start(*state_, one_sequence(encoder_ids), probe);
}

Decoding::~Decoding() = default;
Decoding::Decoding(Decoding&&) noexcept = default;
Decoding& Decoding::operator=(Decoding&&) noexcept = default;

Index Decoding::size() const { return state_->tokens; }

Tensor Decoding::next(const std::vector<Index>& ids, Probe* probe) {
  check_decoder_part(architecture_->config(), ids, size());  // before any cache grows
  Tensor logits = architecture_->next(*state_, one_sequence(ids), probe);
  state_->tokens += static_cast<Index>(ids.size());
  return std::move(logits).reshaped({architecture_->config().vocabulary});
}

Index choose_token(const Tensor& logits, const GenerationOptions& options, double uniform) {
  const Index vocabulary = logits.shape()[0];
  for (Index id = 0; id < vocabulary; ++id) {
    if (std::isnan(logits(id))) fail("[generate] the model produced logits that are not finite");
  }
  const Index best = largest(logits);
  if (options.temperature == 0) return best;
  const auto weight = [&](Index id) {
    const double below = static_cast<double>(logits(id)) - static_cast<double>(logits(best));
    return std::exp(below / options.temperature);
  };
  // Likeliest first; of equals the lower id, so that the same seed gives the same text everywhere.
  const auto likelier = [&](Index a, Index b) {
    return logits(a) != logits(b) ? logits(a) > logits(b) : a < b;
  };
  std::vector<Index> ids(static_cast<std::size_t>(vocabulary));
  std::iota(ids.begin(), ids.end(), Index{0});
  if (options.top_k > 0 && options.top_k < vocabulary) {
    std::partial_sort(ids.begin(), ids.begin() + options.top_k, ids.end(), likelier);
    ids.resize(static_cast<std::size_t>(options.top_k));
  }
  double sum = 0;
  for (const Index id : ids) sum += weight(id);
  if (options.top_p < 1) {
    // The nucleus: as few tokens as reach top_p together. What has less than an even share of the rest is
    // not in it, which spares sorting most of the vocabulary.
    const double least =
        (1 - options.top_p) * sum / static_cast<double>(std::max<Index>(1, vocabulary - 1));
    std::erase_if(ids, [&](Index id) { return id != best && weight(id) < least; });
    std::sort(ids.begin(), ids.end(), likelier);
    std::size_t kept = 0;
    double reached = 0;
    while (kept < ids.size() && (kept == 0 || reached < options.top_p * sum))
      reached += weight(ids[kept++]);
    ids.resize(kept);
    sum = reached;
  }
  double rest = uniform * sum;
  for (const Index id : ids) {
    rest -= weight(id);
    if (rest < 0) return id;
  }
  return best;  // rounding left a rest
}

Generation generate(const Model& model, const std::vector<Index>& prompt,
                    const GenerationOptions& options) {
  check_generation(options);
  if (options.beams > 1) {
    Generation best = beam_search(model, prompt, options).front();
    for (const Index id : best.ids) {
      if (options.on_token) options.on_token(id);
    }
    return best;
  }
  const ModelConfig& config = model.config();
  Decoding decoding(model, encoder_part(config, prompt), nullptr, options.cache);
  std::vector<Index> written = decoder_part(config, prompt), input = written;
  const TokenRules rules(config, options, static_cast<Index>(input.size()));
  Random random(options.seed);
  Generation result;
  while (static_cast<Index>(result.ids.size()) < rules.limit() && !options.stop.stop_requested()) {
    Tensor logits = decoding.next(input);
    rules.apply(written, logits.data());
    const Index id = choose_token(logits, options, options.temperature == 0 ? 0 : random.uniform());
    if (rules.is_end(id)) {
      result.ended = true;
      break;
    }
    result.ids.push_back(id);
    written.push_back(id);
    if (options.on_token) options.on_token(id);
    input = {id};
  }
  return result;
}

}  // namespace fovea
