#include "query_key_input.h"

#include <fmt/core.h>

#include "arrays.h"
#include "fovea/error.h"

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

}  // namespace

void QueryKeyInput::declare(OptionList& options) {
  options.path("--q", "FILE", q_,
               {"queries [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D] instead of weights: for long "
                "inputs, the matrix of weights is never built",
                "用查询 [N, D]、[B, N, D]、[B, H, N, D] 或 [L, B, H, N, D] 代替权重：适合长输入，"
                "不会构造权重矩阵"});
  options.path("--k", "FILE", k_,
               {"keys; default: the array k of --q's file", "键；默认取 --q 文件中的 k"});
  scores_.declare(options);
}

void QueryKeyInput::check() const {
  if (k_ && !q_) throw UsageError("--k: --q is missing");
  if (!q_ && scores_.change_scores()) {
    throw UsageError("--scale, --softcap and --alibi go with --q and --k: weights of a file are computed");
  }
  scores_.check();
}

QueryKeys QueryKeyInput::load() const {
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

HeadInput QueryKeyInput::head(const QueryKeys& input, Index layer, Index entry, Index head) const {
  const Index group = input.heads() / input.k.shape()[2];
  ConstView q = input.q.view().select(0, layer).slice(1, head, head + 1);
  ConstView k = input.k.view().select(0, layer).slice(1, head / group, head / group + 1);
  AttentionOptions options = input.options;
  options.bias = scores_.bias_of_head(head, input.heads());
  if (options.mask.batch() > 1) return {q, k, options, entry};
  return {q.slice(0, entry, entry + 1), k.slice(0, entry, entry + 1), options, 0};
}

}  // namespace fovea::command
