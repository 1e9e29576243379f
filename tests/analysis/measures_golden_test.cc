// Against NumPy: tests/data/make_measures_golden.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "fovea/head_similarity.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures.h"
#include "fovea/rollout.h"

namespace fovea {
namespace {

class MeasuresGolden : public ::testing::Test {
 protected:
  MeasuresGolden() {
    std::ifstream file(FOVEA_TEST_DATA "/measures_golden.txt");
    std::string name;
    for (std::size_t count = 0; file >> name >> count;) {
      golden_[name].resize(count);
      for (double& value : golden_[name]) file >> value;
    }
    const std::vector<double>& values = golden_["weights"];
    for (std::size_t i = 0; i < values.size() && i < 294; ++i)
      weights_.data()[i] = static_cast<float>(values[i]);
  }

  std::map<std::string, std::vector<double>> golden_;
  Tensor weights_{{2, 3, 7, 7}};
};

TEST_F(MeasuresGolden, measures_of_every_head) {
  MeasureOptions options;
  options.tokens = {"[CLS]", "a", ",", "b", "[SEP]", "a", "."};
  const AttentionMeasures measures = measure_attention(weights_, Mask::causal(), options);
  int compared = 0;
  for (const Measure measure : all_measures()) {
    const std::string name = measure_definition(measure).name;
    if (golden_.count(name) == 0) continue;
    ++compared;
    for (std::size_t head = 0; head < 6; ++head) {
      EXPECT_NEAR(measures.heads[head / 3][head % 3][measure], golden_[name][head], 1e-7)
          << name << " " << head;
    }
  }
  EXPECT_EQ(compared, 16);  // all but next_token (no row sees it), induction and its lift (nothing repeats)
  EXPECT_TRUE(std::isnan(measures.heads[0][0][Measure::next_token]));
  EXPECT_TRUE(std::isnan(measures.heads[0][0][Measure::induction]));
}

TEST_F(MeasuresGolden, similarity_and_its_map) {
  const HeadSimilarity similarity = head_similarity(weights_);
  for (std::size_t at = 0; at < 36; ++at)
    EXPECT_NEAR(similarity.divergence.values()[at], golden_["divergence"][at], 1e-7) << at;
  for (std::size_t at = 0; at < 12; ++at)
    EXPECT_NEAR(similarity.layout.values()[at], golden_["layout"][at], 1e-6) << at;
}

TEST_F(MeasuresGolden, rollout) {
  const Shape s = weights_.shape(), with_batch = {s[0], 1, s[1], s[2], s[3]};  // [L, B, H, N, N]
  const Matrix rollout = attention_rollout(fovea::Run::from_weights(weights_.reshaped(with_batch)));
  for (std::size_t at = 0; at < 49; ++at)
    EXPECT_NEAR(rollout.values()[at], golden_["rollout"][at], 1e-7) << at;
}

}  // namespace
}  // namespace fovea
