// A run whose layers attend differently (full, window) through the answers of the server.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "explorer/analysis.h"
#include "explorer/head_weights.h"
#include "explorer/overview.h"
#include "explorer/summary.h"
#include "fovea/random.h"
#include "fovea/safetensors.h"

namespace fovea::explorer {
namespace {

constexpr Index kTokens = 6;

StoredCapture alternating() {
  const TextModel model = TextModel::load(std::string(FOVEA_TEST_DATA) + "/models/bert");
  StoredCapture stored = capture_text(model, {"bert", "the cat", {}}, "c1");
  Random random(9);
  Capture capture;
  capture.sequences = {
      {std::vector<std::string>(kTokens, "a"), std::vector<Index>(kTokens, 1), {}, {}, {}}};
  for (Index layer = 0; layer < 2; ++layer) {
    const Tensor q = random.normal({1, 2, kTokens, 4}), k = random.normal({1, 2, kTokens, 4});
    AttentionOptions options;
    if (layer == 1) options = {.mask = Mask::sliding_window(1, 1), .scale = 0.25f};
    capture.attention({AttentionKind::encoder, layer, q, k, k, options});
  }
  stored.read.run = fovea::Run(std::move(capture));
  return stored;
}

TEST(AlternatingLayers, every_answer_takes_the_layers_own_mask) {
  const StoredCapture stored = alternating();
  const auto weights = [&](const std::string& layer, const std::string& head) {
    const Parameters asked{{"kind", "encoder"}, {"layer", layer}, {"head", head}};
    return parse_safetensors(weights_bytes(stored.run(), asked), "weights").tensor("weights");
  };
  for (const std::string head : {"1", "mean"}) {
    EXPECT_GT(weights("0", head)(0, 5), 0) << head;
    EXPECT_EQ(weights("1", head)(0, 5), 0) << head;
    const Parameters asked{{"kind", "encoder"}, {"layer", "1"}, {"head", head}};
    const NamedArrays rows = parse_safetensors(rows_bytes(stored.run(), asked), "rows");
    EXPECT_EQ(rows.ids("visible").values(), (std::vector<Index>{2, 3, 3, 3, 3, 2})) << head;
  }
  const auto overview = nlohmann::json::parse(overview_json(stored, AttentionKind::encoder));
  EXPECT_GT(overview["heads"][0][0]["measures"]["distance"], 1);
  EXPECT_LE(overview["heads"][1][0]["measures"]["distance"], 1);
  const Tensor rollout = rollout_of(stored.run(), AttentionKind::encoder);
  EXPECT_GT(rollout(0, 0, 5), 0);
}

TEST(AlternatingLayers, the_summary_says_how_each_layer_attends) {
  JsonWriter json;
  write_summary(json, alternating());
  const auto kind = nlohmann::json::parse(json.take())["kinds"][0];
  EXPECT_EQ(kind["each_layer"][0]["mask"], "none");
  EXPECT_EQ(kind["each_layer"][1]["mask"], "window(1, 1)");
  EXPECT_EQ(kind["each_layer"][0]["scale"], 0.5);
  EXPECT_EQ(kind["each_layer"][1]["scale"], 0.25);
}

}  // namespace
}  // namespace fovea::explorer
