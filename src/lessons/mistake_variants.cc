#include "lessons/mistake_variants.h"

#include <cmath>
#include <limits>

#include "core/fail.h"
#include "explain/arithmetic.h"
#include "fovea/random.h"
#include "lessons/mistake_heads.h"
#include "lessons/mistake_linear.h"
#include "lessons/mistake_softmax.h"

namespace fovea {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

bool is_masked(const Problem& problem) { return problem.causal || !problem.real.empty(); }

// Pass 1: queries, keys and values, [N, H·D], [M, H·D], [M, H·Dv].
struct Projected {
  Matrix q, k, v;
};

Projected projected(const Problem& problem, const Slips& slips) {
  if (problem.x.empty()) return {problem.q, problem.k, problem.v};
  const bool self = problem.memory.empty() || slips.has(Slip::memory_not_used);
  const Matrix& memory = self ? problem.x : problem.memory;
  return {product(problem.x, problem.w_q), product(memory, problem.w_k), product(memory, problem.w_v)};
}

// Pass 2: who sees whom, [N][M].
using Visible = std::vector<std::vector<bool>>;

bool sees_by_order(const Problem& problem, const Slips& slips, Index position, Index key) {
  if (!problem.causal || slips.has(Slip::causal_forgotten)) return true;
  if (slips.has(Slip::causal_reversed)) return key >= position;
  if (slips.is(Slip::causal_off_by_one, 0)) return key <= position + 1;
  if (slips.is(Slip::causal_off_by_one, 1)) return key < position;
  return key <= position;
}

std::optional<Visible> visible_pairs(const Problem& problem, const Slips& slips, Index n, Index m) {
  const bool by_queries = slips.has(Slip::padding_of_queries);
  const bool pads = !problem.real.empty() && !slips.has(Slip::padding_ignored);
  if (pads && static_cast<Index>(problem.real.size()) != (by_queries ? n : m)) return std::nullopt;
  Visible visible(static_cast<std::size_t>(n), std::vector<bool>(static_cast<std::size_t>(m)));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      const bool real = !pads || problem.real[static_cast<std::size_t>(by_queries ? i : j)];
      const bool seen = real && sees_by_order(problem, slips, i + m - n, j);
      visible[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          seen != slips.has(Slip::mask_inverted);
    }
  }
  return visible;
}

// Pass 3: the scores of one head, scaled, [N, M].
double divisor(const Problem& problem, const Slips& slips, Index width) {
  const auto d = static_cast<double>(width);
  if (slips.has(Slip::no_scaling)) return 1;
  if (slips.has(Slip::scaled_by_d)) return d;
  if (slips.has(Slip::multiplied_by_sqrt_d)) return 1 / std::sqrt(d);
  if (slips.has(Slip::scaled_by_d_model)) {
    return std::sqrt(static_cast<double>(problem.x.empty() ? problem.q.columns() : problem.x.columns()));
  }
  // The second form of heads_not_split scales as if they had been.
  if (slips.is(Slip::heads_not_split, 1)) return std::sqrt(d / static_cast<double>(problem.heads));
  return std::sqrt(d);
}

std::optional<Matrix> scaled_scores(const Problem& problem, const Slips& slips, const Matrix& q,
                                    const Matrix& k) {
  if (slips.has(Slip::keys_not_transposed) && k.rows() != q.columns()) return std::nullopt;
  if (slips.has(Slip::query_key_swapped) && q.rows() != k.rows()) return std::nullopt;
  Matrix scores = slips.has(Slip::keys_not_transposed) ? product(q, k)
                  : slips.has(Slip::query_key_swapped) ? product_transposed(k, q)
                                                       : product_transposed(q, k);
  scores = scaled_by(scores, 1 / divisor(problem, slips, q.columns()));
  if (!slips.has(Slip::rounded_early)) return scores;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.columns(); ++j) scores(i, j) = std::nearbyint(scores(i, j) * 100) / 100;
  }
  return scores;
}

// Pass 4: the mask. Hidden pairs become −inf, unless that comes too late or not at all.
Matrix masked(const Matrix& scores, const Visible& visible, const Slips& slips) {
  if (slips.has(Slip::mask_after_softmax)) return scores;
  Matrix result = scores;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.columns(); ++j) {
      const bool seen = visible[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      if (slips.is(Slip::mask_as_one_and_zero, 0)) {
        result(i, j) += seen ? 1 : 0;  // added
      } else if (slips.is(Slip::mask_as_one_and_zero, 1)) {
        result(i, j) *= seen ? 1 : 0;  // multiplied
      } else if (!seen) {
        result(i, j) = kMinusInfinity;
      }
    }
  }
  return result;
}

// Pass 6: dropout of 30 %, and at least one weight, as if the model were still in training.
Matrix dropped(const Matrix& weights) {
  constexpr double kDropped = 0.3;
  Random random(1);
  Matrix result = weights;
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index j = 0; j < weights.columns(); ++j) {
      const bool drop = (i == 0 && j == 0) || random.uniform() < kDropped;
      result(i, j) = drop ? 0 : weights(i, j) / (1 - kDropped);
    }
  }
  return result;
}

// Pass 5: the weights of one head.
Matrix weights_of(const Matrix& scores, const Visible& visible, const Slips& slips, bool& empty_rows) {
  Matrix weights = softmax_with(masked(scores, visible, slips), scores, slips, empty_rows);
  if (slips.has(Slip::mask_after_softmax)) {
    for (Index i = 0; i < weights.rows(); ++i) {
      for (Index j = 0; j < weights.columns(); ++j) {
        if (!visible[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]) weights(i, j) = 0;
      }
    }
  }
  return slips.has(Slip::dropout_at_inference) ? dropped(weights) : weights;
}

// Pass 7: all heads, joined and projected.
NumberArray numbers_of(const std::vector<Matrix>& heads) {
  if (heads.size() == 1) return {heads.front().shape(), heads.front().values()};
  NumberArray all = {{static_cast<Index>(heads.size()), heads.front().rows(), heads.front().columns()}, {}};
  for (const Matrix& head : heads) {
    all.values.insert(all.values.end(), head.values().begin(), head.values().end());
  }
  return all;
}

std::optional<Matrix> output_of(const Problem& problem, const Slips& slips,
                                const std::vector<Matrix>& weights, const std::vector<Matrix>& values) {
  if (slips.has(Slip::values_forgotten)) return weights.front();
  std::vector<Matrix> outputs;
  for (std::size_t h = 0; h < weights.size(); ++h) {
    outputs.push_back(
        product(slips.is(Slip::heads_averaged, 1) ? mean_of(weights) : weights[h], values[h]));
  }
  const Matrix joined = join_heads(outputs, slips);
  const bool projects = !problem.w_o.empty() && !slips.has(Slip::output_projection_forgotten);
  if (!projects || slips.is(Slip::heads_averaged, 0)) return joined;
  if (joined.columns() != problem.w_o.rows()) return std::nullopt;
  return product(joined, problem.w_o);
}

std::optional<Variant> attention_variant(const Problem& problem, const Slips& slips) {
  const Projected all = projected(problem, slips);
  const std::vector<Matrix> q = split_heads(all.q, problem.heads, slips),
                            k = split_heads(all.k, problem.heads, slips),
                            v = split_heads(all.v, problem.heads, slips);
  Variant variant;
  std::vector<Matrix> weights;
  for (std::size_t h = 0; h < q.size(); ++h) {
    const std::optional<Matrix> scores = scaled_scores(problem, slips, q[h], k[h]);
    if (!scores || scores->columns() != v[h].rows()) return std::nullopt;
    const std::optional<Visible> visible = visible_pairs(problem, slips, scores->rows(), scores->columns());
    if (!visible) return std::nullopt;
    weights.push_back(weights_of(*scores, *visible, slips, variant.empty_rows));
  }
  const std::optional<Matrix> output =
      output_of(problem, slips, weights, slips.has(Slip::values_are_keys) ? k : v);
  if (!output) return std::nullopt;
  variant.solution = {{output->shape(), output->values()}, numbers_of(weights)};
  return variant;
}

std::optional<Variant> softmax_variant(const Problem& problem, const Slips& slips) {
  Variant variant;
  const Matrix weights = softmax_with(problem.scores, problem.scores, slips, variant.empty_rows);
  variant.solution.output = {weights.shape(), weights.values()};
  return variant;
}

void add_forms(const Problem& problem, const std::vector<Slip>& chosen, std::size_t next, Slips slips,
               std::vector<Solution>& all) {
  if (next < chosen.size()) {
    for (int form = 0; form < facts_of(chosen[next]).forms; ++form) {
      slips.add(chosen[next], form);
      add_forms(problem, chosen, next + 1, slips, all);
    }
    return;
  }
  for (const EmptyRows empty : kEmptyRows) {
    slips.empty_rows = empty;
    const std::optional<Variant> variant = variant_of(problem, slips);
    if (!variant) return;
    all.push_back(variant->solution);
    if (!variant->empty_rows) return;
  }
}

}  // namespace

bool applies(const Problem& problem, Slip slip) {
  const bool softmax = !problem.scores.empty();
  const SlipStep step = facts_of(slip).step;
  if (softmax) return step == SlipStep::softmax && slip != Slip::no_softmax;
  if (problem.linear) {
    return step == SlipStep::linear || slip == Slip::denominator_forgotten || slip == Slip::values_are_keys;
  }
  switch (step) {
    case SlipStep::linear:
      return false;
    case SlipStep::inputs:
      return !problem.memory.empty();
    case SlipStep::heads:
      return problem.heads > 1;
    case SlipStep::mask:
      return is_masked(problem);
    case SlipStep::causal:
      return problem.causal;
    case SlipStep::padding:
      return !problem.real.empty();
    case SlipStep::projection:
      return !problem.w_o.empty();
    default:
      break;
  }
  // d_model is what the heads share, or what was projected from.
  if (slip == Slip::scaled_by_d_model) return problem.heads > 1 || !problem.x.empty();
  if (slip == Slip::values_forgotten) return problem.heads == 1;
  return true;
}

std::optional<Variant> variant_of(const Problem& problem, const Slips& slips) {
  if (!problem.scores.empty()) return softmax_variant(problem, slips);
  return problem.linear ? linear_variant(problem, slips) : attention_variant(problem, slips);
}

std::vector<Solution> variants_of(const Problem& problem, const std::vector<Slip>& slips) {
  std::vector<Solution> all;
  for (std::size_t i = 0; i < slips.size(); ++i) {
    if (!applies(problem, slips[i])) return all;
    for (std::size_t j = 0; j < i; ++j) {
      if (facts_of(slips[i]).step == facts_of(slips[j]).step) return all;
    }
  }
  add_forms(problem, slips, 0, {}, all);
  return all;
}

void check_problem(const Problem& problem) {
  if (!problem.scores.empty()) return;
  if (problem.heads < 1) fail("[solve] got {} heads, expected at least 1", problem.heads);
  const auto multiply = [](const char* name, const Matrix& a, const Matrix& b) {
    if (a.columns() != b.rows()) {
      fail("[solve] {} is {}, expected {} rows", name, b.shape_text(), a.columns());
    }
  };
  if (!problem.x.empty()) {
    const Matrix& memory = problem.memory.empty() ? problem.x : problem.memory;
    multiply("w_q", problem.x, problem.w_q);
    multiply("w_k", memory, problem.w_k);
    multiply("w_v", memory, problem.w_v);
  }
  const Projected all = projected(problem, {});
  if (all.q.empty() || all.q.columns() != all.k.columns() || all.k.rows() != all.v.rows()) {
    fail("[solve] q is {}, k {}, v {}: expected [N, D], [M, D], [M, Dv]", all.q.shape_text(),
         all.k.shape_text(), all.v.shape_text());
  }
  for (const Matrix* each : {&all.q, &all.v}) {
    if (each->columns() % problem.heads != 0) {
      fail("[solve] got a width of {}, expected a multiple of {} heads", each->columns(), problem.heads);
    }
  }
  if (!problem.real.empty() && static_cast<Index>(problem.real.size()) != all.k.rows()) {
    fail("[solve] got {} flags of padding, expected {}", problem.real.size(), all.k.rows());
  }
  if (!problem.w_o.empty()) multiply("w_o", all.v, problem.w_o);
}

Solution solve(const Problem& problem) {
  check_problem(problem);
  Slips right;
  right.empty_rows = EmptyRows::zero;
  return variant_of(problem, right)->solution;
}

std::vector<Solution> solve_wrongly(const Problem& problem, const std::vector<std::string>& mistakes) {
  check_problem(problem);
  std::vector<Slip> slips;
  for (const std::string& id : mistakes) slips.push_back(facts_of(id).slip);
  return variants_of(problem, slips);
}

}  // namespace fovea
