#include "inputs/query_key_input.h"

#include <fmt/core.h>

#include <algorithm>

#include "fovea/error.h"
#include "inputs/arrays.h"
#include "inputs/model_input.h"

namespace fovea::command {
namespace {

// [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D] with all five axes.
Tensor five_axes(Tensor tensor, const std::string& source) {
  const Shape shape = tensor.shape();
  if (shape.rank() == 2) return std::move(tensor).reshaped({1, 1, 1, shape[0], shape[1]});
  if (shape.rank() == 3) return std::move(tensor).reshaped({1, shape[0], 1, shape[1], shape[2]});
  if (shape.rank() == 4) return std::move(tensor).reshaped({1, shape[0], shape[1], shape[2], shape[3]});
  if (shape.rank() == 5) return tensor;
  throw Error(
      fmt::format("{}: queries and keys have shape [N, D], [B, N, D], [B, H, N, D] or "
                  "[L, B, H, N, D], got {}",
                  source, shape.to_string()));
}

// k must fit q in all but the number of keys; fewer key heads may serve several query heads.
void check_shapes(const Shape& q, const Shape& k) {
  const bool fits = q[0] == k[0] && q[1] == k[1] && k[2] > 0 && q[2] % k[2] == 0 && q[4] == k[4];
  if (fits && q.elements() > 0 && k.elements() > 0) return;
  throw Error(
      fmt::format("[q, k] got q {} and k {} (as [L, B, H, N, D]), expected the same layers, batch "
                  "and width, and as many heads or a divisor",
                  q.to_string(), k.to_string()));
}

// The tensors of all layers in one, [L, ..].
Tensor stacked(const Capture& capture, AttentionKind kind, ConstView CapturedAttention::*part) {
  const Index layers = capture.layers(kind);
  const Shape one = (capture.at(kind, 0).*part).shape();
  Tensor all = Tensor::uninitialized({layers, one[0], one[1], one[2], one[3]});
  float* to = all.data();
  for (Index layer = 0; layer < layers; ++layer) {
    const Tensor numbers = Tensor::copy_of(capture.at(kind, layer).*part);
    to = std::copy_n(numbers.data(), one.elements(), to);
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<TokenSequence>& sequences) {
  return sequences.size() == 1 ? sequences.front().tokens : std::vector<std::string>{};
}

}  // namespace

HeadInput QueryKeys::head(Index layer, Index entry, Index head) const {
  const Index group = heads() / k.shape()[2];
  AttentionOptions one = options;
  one.mask = options.mask.select(entry, head);
  one.bias = options.bias.select(entry, head);
  return {q.view().select(0, layer).select(0, entry).select(0, head),
          k.view().select(0, layer).select(0, entry).select(0, head / group), std::move(one)};
}

void QueryKeyInput::declare(OptionList& options) {
  options.path("--q", "FILE", q_,
               tr("queries [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D] instead of weights: for long "
                  "inputs, the matrix of weights is never built"));
  options.path("--k", "FILE", k_, tr("keys; default: the array k of --q's file"));
  options.path(
      "--model", "M", model_,
      tr("a model (its folder, or a name of fovea model list) that reads TEXT, or a pair of texts; a "
         "text may be a file, or - for standard input"));
  options.path("--capture", "FILE", capture_, tr("a run that fovea generate --capture kept"));
  options.choice("--kind", {"encoder", "decoder", "cross"}, kind_,
                 tr("of an encoder-decoder model: which attention; default: encoder"));
  scores_.declare(options);
}

void QueryKeyInput::check(std::size_t words) const {
  if (k_ && !q_) throw UsageError("--k: --q is missing");
  if ((q_ ? 1 : 0) + (model_ ? 1 : 0) + (capture_ ? 1 : 0) > 1) {
    throw UsageError("got several of --q, --model and --capture, expected one");
  }
  if (model_ && (words < 1 || words > 2)) {
    throw UsageError(fmt::format("--model: got {} texts, expected one, or two for a pair", words));
  }
  if (!kind_.empty() && !model_ && !capture_) throw UsageError("--kind goes with --model and --capture");
  if (!q_ && scores_.change_scores()) {
    throw UsageError(
        "--scale, --softcap and --alibi go with --q and --k: weights of a file are computed, and a model "
        "says how it attends");
  }
  scores_.check();
}

QueryKeys QueryKeyInput::load(const std::vector<std::string>& texts) const {
  if (model_) return from_capture(capture_arguments(*model_, texts));
  if (capture_) return from_capture(Capture::load(*capture_));
  return from_files();
}

QueryKeys QueryKeyInput::from_files() const {
  const auto pick = [](const NamedArrays& arrays, const char* name, bool shared) {
    const std::optional<std::string> key = shared ? std::optional<std::string>(name) : std::nullopt;
    return five_axes(pick_tensor(arrays, key, {name}), arrays.source());
  };
  QueryKeys input;
  {
    const NamedArrays arrays = load_arrays(*q_);
    input.q = pick(arrays, "q", !k_);
    if (!k_) input.k = pick(arrays, "k", true);
  }
  if (k_) input.k = pick(load_arrays(*k_), "k", false);
  check_shapes(input.q.shape(), input.k.shape());
  input.options = scores_.attention_options(input.heads());
  return input;
}

AttentionKind QueryKeyInput::kind_of(const Capture& capture) const {
  const std::vector<AttentionKind> there = capture.kinds();
  if (there.empty()) throw Error("[capture] there is no attention in it");
  if (kind_.empty()) return there.front();
  std::string names;
  for (const AttentionKind kind : there) {
    if (kind_ == to_string(kind)) return kind;
    names += (names.empty() ? "" : ", ") + std::string(to_string(kind));
  }
  throw UsageError(fmt::format("--kind: got {}, {} has {}", kind_, capture.model, names));
}

// All layers of a run attend in the same way: mask, bias and scale are those of the first. A mask that was
// asked for hides more.
QueryKeys QueryKeyInput::from_capture(const Capture& capture) const {
  const AttentionKind kind = kind_of(capture);
  QueryKeys run;
  run.q = stacked(capture, kind, &CapturedAttention::q);
  run.k = stacked(capture, kind, &CapturedAttention::k);
  run.options = capture.at(kind, 0).options;
  run.options.mask = run.options.mask & scores_.mask();
  run.query_tokens = names_of(capture.query_sequences(kind));
  run.key_tokens = names_of(capture.key_sequences(kind));
  run.model = capture.model;
  const std::vector<TokenSequence>& keys = capture.key_sequences(kind);
  if (keys.size() == 1) run.segments = keys.front().segments;
  if (std::count(run.segments.begin(), run.segments.end(), 1) == 0) run.segments.clear();
  return run;
}

}  // namespace fovea::command
