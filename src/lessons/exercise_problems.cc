// The inputs of the exercises: those of the mission's examples, and generated ones that show every mistake.
#include <cmath>

#include "core/fail.h"
#include "fovea/exercises.h"

namespace fovea {
namespace {

constexpr double kLoud = 64;  // makes the scores of one row exceed those of the others by more than 745

// N(0, 1) with two decimals, times `spread`: numbers that a person can read.
Matrix readable(Random& random, Index rows, Index columns, double spread = 1) {
  Matrix matrix = Matrix::normal(random, rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      matrix(i, j) = std::nearbyint(matrix(i, j) * spread * 100) / 100;
    }
  }
  return matrix;
}

struct Sizes {
  Index n = 0, m = 0, d = 0, dv = 0;
};

Problem query_key_value(std::uint32_t seed, const Sizes& sizes) {
  Random random = Random::numpy(seed);
  Problem problem;
  problem.q = readable(random, sizes.n, sizes.d, 1.5);
  problem.k = readable(random, sizes.m, sizes.d, 1.5);
  problem.v = readable(random, sizes.m, sizes.dv, 3);
  return problem;
}

// One query speaks much louder than the others, and finds the first key: the others' scores are so far
// below the largest that their exp is 0.
Problem loud_query_key_value(std::uint32_t seed, const Sizes& sizes) {
  Problem problem = query_key_value(seed, sizes);
  for (Index c = 0; c < sizes.d; ++c) {
    problem.k(0, c) = 4;
    problem.q(0, c) = 4 * kLoud;
  }
  return problem;
}

struct Widths {
  Index n = 0, e = 0, d = 0, dv = 0;  // d and dv: of all heads together
};

Problem projected_problem(std::uint32_t seed, const Widths& widths, Index memory = 0) {
  Random random = Random::numpy(seed);
  Problem problem;
  problem.x = readable(random, widths.n, widths.e);
  if (memory > 0) problem.memory = readable(random, memory, widths.e);
  problem.w_q = readable(random, widths.e, widths.d);
  problem.w_k = readable(random, widths.e, widths.d);
  problem.w_v = readable(random, widths.e, widths.dv, 2);
  return problem;
}

// A row of X that is much longer than the others. Its own key is what it finds: w_k = w_q.
Problem loud_projected_problem(std::uint32_t seed, const Widths& widths) {
  Problem problem = projected_problem(seed, widths);
  problem.w_k = problem.w_q;
  for (Index c = 0; c < widths.e; ++c) problem.x(0, c) *= kLoud;
  return problem;
}

Problem with_heads(Problem problem, Index heads, std::uint32_t seed) {
  Random random = Random::numpy(seed);
  problem.heads = heads;
  problem.w_o = readable(random, problem.w_v.columns(), problem.x.columns());
  return problem;
}

Problem causal(Problem problem) {
  problem.causal = true;
  return problem;
}

Problem padded(Problem problem, Index real) {
  problem.real.assign(static_cast<std::size_t>(problem.k.rows()), false);
  for (Index i = 0; i < real; ++i) problem.real[static_cast<std::size_t>(i)] = true;
  return causal(std::move(problem));
}

Problem linear(Problem problem) {
  problem.linear = true;
  return problem;
}

Problem heads_without_projections(Problem problem, Index heads) {
  problem.heads = heads;
  return problem;
}

// X 3×4, then W_q, W_k, W_v 4×3 of NumPy's seed 42, all digits.
Problem numpy_42() {
  Random random = Random::numpy(42);
  Problem problem;
  problem.x = Matrix::normal(random, 3, 4);
  problem.w_q = Matrix::normal(random, 4, 3);
  problem.w_k = Matrix::normal(random, 4, 3);
  problem.w_v = Matrix::normal(random, 4, 3);
  return problem;
}

Problem of_scores(Matrix scores) {
  Problem problem;
  problem.scores = std::move(scores);
  return problem;
}

Problem of_matrices(Matrix q, Matrix k, Matrix v) {
  Problem problem;
  problem.q = std::move(q);
  problem.k = std::move(k);
  problem.v = std::move(v);
  return problem;
}

std::vector<Problem> by_hand_problems(std::string_view id) {
  if (id == "weights-by-hand") return {of_matrices({{1}}, {{1}, {2}, {0.5}}, {{10}, {20}, {5}})};
  if (id == "second-by-hand") return {of_matrices({{1, 0}}, Matrix::identity(2), {{5, 0}, {0, 10}})};
  if (id == "three-words") {
    const Matrix x = {{1, 0.5}, {0.8, 0.6}, {0.5, 1}};
    return {of_matrices({{1, 0.5}}, x, x)};
  }
  return {};
}

std::vector<Problem> deep_ml_problems(std::string_view id) {
  if (id == "deep-ml-self") {
    Problem published;
    published.x = published.w_q = published.w_k = Matrix::identity(2);
    published.w_v = {{1, 2}, {3, 4}};
    return {published, projected_problem(21, {3, 4, 3, 2}), loud_projected_problem(22, {3, 2, 2, 2})};
  }
  if (id == "deep-ml-multi-head") {
    const Matrix one = Matrix::identity(2);
    return {heads_without_projections(of_matrices(one, one, one), 2),
            heads_without_projections(query_key_value(23, {3, 3, 6, 6}), 2),
            heads_without_projections(loud_query_key_value(24, {4, 4, 6, 6}), 3)};
  }
  return {};
}

std::vector<Problem> code_problems(std::string_view id) {
  if (id == "softmax") {
    Random random = Random::numpy(1);
    return {of_scores(readable(random, 3, 4)), of_scores({{1000, 1001, 1002.5}, {-1000, -999.5, -1001}})};
  }
  if (id == "attention") {
    return {query_key_value(2, {4, 4, 4, 4}), query_key_value(3, {3, 5, 2, 3}),
            loud_query_key_value(4, {3, 4, 2, 2})};
  }
  if (id == "change-dk") {
    return {projected_problem(5, {3, 4, 2, 2}), projected_problem(6, {3, 4, 3, 3}),
            projected_problem(7, {3, 4, 8, 8}), loud_projected_problem(8, {3, 4, 2, 2})};
  }
  if (id == "causal") {
    return {causal(query_key_value(9, {4, 4, 4, 3})), causal(query_key_value(10, {6, 6, 3, 2})),
            causal(loud_query_key_value(11, {4, 4, 2, 2}))};
  }
  if (id == "padding-and-causal") {
    return {padded(query_key_value(12, {5, 5, 5, 3}), 3), padded(query_key_value(13, {6, 6, 3, 2}), 4),
            padded(loud_query_key_value(14, {4, 4, 2, 2}), 3)};
  }
  if (id == "self-attention") {
    return {numpy_42(), projected_problem(15, {4, 3, 4, 2}), loud_projected_problem(16, {3, 4, 2, 2})};
  }
  if (id == "multi-head") {
    return {with_heads(projected_problem(17, {3, 6, 6, 6}), 2, 117),
            with_heads(projected_problem(18, {4, 6, 6, 6}), 3, 118),
            with_heads(loud_projected_problem(19, {3, 4, 4, 4}), 2, 119)};
  }
  if (id == "cross") {
    Problem loud = projected_problem(30, {3, 4, 2, 2}, 4);
    for (Index c = 0; c < 4; ++c) loud.x(0, c) *= 16 * kLoud;
    return {projected_problem(20, {3, 4, 3, 3}, 3), projected_problem(25, {2, 3, 2, 4}, 4), loud};
  }
  if (id == "linear-timed") {
    return {linear(query_key_value(27, {4, 5, 3, 3})), linear(query_key_value(28, {256, 256, 8, 8})),
            linear(query_key_value(29, {2048, 2048, 8, 8}))};
  }
  return {};
}

}  // namespace

std::vector<Problem> exercise_problems(std::string_view id) {
  exercise(id);  // throws
  std::vector<Problem> problems = by_hand_problems(id);
  if (problems.empty()) problems = code_problems(id);
  if (problems.empty()) problems = deep_ml_problems(id);
  return problems;
}

Problem random_problem(std::string_view id, std::uint32_t seed) {
  const std::vector<Problem> problems = exercise_problems(id);
  if (problems.empty()) fail("[random_problem] {} has no inputs: it is about a model", id);
  Problem problem = problems.front();
  Random random = Random::numpy(seed);
  for (Matrix* matrix : {&problem.scores, &problem.q, &problem.k, &problem.v, &problem.x, &problem.memory,
                         &problem.w_q, &problem.w_k, &problem.w_v, &problem.w_o}) {
    if (!matrix->empty()) *matrix = readable(random, matrix->rows(), matrix->columns(), 1.5);
  }
  return problem;
}

std::string exercise_message(std::string_view id, const Problem& problem) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("exercise").string(id);
  json.key("inputs").begin_object();
  const auto matrix = [&](const char* name, const Matrix& value) {
    if (!value.empty()) json.key(name).matrix(value);
  };
  matrix("x", problem.scores.empty() ? problem.x : problem.scores);
  matrix("memory", problem.memory);
  matrix("w_q", problem.w_q);
  matrix("w_k", problem.w_k);
  matrix("w_v", problem.w_v);
  matrix("w_o", problem.w_o);
  matrix("q", problem.q);
  matrix("k", problem.k);
  matrix("v", problem.v);
  if (problem.heads > 1) json.key("heads").integer(problem.heads);
  if (!problem.real.empty()) {
    json.key("mask").begin_array();
    for (const bool real : problem.real) json.boolean(real);
    json.end_array();
  }
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace fovea
