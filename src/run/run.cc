// What a run is made of, and which part of it is meant.
#include "fovea/run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fail.h"
#include "mask/mask_node.h"
#include "run/weights.h"

namespace fovea {
namespace {

constexpr AttentionKind kKinds[] = {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross};

ConstView nothing() { return ConstView(nullptr, Shape()); }

// [N, D], [B, N, D] (one head), [B, H, N, D] or [L, B, H, N, D] with all five axes.
Tensor five_axes(Tensor tensor) {
  const Shape s = tensor.shape();
  if (s.rank() == 2) return std::move(tensor).reshaped({1, 1, 1, s[0], s[1]});
  if (s.rank() == 3) return std::move(tensor).reshaped({1, s[0], 1, s[1], s[2]});
  if (s.rank() == 4) return std::move(tensor).reshaped({1, s[0], s[1], s[2], s[3]});
  if (s.rank() == 5) return tensor;
  fail("[run] queries and keys have shape [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D], got {}",
       s.to_string());
}

void check_query_key(const Shape& q, const Shape& k) {
  const bool fits = q[0] == k[0] && q[1] == k[1] && k[2] > 0 && q[2] % k[2] == 0 && q[4] == k[4];
  if (fits && q.elements() > 0 && k.elements() > 0) return;
  fail(
      "[run] got q {} and k {} (as [L, B, H, N, D]), expected the same layers, batch and width, and as "
      "many "
      "heads or a divisor",
      q.to_string(), k.to_string());
}

void check_mask(const Mask& mask, const ScoreExtents& extents) {
  if (!mask.is_none()) mask.node()->check(extents);
}

std::string layer_count(Index layers, AttentionKind kind) {
  return fmt::format("{} {} layer{}", layers, to_string(kind), layers == 1 ? "" : "s");
}

// None, or one of several sequences.
const TokenSequence* sequence_of(const std::vector<TokenSequence>& sequences, Index batch) {
  if (batch < 0 || batch >= static_cast<Index>(sequences.size())) return nullptr;
  return &sequences[static_cast<std::size_t>(batch)];
}

std::vector<std::string> names_of(const std::vector<TokenSequence>& sequences, Index batch) {
  const TokenSequence* sequence = sequence_of(sequences, batch);
  return sequence == nullptr ? std::vector<std::string>{} : sequence->tokens;
}

std::vector<std::string> labels_of(const std::vector<TokenSequence>& sequences, Index batch) {
  const TokenSequence* sequence = sequence_of(sequences, batch);
  if (sequence == nullptr) return {};
  return token_labels(sequence->tokens, sequence->unknown);
}

std::vector<TokenSequence> only(const std::vector<TokenSequence>& sequences, Index batch) {
  const TokenSequence* sequence = sequence_of(sequences, batch);
  return sequence == nullptr ? std::vector<TokenSequence>{} : std::vector<TokenSequence>{*sequence};
}

std::shared_ptr<const Run::Tokens> only(const Run::Tokens& all, Index batch) {
  return std::make_shared<const Run::Tokens>(Run::Tokens{only(all.queries, batch), only(all.keys, batch)});
}

// One batch entry of a layer, with all its heads.
LayerView entry_of(const LayerView& layer, Index batch) {
  if (batch < 0 || batch >= layer.batch()) {
    fail("[run] sequence {} does not exist: there {} {}, counted from 0", batch,
         layer.batch() == 1 ? "is" : "are", layer.batch());
  }
  const auto of_entry = [&](ConstView view) {
    return view.data() == nullptr ? nothing() : ConstView(view.slice(0, batch, batch + 1));
  };
  LayerView one = layer;
  one.q = of_entry(layer.q), one.k = of_entry(layer.k), one.v = of_entry(layer.v);
  one.weights = of_entry(layer.weights);
  if (layer.value_norms != nullptr && layer.batch() > 1) {
    one.value_norms = std::make_shared<const Tensor>(
        Tensor::copy_of(layer.value_norms->view().slice(0, batch, batch + 1)));
  }
  one.options.mask = layer.options.mask.select(batch);
  one.options.bias = layer.options.bias.select(batch);
  return one;
}

void add_mask(LayerView& layer, const Mask& mask) {
  if (mask.is_none()) return;
  if (layer.stored()) fail("[run] stored weights cannot be masked: their softmax has already been applied");
  layer.options.mask = layer.options.mask & mask;
}

}  // namespace

std::string HeadChoice::name() const {
  if (merge == HeadMerge::none) return fmt::format("L{}H{}", layer, head);
  return fmt::format("L{} {}", layer, merge == HeadMerge::max ? "max" : "mean");
}

Run::Run(Capture capture) : model_(std::move(capture.model)) {
  for (const CapturedAttention& call : capture.calls()) {
    layers_.push_back({{call.q, call.k, call.v, nothing(), call.options, call.memory},
                       call.kind,
                       call.layer,
                       nullptr,
                       call.precision});
  }
  for (const AttentionKind kind : kinds()) {
    tokens_.emplace_back(kind, std::make_shared<const Tokens>(
                                   Tokens{capture.query_sequences(kind), capture.key_sequences(kind)}));
  }
}

Run Run::from_weights(AttentionWeights weights, const Mask& mask) {
  const auto values = std::make_shared<const Tensor>(std::move(weights.values));
  check_weights("run", *values);
  const Shape& s = values->shape();
  check_mask(mask, {s[1], s[1], s[2], s[3], s[4]});
  Run run;
  for (Index layer = 0; layer < s[0]; ++layer) {
    run.layers_.push_back(
        {{nothing(), nothing(), nothing(), values->view().select(0, layer), {.mask = mask}, values},
         AttentionKind::encoder,
         layer});
  }
  if (!weights.query_tokens.empty() || !weights.key_tokens.empty()) {
    run.set_tokens(AttentionKind::encoder, weights.query_tokens, std::move(weights.key_tokens));
  }
  return run;
}

Run Run::from_weights(Tensor weights, const Mask& mask) {
  const Shape all = weights_as_rank_5("run", weights).shape();
  AttentionWeights named;
  named.values = std::move(weights).reshaped(all);
  return from_weights(std::move(named), mask);
}

Run Run::from_query_key(Tensor q, Tensor k, const AttentionOptions& options) {
  struct Pair {
    Tensor q, k;
  };
  const auto pair = std::make_shared<const Pair>(Pair{five_axes(std::move(q)), five_axes(std::move(k))});
  check_query_key(pair->q.shape(), pair->k.shape());
  Run run;
  for (Index layer = 0; layer < pair->q.shape()[0]; ++layer) {
    run.layers_.push_back({{pair->q.view().select(0, layer), pair->k.view().select(0, layer), nothing(),
                            nothing(), options, pair},
                           AttentionKind::encoder,
                           layer});
  }
  const LayerView& first = run.layers_.front();
  static_cast<void>(attention_crop(first.q, first.k, options, {}));  // throws if the options do not fit
  return run;
}

std::vector<AttentionKind> Run::kinds() const {
  std::vector<AttentionKind> found;
  for (const AttentionKind kind : kKinds) {
    if (layers(kind) > 0) found.push_back(kind);
  }
  return found;
}

Index Run::layers(AttentionKind kind) const {
  return std::count_if(layers_.begin(), layers_.end(),
                       [&](const auto& layer) { return layer.kind == kind; });
}

const LayerView& Run::layer(AttentionKind kind, Index layer) const {
  for (const LayerView& each : layers_) {
    if (each.kind == kind && each.layer == layer) return each;
  }
  std::string there;
  for (const AttentionKind each : kinds()) {
    there += (there.empty() ? "" : ", ") + layer_count(layers(each), each);
  }
  fail("[run] {} layer {} does not exist: there {}", to_string(kind), layer,
       there.empty() ? "is nothing" : "are " + there + ", counted from 0");
}

const Run::Tokens& Run::tokens(AttentionKind kind) const {
  static const Tokens none;
  for (const auto& [known, tokens] : tokens_) {
    if (known == kind) return *tokens;
  }
  return none;
}

std::vector<std::string> Run::query_tokens(AttentionKind kind, Index batch) const {
  return names_of(tokens(kind).queries, batch);
}

std::vector<std::string> Run::key_tokens(AttentionKind kind, Index batch) const {
  return names_of(tokens(kind).keys, batch);
}

std::vector<std::string> Run::query_labels(AttentionKind kind, Index batch) const {
  return labels_of(tokens(kind).queries, batch);
}

std::vector<std::string> Run::key_labels(AttentionKind kind, Index batch) const {
  return labels_of(tokens(kind).keys, batch);
}

std::vector<TextReading> Run::readings(Index batch) const {
  std::vector<TextReading> all;
  for (const AttentionKind kind : kinds()) {
    if (kind == AttentionKind::cross && kinds().size() > 1) continue;  // the tokens of the two others
    const TokenSequence* sequence = sequence_of(tokens(kind).queries, batch);
    if (sequence != nullptr) all.insert(all.end(), sequence->texts.begin(), sequence->texts.end());
  }
  return all;
}

std::vector<Index> Run::key_segments(AttentionKind kind, Index batch) const {
  const TokenSequence* keys = sequence_of(tokens(kind).keys, batch);
  if (keys == nullptr) return {};
  const auto& segments = keys->segments;
  const bool pair = std::any_of(segments.begin(), segments.end(), [](Index s) { return s != 0; });
  return pair ? segments : std::vector<Index>{};
}

void Run::set_tokens(AttentionKind kind, const std::vector<std::string>& queries,
                     std::vector<std::string> keys) {
  const Index batch = layer(kind, 0).batch();
  const auto for_all = [&](std::vector<std::string> names) {
    std::vector<std::vector<std::string>> all;
    if (names.empty() || batch == 0) return all;
    for (Index b = 1; b < batch; ++b) all.push_back(names);
    all.push_back(std::move(names));
    return all;
  };
  set_tokens_of_each(kind, for_all(queries), for_all(std::move(keys)));
}

void Run::set_tokens_of_each(AttentionKind kind, const std::vector<std::vector<std::string>>& queries,
                             std::vector<std::vector<std::string>> keys) {
  const LayerView& first = layer(kind, 0);
  if (keys.empty() && first.queries() == first.keys()) keys = queries;
  const auto sequences = [&](const std::vector<std::vector<std::string>>& all, Index expected,
                             const char* each) {
    if (!all.empty() && static_cast<Index>(all.size()) != first.batch()) {
      fail("[run] tokens of {} sequences, expected {}", all.size(), first.batch());
    }
    std::vector<TokenSequence> made;
    for (const std::vector<std::string>& names : all) {
      if (static_cast<Index>(names.size()) != expected) {
        fail("[run] got {} token{}, expected {}, one per {}", names.size(), names.size() == 1 ? "" : "s",
             expected, each);
      }
      made.push_back(TokenSequence{names, {}, {}, {}, {}});
    }
    return made;
  };
  const auto tokens = std::make_shared<const Tokens>(
      Tokens{sequences(queries, first.queries(), "query"), sequences(keys, first.keys(), "key")});
  std::erase_if(tokens_, [&](const auto& known) { return known.first == kind; });
  tokens_.emplace_back(kind, tokens);
}

Run Run::select(AttentionKind kind, Index batch) const {
  static_cast<void>(layer(kind, 0));
  Run part;
  part.model_ = model_;
  for (const LayerView& each : layers_) {
    if (each.kind == kind) part.layers_.push_back(entry_of(each, batch));
  }
  part.tokens_.emplace_back(kind, only(tokens(kind), batch));
  return part;
}

Run Run::sequence(Index batch) const {
  Run one;
  one.model_ = model_;
  for (const LayerView& each : layers_) one.layers_.push_back(entry_of(each, batch));
  for (const auto& [kind, all] : tokens_) one.tokens_.emplace_back(kind, only(*all, batch));
  return one;
}

Run Run::masked(const Mask& mask) const {
  Run result = *this;
  for (LayerView& layer : result.layers_) add_mask(layer, mask);
  return result;
}

LayerView Run::entry(const HeadChoice& choice) const {
  LayerView one = entry_of(layer(choice.kind, choice.layer), choice.batch);
  // A mask that knows several sequences is meant for those of the run.
  add_mask(one, choice.mask.batch() > 1 ? choice.mask.select(choice.batch) : choice.mask);
  return one;
}

AttentionView Run::head(const HeadChoice& choice) const {
  const LayerView all = entry(choice);
  if (choice.merge != HeadMerge::none) fail("[run] {} is not one head", choice.name());
  if (choice.passed_on) fail("[run] what {} passes on is a matrix, not a head", choice.name());
  if (choice.head < 0 || choice.head >= all.heads()) {
    fail("[run] head {} does not exist: there {} {}, counted from 0", choice.head,
         all.heads() == 1 ? "is" : "are", all.heads());
  }
  const auto of_head = [&](ConstView view, Index index) {
    return view.data() == nullptr ? nothing() : ConstView(view.select(0, 0).select(0, index));
  };
  AttentionView one = all;
  if (all.stored()) {
    one.weights = of_head(all.weights, choice.head);
  } else {
    const Index key_head = choice.head / (all.heads() / all.k.shape()[1]);
    one.q = of_head(all.q, choice.head);
    one.k = of_head(all.k, key_head), one.v = of_head(all.v, key_head);
  }
  one.options.mask = all.options.mask.select(0, choice.head);
  one.options.bias = all.options.bias.select(0, choice.head);
  return one;
}

Mask Run::visible(const HeadChoice& choice) const {
  HeadChoice weights = choice;
  weights.passed_on = false;
  if (choice.merge == HeadMerge::none) return head(weights).options.mask;
  return entry(choice).options.mask.of_any_head(0);
}

void Run::set_value_norms(AttentionKind kind, Index index, Tensor norms) {
  const LayerView& there = layer(kind, index);
  const Shape expected = {there.batch(), there.heads(), there.keys()};
  if (!(norms.shape() == expected)) {
    fail("[run] value norms of {} layer {} are {}, expected {}", to_string(kind), index,
         norms.shape().to_string(), expected.to_string());
  }
  for (Index i = 0; i < expected.elements(); ++i) {
    if (norms.data()[i] >= 0 && std::isfinite(norms.data()[i])) continue;
    fail("[run] a value norm of {} layer {} is {}, expected a number from 0 on", to_string(kind), index,
         norms.data()[i]);
  }
  const auto kept = std::make_shared<const Tensor>(std::move(norms));
  for (LayerView& each : layers_) {
    if (each.kind == kind && each.layer == index) each.value_norms = kept;
  }
}

bool Run::has_value_norms(AttentionKind kind) const {
  return layers(kind) > 0 && std::all_of(layers_.begin(), layers_.end(), [&](const LayerView& each) {
           return each.kind != kind || each.value_norms != nullptr;
         });
}

std::size_t Run::bytes() const {
  Index numbers = 0;
  for (const LayerView& layer : layers_) {
    for (const ConstView& view : {layer.q, layer.k, layer.v, layer.weights}) {
      if (view.data() != nullptr) numbers += view.shape().elements();
    }
  }
  return static_cast<std::size_t>(numbers) * sizeof(float);
}

}  // namespace fovea
