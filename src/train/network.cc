#include "train/network.h"

#include <algorithm>
#include <cmath>

#include "core/dropout.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "ops/cross_entropy.h"

namespace fovea {
namespace {

// Seeds of different places must not meet: layers from −1 on, up to 8 parts each.
std::uint64_t place_seed(std::uint64_t seed, Index layer, Index part) {
  return mix_bits(seed ^ mix_bits(static_cast<std::uint64_t>((layer + 1) * 8 + part)));
}

constexpr Index kAttentionWeights = 7, kCrossWeights = 6;  // parts whose dropout is inside of attention

void check_like_ids(const char* name, const Shape& got, const Shape& ids) {
  if (got == ids) return;
  fail("[train] {} are {}, expected {} as the ids", name, got.to_string(), ids.to_string());
}

// Every id in [0, limit), or `other`.
void check_ids(const char* name, const Ids& ids, Index limit, Index other) {
  for (Index i = 0; i < ids.shape().elements(); ++i) {
    const Index id = ids.data()[i];
    if ((id >= 0 && id < limit) || id == other) continue;
    fail("[train] {} {} of sequence {} is {}, expected 0 to {}", name, i % ids.shape()[1],
         i / ids.shape()[1], id, limit - 1);
  }
}

// [B, N] with at least one token, not too many, all of them known.
void check_tokens(const char* name, const Ids& ids, const TrainableConfig& config) {
  const Shape& shape = ids.shape();
  if (shape.rank() != 2 || shape[0] < 1 || shape[1] < 1) {
    fail("[train] {} are {}, expected [B, N] with at least one token", name, shape.to_string());
  }
  if (shape[1] > config.max_tokens) {
    fail("[train] {} have {} tokens, the model's limit is {}", name, shape[1], config.max_tokens);
  }
  check_ids("token", ids, config.vocabulary, 0);
}

NetworkInput rows_of_ids(const Ids& ids) {
  NetworkInput input;
  input.batch = ids.shape()[0];
  input.tokens = ids.shape()[1];
  input.ids = ids.values();
  for (Index row = 0; row < input.rows(); ++row) input.positions.push_back(row % input.tokens);
  return input;
}

bool all_finite(const ConstView& x) {
  const Index count = x.shape().elements();
  return std::all_of(x.data(), x.data() + count, [](float value) { return std::isfinite(value); });
}

// Rows that a target asks for, and their targets.
struct Asked {
  std::vector<Index> rows, targets;
};

Asked asked_rows(const Ids& targets) {
  Asked asked;
  for (Index row = 0; row < targets.shape().elements(); ++row) {
    if (targets.data()[row] == kIgnored) continue;
    asked.rows.push_back(row);
    asked.targets.push_back(targets.data()[row]);
  }
  return asked;
}

// to [rows, E] = the chosen rows of from; and back.
void gather(ConstView from, const std::vector<Index>& rows, View to) {
  const Index width = from.shape()[1];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(from.data() + rows[i] * width, width, to.data() + static_cast<Index>(i) * width);
  }
}

void scatter(ConstView from, const std::vector<Index>& rows, View to) {
  const Index width = from.shape()[1];
  std::fill_n(to.data(), to.shape().elements(), 0.0f);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(from.data() + static_cast<Index>(i) * width, width, to.data() + rows[i] * width);
  }
}

View rows_of(const View& x, Index first, Index count) {
  return View(x.data() + first * x.stride(0), {count, x.shape()[1]});
}

// Rows of logits at a time: 16 MiB of them, but enough for a product that is worth it. Depends on the
// vocabulary only, as do the points where sums are split.
Index logit_rows(Index vocabulary) { return std::clamp<Index>((Index{1} << 22) / vocabulary, 64, 2048); }

}  // namespace

SelfAttentionCall NetworkInput::attention(Index layer, const RotaryTable* rotary) const {
  SelfAttentionCall call = {batch, tokens, {}, rotary};
  call.options.mask = mask;
  call.options.dropout = dropout;
  call.options.seed = place_seed(seed, layer, kAttentionWeights);
  return call;
}

CrossAttentionCall NetworkInput::cross_attention(Index layer) const {
  CrossAttentionCall call = {batch, tokens, source->tokens, {}};
  call.options.mask = source->mask;
  call.options.dropout = dropout;
  call.options.seed = place_seed(seed, layer, kCrossWeights);
  return call;
}

DropoutOptions NetworkInput::dropout_of(Index layer, Index part) const {
  return {dropout, place_seed(seed, layer, part)};
}

inline namespace internal {

NetworkInput Network::checked(const TrainingBatch& batch, const LossOptions& options) const {
  check_tokens("ids", batch.ids, config_);
  if (!batch.real.empty()) {
    check_like_ids("the flags of real tokens", batch.real.shape(), batch.ids.shape());
  }
  NetworkInput input = rows_of_ids(batch.ids);
  if (config_.family == ModelFamily::bert) {
    if (!batch.segments.empty()) {
      check_like_ids("segments", batch.segments.shape(), batch.ids.shape());
      check_ids("segment", batch.segments, config_.segments, 0);
    }
    input.segments = batch.segments.empty() ? std::vector<Index>(input.ids.size(), 0)  //
                                            : batch.segments.values();
  } else if (config_.family != ModelFamily::bart) {
    input.mask = Mask::causal();
  }
  if (!batch.real.empty()) input.mask = input.mask & Mask::padding(batch.real);
  input.dropout = options.dropout ? config_.dropout : 0;
  input.seed = options.seed;
  if (config_.family != ModelFamily::bart) {
    if (!batch.decoder_ids.empty()) fail("[train] there are ids for a decoder, but no encoder before it");
    return input;
  }
  check_tokens("ids of the decoder", batch.decoder_ids, config_);
  if (batch.decoder_ids.shape()[0] != input.batch) {
    fail("[train] ids of the decoder are {}, expected {} sequences as the encoder's",
         batch.decoder_ids.shape().to_string(), input.batch);
  }
  NetworkInput whole = rows_of_ids(batch.decoder_ids);
  whole.mask = Mask::causal();
  whole.dropout = input.dropout;
  whole.seed = input.seed;
  whole.source = std::make_unique<NetworkInput>(std::move(input));
  return whole;
}

ConstView Network::dropped(const NetworkInput& input, Index layer, Index part, View dy) {
  if (input.dropout == 0) return dy;
  const View copy = scratch_.dropped.shaped(dy.shape());
  dropout(dy, input.dropout_of(layer, part), copy);
  return copy;
}

// Head, output layer and loss of the rows that have a target: the others need no logits. The logits of some
// rows at a time become their gradient at once, so that nothing of the size rows · V is ever there.
LossResult Network::head_loss(const NetworkInput& input, const TrainingBatch& batch,
                              const LossOptions& options, View* dx) {
  const Asked asked = asked_rows(batch.targets);
  const auto count = static_cast<Index>(asked.rows.size());
  LossResult result;
  result.targets = count;
  if (count == 0) {
    if (dx != nullptr) std::fill_n(dx->data(), dx->shape().elements(), 0.0f);
    return result;
  }
  const View whole = last(input);
  const bool all = count == input.rows();
  const View x = all ? whole : asked_.shaped({count, config_.width});
  if (!all) gather(whole, asked.rows, x);
  const View hidden = hidden_.shaped({count, config_.width});
  head(x, hidden);

  const View dhidden = all && dx != nullptr ? *dx : dhidden_.shaped({count, config_.width});
  const Index denominator = options.denominator > 0 ? options.denominator : count;
  const CrossEntropyOptions cross = {options.label_smoothing, dx != nullptr,
                                     static_cast<float>(1.0 / static_cast<double>(denominator))};
  const Index step = logit_rows(config_.vocabulary);
  for (Index first = 0; first < count; first += step) {
    check_stop(options.stop, "train");
    const Index rows = std::min(step, count - first);
    const View logits = logits_.shaped({rows, config_.vocabulary});
    output_.forward(rows_of(hidden, first, rows), logits);
    const auto begin = asked.targets.begin() + first;
    const CrossEntropyResult part = cross_entropy(logits, {begin, begin + rows}, cross);
    result.sum += part.loss;
    result.correct += part.correct;
    if (dx != nullptr) {
      output_.backward(rows_of(hidden, first, rows), logits, rows_of(dhidden, first, rows));
    }
  }
  if (dx == nullptr) return result;
  head_backward(x, dhidden);
  if (!all) scatter(dhidden, asked.rows, *dx);
  return result;
}

LossResult Network::run(const TrainingBatch& batch, const LossOptions& options, bool gradients) {
  const NetworkInput input = checked(batch, options);
  const Ids& read = input.source ? batch.decoder_ids : batch.ids;
  check_like_ids("targets", batch.targets.shape(), read.shape());
  check_ids("target", batch.targets, config_.vocabulary, kIgnored);
  if (options.denominator < 0)
    fail("[train] the denominator is {}, expected 0 or more", options.denominator);
  forward(input, options);
  if (!gradients) return head_loss(input, batch, options, nullptr);
  View dx = dstream_.shaped({input.rows(), config_.width});
  const LossResult result = head_loss(input, batch, options, &dx);
  backward(input, options, dx);
  return result;
}

Tensor Network::logits(const TrainingBatch& batch) {
  const NetworkInput input = checked(batch, {});
  forward(input, {});
  const View hidden = hidden_.shaped({input.rows(), config_.width});
  head(last(input), hidden);
  Tensor logits = Tensor::uninitialized({input.batch, input.tokens, config_.vocabulary});
  output_.forward(hidden, View(logits.data(), {input.rows(), config_.vocabulary}));
  return logits;
}

std::string Network::first_not_finite(const TrainingBatch& batch, const LossOptions& options) {
  for (std::size_t i = 0; i < parameters_.list().size(); ++i) {
    const TrainableParameter& parameter = parameters_.list()[i];
    if (!all_finite(ConstView(parameters_.values(parameters_.place(i)), parameter.shape))) {
      return "the parameter " + parameter.name;
    }
  }
  const NetworkInput input = checked(batch, options);
  forward(input, options);
  for (const NamedStream& stream : streams(input)) {
    if (!all_finite(stream.values)) return stream.name;
  }
  const View hidden = hidden_.shaped({input.rows(), config_.width});
  head(last(input), hidden);
  return all_finite(hidden) ? "" : "what the output layer is given";
}

}  // namespace internal
}  // namespace fovea
