// One attention by hand, and what stands inside of it: scaling, softmax.
#include <cmath>

#include "explain/arithmetic.h"
#include "fovea/explain.h"
#include "fovea/scaling.h"
#include "lessons/live_builder.h"

namespace fovea {
namespace {

constexpr Index kLessonDraws = 4000;  // pairs of vectors: the variance is known to a few percent

Matrix exponentials(const Matrix& scores) {
  Matrix result(scores.rows(), scores.columns());
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.columns(); ++j) result(i, j) = std::exp(scores(i, j));
  }
  return result;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

// A question of three topics against three books; `sharpness` multiplies the scores.
void live_library(LiveBuilder& live) {
  const double sharpness = live.control("sharpness", 1, {0, 10, 0.5});
  const Matrix q = live.editable("query", {{1, 1, 0}});
  const Matrix k = live.editable("keys", {{1, 1, 0}, {1, 0, 1}, {0, 0, 1}});
  const Matrix v = live.editable("values", {{9, 1}, {2, 6}, {0, 8}});
  const Account account =
      explain(q, k, v, {.scale = sharpness / std::sqrt(static_cast<double>(q.columns()))});
  live.show("scores", account.step("scores").matrix);
  live.show_weights("weights", account.weights());
  live.show("output", account.output());
}

// Q = [[1, 0]], K = [[1, 0], [0, 1], [1, 0]], V = [[10, 0], [0, 20], [30, 0]].
void live_worked_example(LiveBuilder& live) {
  const Matrix q = live.editable("q", {{1, 0}});
  const Matrix k = live.editable("k", {{1, 0}, {0, 1}, {1, 0}});
  const Matrix v = live.editable("v", {{10, 0}, {0, 20}, {30, 0}});
  const Account account = explain(q, k, v);
  const Matrix exponential = exponentials(account.step("scaled").matrix);
  live.show("scores", account.step("scores").matrix);
  live.show("scaled", account.step("scaled").matrix);
  live.show("exponentials", exponential);
  live.show_weights("weights", account.weights());
  live.show("output", account.output());
  live.number("sum", sum_of(exponential.row(0)));
  live.number("root", std::sqrt(static_cast<double>(q.columns())));
}

// The variance of q·k for vectors drawn by chance: before and after the division, for four widths and one
// that can be chosen.
void live_variance(LiveBuilder& live) {
  const Index width = live.count("width", 64, 1, 1024);
  const ScalingExperiment experiment =
      scaling_experiment({.widths = {4, 16, 64, 256, width}, .draws = kLessonDraws});
  const Index fixed_widths = 4;
  Matrix table(fixed_widths, 2), chosen(1, 2);
  for (Index i = 0; i <= fixed_widths; ++i) {
    const ScalingVariance& variance = experiment.variances[static_cast<std::size_t>(i)];
    Matrix& into = i < fixed_widths ? table : chosen;
    const Index row = i < fixed_widths ? i : 0;
    into(row, 0) = variance.raw;
    into(row, 1) = variance.scaled;
  }
  live.show("table", table);
  live.show("chosen", chosen);
  live.number("draws", kLessonDraws);
}

// Softmax of a row of scores as they are, and divided by √width; and what is left of a gradient.
void live_saturation(LiveBuilder& live) {
  const Index width = live.count("width", 512, 1, 4096);
  const Matrix scores = live.editable("scores", {{1, 2, 100}});
  const ScalingExperiment experiment =
      scaling_experiment({.widths = {1}, .draws = 2, .scores = scores.row(0), .saturation_width = width});
  live.show_weights("raw", Matrix::from_rows({experiment.raw.weights}));
  live.show_weights("scaled", Matrix::from_rows({experiment.scaled.weights}));
  live.number("raw_gradient", experiment.raw.jacobian_norm);
  live.number("scaled_gradient", experiment.scaled.jacobian_norm);
  live.number("root", std::sqrt(static_cast<double>(width)));
}

// Softmax of four scores over a temperature, and the same after the second score has been raised a little.
void live_softmax(LiveBuilder& live) {
  const double temperature = live.control("temperature", 1, {0.1, 10, 0.1});
  const Matrix scores = live.editable("scores", {{2, 1, 0, -1}});
  Matrix raised = scores;
  raised(0, 1) += 0.1;
  const Matrix weights = row_softmax(scaled_by(scores, 1 / temperature));
  live.show_weights("weights", weights);
  live.show_weights("raised", row_softmax(scaled_by(raised, 1 / temperature)));
  live.number("sum", sum_of(weights.row(0)));
  double positive = 0;  // what dividing by the plain sum would have to divide by
  for (const double score : scores.row(0)) positive += score;
  live.number("plain_sum", positive);
  live.number("plain_last", scores(0, 3) / positive);
  live.number("ratio", weights(0, 0) / weights(0, 1));
}

}  // namespace fovea
