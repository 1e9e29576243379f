// Independent truths for the exercises, and the ways in which people write answers.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fovea/attention.h"
#include "fovea/exercises.h"
#include "fovea/linear_attention.h"
#include "fovea/softmax.h"
#include "reference/attention.h"
#include "reference/linear_attention.h"

namespace fovea {

inline bool is_chinese(const std::string& text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0xE4 && byte <= 0xE9) return true;  // U+4000 to U+9FFF
  }
  return false;
}

struct AsWritten {
  const char* name;
  bool float32 = false, rounded = false;
};

// By hand: three decimals. By programs: all digits, float32, or rounded in the end.
inline std::vector<AsWritten> ways_to_write(const Exercise& exercise) {
  if (exercise.kind == ExerciseKind::by_hand) return {{"three decimals", false, true}};
  return {{"float64"}, {"float32", true, false}, {"three decimals", false, true}};
}

inline NumberArray written_as(NumberArray numbers, const AsWritten& written) {
  for (double& value : numbers.values) {
    if (written.float32) value = static_cast<double>(static_cast<float>(value));
    if (written.rounded && std::isfinite(value)) value = std::nearbyint(value * 1000) / 1000;
  }
  return numbers;
}

// What the exercise asks for; programs give the output alone.
inline Answer answer_of_exercise(const Exercise& exercise, const Solution& solution,
                                 const AsWritten& written) {
  Answer answer;
  if (exercise.answer != "weights") answer.output = written_as(solution.output, written);
  if (exercise.answer != "output") answer.weights = written_as(solution.weights, written);
  if (written.rounded) answer.output_decimals = answer.weights_decimals = 3;
  return answer;
}

inline reference::DoubleArray doubles(const Matrix& matrix) { return {matrix.shape(), matrix.values()}; }

// [N, H·D] as [1, H, N, D].
inline reference::DoubleArray heads_of(const reference::DoubleArray& wide, Index heads) {
  const Index n = wide.shape[0], d = wide.shape[1] / heads;
  reference::DoubleArray split(Shape{1, heads, n, d});
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < d; ++c) {
        split.values[static_cast<std::size_t>((h * n + i) * d + c)] = wide.row(i)[h * d + c];
      }
    }
  }
  return split;
}

// [1, H, N, D] as [N, H·D].
inline reference::DoubleArray joined(const reference::DoubleArray& split) {
  const Index heads = split.shape[1], n = split.shape[2], d = split.shape[3];
  reference::DoubleArray wide(Shape{n, heads * d});
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < d; ++c) wide.row(i)[h * d + c] = split.row(h * n + i)[c];
    }
  }
  return wide;
}

inline AttentionOptions options_of(const Problem& problem) {
  AttentionOptions options;
  options.weights = true;
  if (problem.causal) options.mask = Mask::causal();
  if (!problem.real.empty()) {
    const std::vector<std::uint8_t> real(problem.real.begin(), problem.real.end());
    options.mask = options.mask & Mask::padding(Flags(Shape{1, static_cast<Index>(real.size())}, real));
  }
  return options;
}

struct ProjectedArrays {
  reference::DoubleArray q, k, v;  // [1, H, N, D]
};

inline ProjectedArrays projected_arrays(const Problem& problem) {
  using reference::matmul;
  if (problem.x.empty()) {
    return {heads_of(doubles(problem.q), problem.heads), heads_of(doubles(problem.k), problem.heads),
            heads_of(doubles(problem.v), problem.heads)};
  }
  const reference::DoubleArray x = doubles(problem.x),
                               memory = doubles(problem.memory.empty() ? problem.x : problem.memory);
  return {heads_of(matmul(x, doubles(problem.w_q)), problem.heads),
          heads_of(matmul(memory, doubles(problem.w_k)), problem.heads),
          heads_of(matmul(memory, doubles(problem.w_v)), problem.heads)};
}

inline Solution solution_of(const Problem& problem, const reference::DoubleArray& output,
                            const reference::DoubleArray& weights) {
  reference::DoubleArray wide = joined(output);
  if (!problem.w_o.empty()) wide = reference::matmul(wide, doubles(problem.w_o));
  const Shape shape = problem.heads == 1 ? Shape{weights.shape[2], weights.shape[3]}
                                         : Shape{weights.shape[1], weights.shape[2], weights.shape[3]};
  return {{wide.shape, wide.values}, {shape, weights.values}};
}

// In double, by the one reference of the project.
inline Solution reference_solution(const Problem& problem) {
  if (!problem.scores.empty()) {
    const reference::DoubleArray weights = reference::softmax(doubles(problem.scores), 1);
    return {{weights.shape, weights.values}, {}};
  }
  if (problem.linear) {
    const reference::DoubleArray output =
        reference::linear_attention(doubles(problem.q), doubles(problem.k), doubles(problem.v));
    return {{output.shape, output.values}, {}};
  }
  const ProjectedArrays all = projected_arrays(problem);
  const reference::AttentionResult result = reference::attention(all.q, all.k, all.v, options_of(problem));
  return solution_of(problem, result.output, result.weights);
}

inline Tensor floats(const reference::DoubleArray& array) {
  Tensor tensor(array.shape);
  for (std::size_t i = 0; i < array.values.size(); ++i)
    tensor.data()[i] = static_cast<float>(array.values[i]);
  return tensor;
}

// In float32, by the kernels.
inline Solution engine_solution(const Problem& problem) {
  if (!problem.scores.empty()) {
    const reference::DoubleArray weights = softmax(problem.scores.to_tensor());
    return {{weights.shape, weights.values}, {}};
  }
  if (problem.linear) {
    const reference::DoubleArray output =
        linear_attention(problem.q.to_tensor(), problem.k.to_tensor(), problem.v.to_tensor());
    return {{output.shape, output.values}, {}};
  }
  const ProjectedArrays all = projected_arrays(problem);
  const AttentionResult result =
      attention(floats(all.q), floats(all.k), floats(all.v), options_of(problem));
  return solution_of(problem, result.output, result.weights);
}

}  // namespace fovea
