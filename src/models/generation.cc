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
  if (config.family == ModelFamily::t5 && encoder_ids.empty()) {
    fail("[generate] an encoder-decoder model needs tokens to read, got none");
  }
  if (static_cast<Index>(encoder_ids.size()) > config.max_tokens) {
    fail("[generate] {} tokens to read, the model takes {}", encoder_ids.size(), config.max_tokens);
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
    fail("[generate] {} tokens after {}, the model takes {}", count, size(), longest);
  }
  const Ids sequence = one_sequence(ids);
  for (const Index id : ids) {  // before any cache grows
    if (id < 0 || id >= architecture_->config().vocabulary) {
      fail("[generate] token {}, expected 0 to {}", id, architecture_->config().vocabulary - 1);
    }
  }
  Tensor logits = architecture_->next(*state_, sequence, probe);
  state_->tokens += count;
  return logits;
}

Index choose_token(const Tensor& logits, const GenerationOptions& options, double uniform) {
  if (options.temperature == 0) return largest(logits);
  const Index vocabulary = logits.shape()[0];
  // Likeliest first; of equals the lower id, so that the same seed gives the same text everywhere.
  std::vector<Index> order(static_cast<std::size_t>(vocabulary));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return logits(a) != logits(b) ? logits(a) > logits(b) : a < b; });
  if (options.top_k > 0 && options.top_k < vocabulary)
    order.resize(static_cast<std::size_t>(options.top_k));
  std::vector<double> weights;
  double sum = 0;
  for (const Index id : order) {
    weights.push_back(
        std::exp((static_cast<double>(logits(id)) - static_cast<double>(logits(order.front()))) /
                 options.temperature));
    sum += weights.back();
  }
  std::size_t kept = 0;
  double kept_sum = 0;  // the nucleus: as few tokens as reach top_p together
  while (kept < weights.size() && (kept == 0 || kept_sum < options.top_p * sum))
    kept_sum += weights[kept++];
  double rest = uniform * kept_sum;
  for (std::size_t i = 0; i < kept; ++i) {
    rest -= weights[i];
    if (rest < 0) return order[i];
  }
  return order[kept - 1];
}

Generation generate(const Model& model, const std::vector<Index>& prompt,
                    const GenerationOptions& options) {
  check_options(options);
  const ModelConfig& config = model.config();
  const bool reads_first = config.family == ModelFamily::t5;
  Decoding decoding(model, reads_first ? prompt : std::vector<Index>());
  std::vector<Index> input = reads_first ? std::vector<Index>{config.decoder_start_id} : prompt;
  Random random(options.seed);
  Generation result;
  while (static_cast<Index>(result.ids.size()) < options.max_tokens) {
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
