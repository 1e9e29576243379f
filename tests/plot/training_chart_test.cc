#include "fovea/training_chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plot/loss_scale.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

TrainingCurve falling(Index steps, double from, double to) {
  TrainingCurve curve;
  for (Index step = 1; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    curve.steps.push_back({step, from * std::pow(to / from, share)});
    if (step % (steps / 10) == 0) curve.held_out.push_back({step, from * std::pow(to / from, share)});
  }
  return curve;
}

TEST(TrainingChart, wide_losses_have_a_logarithmic_axis) {
  EXPECT_FALSE(LossScale(falling(1000, 4, 2)).logarithmic());
  EXPECT_TRUE(LossScale(falling(1000, 2, 1e-3)).logarithmic());
  const LossScale linear(falling(1000, 4, 2)), wide(falling(1000, 2, 1e-3));
  EXPECT_LT(linear.share(2), linear.share(4));
  EXPECT_NEAR(wide.share(0.2) - wide.share(0.02), wide.share(0.02) - wide.share(0.002), 1e-9);
  EXPECT_EQ(wide.share(0), 0);  // beyond the end
}

TEST(TrainingChart, means_keep_the_sum) {
  const TrainingCurve curve = falling(1000, 4, 1);
  const std::vector<LossPoint> means = mean_points(curve.steps, 10);
  ASSERT_EQ(means.size(), 10u);
  double sum = 0, all = 0;
  for (const LossPoint& point : means) sum += point.loss;
  for (const LossPoint& point : curve.steps) all += point.loss;
  EXPECT_NEAR(sum / 10, all / 1000, 1e-12);
}

TEST(TrainingChart, has_its_lines_and_dots) {
  TrainingCurve curve = falling(3000, 2.3, 1e-4);
  const std::string svg = to_svg(training_chart(curve, {.title = "sort"}));
  EXPECT_NE(svg.find(">sort<"), std::string::npos);
  EXPECT_NE(svg.find(">held-out data<"), std::string::npos);
  EXPECT_NE(svg.find(">3,000<"), std::string::npos);
  std::size_t dots = 0;
  for (std::size_t at = svg.find("<circle"); at != svg.npos; at = svg.find("<circle", at + 1)) ++dots;
  EXPECT_EQ(dots, 11u);  // one of them in the legend
  curve.held_out.clear();
  const std::string chinese = to_svg(training_chart(curve, {.language = Language::chinese}));
  EXPECT_EQ(chinese.find("留出数据"), std::string::npos);
  EXPECT_NE(chinese.find("损失"), std::string::npos);
}

TEST(TrainingChart, in_a_terminal) {
  const std::string text = to_terminal(falling(100, 4, 1), "a title", {.width = 50});
  EXPECT_EQ(text.substr(0, 9), "a title\n\n");
  EXPECT_NE(text.find("●"), std::string::npos);
  EXPECT_NE(text.find("100\n"), std::string::npos);
  // It falls: the first line holds the first steps, the lowest one the last.
  const std::size_t first = text.find("·"), last = text.rfind("●", text.find("└"));
  EXPECT_LT(first, last);
}

TEST(TrainingChart, one_step_is_enough) {
  TrainingCurve curve;
  curve.steps = {{1, 0.0}};
  EXPECT_FALSE(to_svg(training_chart(curve)).empty());
  EXPECT_FALSE(to_terminal(curve, "").empty());
}

TEST(TrainingChart, what_cannot_be_drawn_is_an_error) {
  EXPECT_EQ(message_of([] { training_chart({}); }), "[training_chart] there are no steps");
  TrainingCurve curve;
  curve.steps = {{2, 1.0}, {2, 1.0}};
  EXPECT_EQ(message_of([&] { training_chart(curve); }), "[training_chart] step 2 comes after 2");
  curve.steps = {{1, std::nan("")}};
  EXPECT_EQ(message_of([&] { to_terminal(curve, ""); }),
            "[training_chart] the loss of step 1 is nan, a finite one was expected");
}

}  // namespace
}  // namespace fovea
