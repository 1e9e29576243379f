#include "fovea/generation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/fail.h"
#include "fovea/random.h"
#include "models/architecture.h"

namespace fovea {
namespace {

Ids one_sequence(const std::vector<Index>& ids) { return Ids({1, static_cast<Index>(ids.size())}, ids); }

Index largest(const Tensor& logits) {
  return std::max_element(logits.data(), logits.data() + logits.shape()[0]) - logits.data();
}

void check_options(const GenerationOptions& options) {
  if (options.max_tokens < 0 || options.top_k < 0 || !(options.temperature >= 0) ||
      !std::isfinite(options.temperature) || !(options.top_p > 0 && options.top_p <= 1)) {
    fail(
        "[generate] got max_tokens {}, temperature {}, top_k {}, top_p {}; expected ≥ 0, ≥ 0, ≥ 0 and "
        "0 < top_p ≤ 1",
        options.max_tokens, options.temperature, options.top_k, options.top_p);
  }
}

}  // namespace

Decoding::Decoding(const Model& model, const std::vector<Index>& encoder_ids, Probe* probe)
    : architecture_(&model.architecture()), state_(std::make_unique<DecodingState>()) {
  const ModelConfig& config = model.config();
  if (config.is_encoder_decoder() && encoder_ids.empty()) {
    fail("[generate] an encoder-decoder model needs tokens to read, got none");
  }
  if (static_cast<Index>(encoder_ids.size()) > config.max_tokens) {
    fail("[generate] got {} tokens to read, the model's limit is {}", encoder_ids.size(),
         config.max_tokens);
  }
  architecture_->start(*state_, one_sequence(encoder_ids), probe);
}

Decoding::~Decoding() = default;
Decoding::Decoding(Decoding&&) noexcept = default;
Decoding& Decoding::operator=(Decoding&&) noexcept = default;

Index Decoding::size() const { return state_->tokens; }

Tensor Decoding::next(const std::vector<Index>& ids, Probe* probe) {
  const auto count = static_cast<Index>(ids.size());
  if (count == 0) fail("[generate] no tokens were given, expected at least one");
  const Index longest = architecture_->config().max_tokens;
  if (size() + count > longest) {
    fail("[generate] {} tokens after {} exceed the model's limit of {}", count, size(), longest);
  }
  const Ids sequence = one_sequence(ids);
  for (const Index id : ids) {  // before any cache grows
    if (id < 0 || id >= architecture_->config().vocabulary) {
      fail("[generate] got token {}, expected 0 to {}", id, architecture_->config().vocabulary - 1);
    }
  }
  Tensor logits = architecture_->next(*state_, sequence, probe);
  state_->tokens += count;
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
  check_options(options);
  const ModelConfig& config = model.config();
  const bool reads_first = config.is_encoder_decoder();
  Decoding decoding(model, reads_first ? prompt : std::vector<Index>());
  std::vector<Index> input = reads_first ? std::vector<Index>{config.decoder_start_id} : prompt;
  Random random(options.seed);
  Generation result;
  while (static_cast<Index>(result.ids.size()) < options.max_tokens && !options.stop.stop_requested()) {
    if (decoding.size() + static_cast<Index>(input.size()) > config.max_tokens && !result.ids.empty())
      break;
    const Tensor logits = decoding.next(input);
    const Index id = choose_token(logits, options, options.temperature == 0 ? 0 : random.uniform());
    const auto& ends = config.end_ids;
    if (options.stop_at_end && std::find(ends.begin(), ends.end(), id) != ends.end()) {
      result.ended = true;
      break;
    }
    result.ids.push_back(id);
    if (options.on_token) options.on_token(id);
    input = {id};
  }
  return result;
}

}  // namespace fovea
