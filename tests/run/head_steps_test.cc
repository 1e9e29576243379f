// The steps of a head, computed again in double from what each step is made of.
#include "fovea/head_steps.h"

#include <vector>

#include "models/model_testing.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::tiny_model;

constexpr double kTolerance = 2e-5;

// a [n, E] · b [E, F] + bias [F], or none.
std::vector<double> product(const Tensor& a, const Tensor& b, const Tensor& bias) {
  const Index n = a.shape()[0], e = a.shape()[1], f = b.shape()[1];
  std::vector<double> c;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < f; ++j) {
      double sum = bias.empty() ? 0 : static_cast<double>(bias(j));
      for (Index k = 0; k < e; ++k) sum += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
      c.push_back(sum);
    }
  }
  return c;
}

void expect_numbers(const Tensor& got, const std::vector<double>& want, const char* what) {
  ASSERT_EQ(static_cast<std::size_t>(got.shape().elements()), want.size()) << what;
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(got.data()[i]), want[i], kTolerance * std::max(1.0, std::abs(want[i])))
        << what << " at " << i;
  }
}

// Features i and i + D/2 turned by position · frequency.
std::vector<double> rotated(const Tensor& x, const std::vector<double>& frequencies, Index first) {
  const Index n = x.shape()[0], width = x.shape()[1], half = width / 2;
  std::vector<double> y(static_cast<std::size_t>(n * width));
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < half; ++d) {
      const double angle = static_cast<double>(first + i) * frequencies[static_cast<std::size_t>(d)];
      const double a = static_cast<double>(x(i, d)), b = static_cast<double>(x(i, d + half));
      y[static_cast<std::size_t>(i * width + d)] = a * std::cos(angle) - b * std::sin(angle);
      y[static_cast<std::size_t>(i * width + d + half)] = b * std::cos(angle) + a * std::sin(angle);
    }
  }
  return y;
}

void expect_projections(const HeadSteps& steps) {
  const bool rotary = !steps.frequencies.empty();
  expect_numbers(rotary ? steps.q_projected : steps.q, product(steps.x, steps.w_q, steps.b_q), "q");
  expect_numbers(rotary ? steps.k_projected : steps.k, product(steps.memory, steps.w_k, steps.b_k), "k");
  expect_numbers(steps.v, product(steps.memory, steps.w_v, steps.b_v), "v");
  if (rotary) {
    expect_numbers(steps.q, rotated(steps.q_projected, steps.frequencies, steps.crop.row_begin),
                   "rotated q");
    expect_numbers(steps.k, rotated(steps.k_projected, steps.frequencies, steps.crop.key_begin),
                   "rotated k");
  }
  expect_numbers(steps.output, product(steps.concat, steps.w_o, steps.b_o), "output");
}

// For a crop that holds all keys.
void expect_softmax(const HeadSteps& steps) {
  const Index n = steps.q.shape()[0], m = steps.k.shape()[0], width = steps.q.shape()[1];
  std::vector<double> weights, output, sums, largest;
  for (Index i = 0; i < n; ++i) {
    std::vector<double> scores(static_cast<std::size_t>(m), -INFINITY);
    double top = -INFINITY, sum = 0;
    for (Index j = 0; j < m; ++j) {
      double dot = 0;
      for (Index d = 0; d < width; ++d) {
        dot += static_cast<double>(steps.q(i, d)) * static_cast<double>(steps.k(j, d));
      }
      const double bias = steps.bias.empty() ? 0 : static_cast<double>(steps.bias(i, j));
      if (steps.visible(i, j) != 0) scores[static_cast<std::size_t>(j)] = steps.scale * dot + bias;
      top = std::max(top, scores[static_cast<std::size_t>(j)]);
    }
    for (const double score : scores) sum += std::exp(score - top);
    largest.push_back(top);
    sums.push_back(top + std::log(sum));
    for (const double score : scores) weights.push_back(std::exp(score - top) / sum);
    for (Index d = 0; d < width; ++d) {
      double value = 0;
      for (Index j = 0; j < m; ++j) {
        value +=
            std::exp(scores[static_cast<std::size_t>(j)] - top) / sum * static_cast<double>(steps.v(j, d));
      }
      output.push_back(value);
    }
  }
  expect_numbers(steps.weights, weights, "weights");
  expect_numbers(steps.logsumexp, sums, "log-sum-exp");
  expect_numbers(steps.maximum_score, largest, "largest score");
  expect_numbers(steps.head_output, output, "head's output");
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < width; ++d) {
      ASSERT_EQ(steps.concat(i, steps.head * width + d), steps.head_output(i, d));
    }
  }
}

class Steps : public ::testing::TestWithParam<const char*> {
 protected:
  const Model model = load_model(tiny_model(GetParam()));
  const NamedArrays golden = load_safetensors(tiny_model(GetParam()) + "/golden.safetensors");

  ModelInput input() const {
    ModelInput input{golden.ids("ids"), testing::to_flags(golden.ids("real")), {}, {}};
    if (golden.contains("decoder_ids")) input.decoder_ids = golden.ids("decoder_ids");
    return input;
  }
};

TEST_P(Steps, every_head_follows_from_its_parts) {
  Capture capture;
  static_cast<void>(model.run(input(), {&capture, false}));
  for (const CapturedAttention& call : capture.calls()) {
    const LayerRun run(model, input(), call.kind, call.layer);
    ASSERT_EQ(run.heads(), call.q.shape()[1]);
    for (Index head = 0; head < run.heads(); ++head) {
      SCOPED_TRACE(std::string(to_string(call.kind)) + " " + std::to_string(call.layer) + "." +
                   std::to_string(head));
      const HeadSteps steps = run.head(head, {0, run.queries(), 0, run.keys()});
      expect_projections(steps);
      expect_softmax(steps);
      testing::expect_near(
          steps.weights,
          fovea::Run(capture).weights({.kind = call.kind, .layer = call.layer, .head = head}), 1e-6,
          "weights");
    }
  }
}

TEST_P(Steps, a_crop_is_a_part_of_the_whole) {
  const AttentionKind kind = model.config().has_decoder() ? AttentionKind::decoder : AttentionKind::encoder;
  const LayerRun run(model, input(), kind, 1);
  const HeadSteps all = run.head(3, {0, run.queries(), 0, run.keys()});
  const HeadSteps part = run.head(3, {1, 3, 2, 4});
  expect_projections(part);
  ASSERT_EQ(part.weights.shape(), (Shape{2, 2}));
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(part.logsumexp(i), all.logsumexp(i + 1), 1e-6f);
    for (Index j = 0; j < 2; ++j) {
      EXPECT_NEAR(part.weights(i, j), all.weights(i + 1, j + 2), 1e-6f);
      EXPECT_EQ(part.visible(i, j), all.visible(i + 1, j + 2));
    }
  }
}

TEST_P(Steps, what_is_not_there_is_told) {
  const AttentionKind kind = model.config().has_encoder() ? AttentionKind::encoder : AttentionKind::decoder;
  const std::string message = testing::message_of([&] {
    head_steps(model, input(), kind, 99, 0, {0, 1, 0, 1});
  });
  EXPECT_NE(message.find("layer 99 in"), std::string::npos) << message;
  EXPECT_THROW(head_steps(model, input(), kind, 0, 99, {0, 1, 0, 1}), Error);
  EXPECT_THROW(head_steps(model, input(), kind, 0, 0, {0, 1, 0, 1000}), Error);
}

INSTANTIATE_TEST_SUITE_P(Models, Steps,
                         ::testing::Values("bert", "roberta", "distilbert", "gpt2", "llama", "qwen2", "t5",
                                           "t5v11"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace fovea
