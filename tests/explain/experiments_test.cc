// The scaling experiment and the shape trace.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "explain/matrix_near.h"
#include "fovea/scaling.h"
#include "fovea/shape_trace.h"

namespace fovea {
namespace {

TEST(Scaling, variance_grows_with_d_k_and_scaling_holds_it) {
  const ScalingExperiment experiment = scaling_experiment();
  ASSERT_EQ(experiment.variances.size(), 10u);
  EXPECT_EQ(experiment.variances.front().d_k, 2);
  EXPECT_EQ(experiment.variances.back().d_k, 1024);
  for (const ScalingVariance& row : experiment.variances) {
    // The relative error of a variance from n draws is about √((2 + 6/d_k)/n): four of those.
    const double d = static_cast<double>(row.d_k);
    const double tolerance = 4 * std::sqrt((2 + 6 / d) / static_cast<double>(experiment.options.draws));
    EXPECT_NEAR(row.raw / d, 1, tolerance) << row.d_k;
    EXPECT_NEAR(row.scaled, 1, tolerance) << row.d_k;
  }
}

TEST(Scaling, the_same_seed_gives_the_same_numbers) {
  const ScalingOptions options{.widths = {3, 1}, .draws = 10, .seed = 7};
  EXPECT_EQ(scaling_experiment(options).variances[0].raw, scaling_experiment(options).variances[0].raw);
  EXPECT_NE(scaling_experiment(options).variances[0].raw,
            scaling_experiment({.widths = {3}, .draws = 10, .seed = 8}).variances[0].raw);
}

TEST(Scaling, saturation_and_its_jacobian) {
  const ScalingExperiment e = scaling_experiment({.widths = {2}, .draws = 2});
  expect_near(e.scaled.weights, {0.01226952, 0.01282393, 0.97490655}, kEightDigits,
              "softmax([1, 2, 100]/√512)");
  EXPECT_NEAR(e.scaled.jacobian_norm, 0.038787, 0.51e-6);
  EXPECT_NEAR(e.scaled.jacobian_norm_naive, 0.038787, 0.51e-6);
  // In 100-digit arithmetic the norm is 6.3145e-43. Double with 1 − p by subtraction loses p₃(1 − p₃)
  // = 3.76e-43.
  EXPECT_NEAR(e.raw.jacobian_norm, 6.31449227289458620e-43, 1e-55);
  EXPECT_NEAR(e.raw.jacobian_norm_naive, 5.07e-43, 0.51e-45);
}

TEST(Scaling, jacobian_of_equal_scores) {
  // p = 1/2: diag(p) − p pᵀ = [[1/4, −1/4], [−1/4, 1/4]], norm 1/2.
  EXPECT_DOUBLE_EQ(saturation({3, 3}).jacobian_norm, 0.5);
  EXPECT_DOUBLE_EQ(saturation({5}).jacobian_norm, 0);
}

TEST(Scaling, wrong_options_throw) {
  EXPECT_THROW(scaling_experiment({.widths = {}}), Error);
  EXPECT_THROW(scaling_experiment({.widths = {0}}), Error);
  EXPECT_THROW(scaling_experiment({.draws = 1}), Error);
  EXPECT_THROW(scaling_experiment({.scores = {}}), Error);
  EXPECT_THROW(scaling_experiment({.saturation_width = 0}), Error);
  EXPECT_THROW(saturation({std::numeric_limits<double>::infinity()}), Error);
}

TEST(Scaling, rendered) {
  const ScalingExperiment e = scaling_experiment({.draws = 50});
  const std::string english = to_terminal(e), chinese = to_terminal(e, {.language = Language::chinese});
  for (const char* number : {"[0.01226952, 0.01282393, 0.97490655]", "0.038787", "6.31e-43", "5.07e-43"}) {
    EXPECT_NE(english.find(number), std::string::npos) << number;
    EXPECT_NE(chinese.find(number), std::string::npos) << number;
  }
  const auto json = nlohmann::json::parse(to_json(e));
  EXPECT_EQ(json["variances"][9]["d_k"], 1024);
  EXPECT_EQ(json["variances"][9]["raw"].get<double>(), e.variances[9].raw);
  EXPECT_EQ(json["saturation_raw"]["jacobian_norm"].get<double>(), e.raw.jacobian_norm);
}

std::string line(const ShapeTrace& trace) {
  std::string text;
  for (const ShapeStep& step : trace.steps) text += step.name + step.shape.to_string() + " ";
  return text;
}

TEST(ShapeTrace, one_head) {
  EXPECT_EQ(line(trace_shapes()),
            "X[2, 10, 512] Q[2, 10, 512] K[2, 10, 512] V[2, 10, 512] scores[2, 10, 10] weights[2, 10, 10] "
            "output[2, 10, 512] ");
}

TEST(ShapeTrace, heads_show_the_split) {
  EXPECT_EQ(line(trace_shapes({.batch = 3, .length = 4, .width = 6, .heads = 2})),
            "X[3, 4, 6] Q[3, 4, 6] K[3, 4, 6] V[3, 4, 6] Q_h[3, 2, 4, 3] K_h[3, 2, 4, 3] V_h[3, 2, 4, 3] "
            "scores[3, 2, 4, 4] weights[3, 2, 4, 4] heads[3, 2, 4, 3] concat[3, 4, 6] output[3, 4, 6] ");
}

TEST(ShapeTrace, cross_attention) {
  EXPECT_EQ(
      line(trace_shapes({.batch = 2, .length = 10, .width = 256, .heads = 4, .memory = 20})),
      "X[2, 10, 256] memory[2, 20, 256] Q[2, 10, 256] K[2, 20, 256] V[2, 20, 256] Q_h[2, 4, 10, 64] "
      "K_h[2, 4, 20, 64] V_h[2, 4, 20, 64] scores[2, 4, 10, 20] weights[2, 4, 10, 20] heads[2, 4, 10, 64] "
      "concat[2, 10, 256] output[2, 10, 256] ");
}

TEST(ShapeTrace, rendered_and_wrong_options) {
  const ShapeTrace trace = trace_shapes({.batch = 1, .length = 2, .width = 4, .heads = 2});
  EXPECT_NE(to_terminal(trace).find("[1, 2, 2, 2]"), std::string::npos);
  EXPECT_NE(to_terminal(trace, {.language = Language::chinese}).find("2 个头"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(trace))["steps"][0]["shape"], (std::vector<int>{1, 2, 4}));
  EXPECT_THROW(trace_shapes({.width = 10, .heads = 3}), Error);
  EXPECT_THROW(trace_shapes({.batch = 0}), Error);
  EXPECT_THROW(trace_shapes({.memory = -1}), Error);
  EXPECT_THROW(trace_shapes({.length = Index{1} << 40}), Error);
}

}  // namespace
}  // namespace fovea
