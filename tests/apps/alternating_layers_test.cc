// A run whose layers attend differently (full, window, full, window) through the commands.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "apps/run_command.h"
#include "fovea/random.h"
#include "fovea/run.h"

namespace fovea {
namespace {

using Json = nlohmann::json;

constexpr Index kTokens = 6;

// Kept as `fovea generate --capture` keeps a run.
void save_alternating(const std::string& path) {
  Random random(9);
  Capture capture;
  capture.model = "alternating";
  capture.sequences = {{{"a", "b", "c", "d", "e", "f"}, {1, 2, 3, 4, 5, 6}, {}, {}, {}}};
  for (Index layer = 0; layer < 4; ++layer) {
    const Tensor q = random.normal({1, 2, kTokens, 4}), k = random.normal({1, 2, kTokens, 4});
    AttentionOptions options;
    if (layer % 2 == 1) options = {.mask = Mask::sliding_window(1, 1), .scale = 0.25f};
    capture.attention({AttentionKind::encoder, layer, q, k, k, options});
  }
  fovea::Run(std::move(capture)).save(path);
}

TEST(AlternatingLayers, analyze_measures_each_layer_with_its_own_mask) {
  const TemporaryDirectory folder;
  save_alternating(folder.file("run.safetensors"));
  const fovea::Run run = fovea::Run::load(folder.file("run.safetensors"));
  const CommandResult result =
      run_fovea({"analyze", "--capture", folder.file("run.safetensors"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json heads = Json::parse(result.out)["heads"];
  ASSERT_EQ(heads.size(), 8u);
  for (Index layer = 0; layer < 4; ++layer) {
    for (Index head = 0; head < 2; ++head) {
      const Json& got = heads[static_cast<std::size_t>(2 * layer + head)];
      const AttentionStatistics want = run.statistics({.layer = layer, .head = head});
      EXPECT_NEAR(got["measures"]["entropy"].get<double>(), static_cast<double>(want.means.entropy(0)),
                  1e-6);
      // No row of a window of one to each side sees anything further away than that.
      if (layer % 2 == 1) {
        EXPECT_LE(got["measures"]["distance"].get<double>(), 1);
      }
      if (layer % 2 == 0) {
        EXPECT_GT(got["measures"]["distance"].get<double>(), 1);
      }
    }
  }
}

TEST(AlternatingLayers, plot_hatches_what_each_layer_hides) {
  const TemporaryDirectory folder;
  const std::string kept = folder.file("run.safetensors");
  save_alternating(kept);
  const auto dots = [](const std::string& text) {  // hidden cells of the terminal
    std::size_t count = 0;
    for (std::size_t at = text.find("·"); at != std::string::npos; at = text.find("·", at + 1)) ++count;
    return count;
  };
  const CommandResult full = run_fovea({"plot", "--capture", kept, "--layer", "2", "--head", "0"});
  const CommandResult window = run_fovea({"plot", "--capture", kept, "--layer", "3", "--head", "0"});
  const CommandResult grid = run_fovea({"plot", "grid", "--capture", kept, "--head", "0"});
  ASSERT_EQ(full.exit_code, 0) << full.err;
  EXPECT_FALSE(contains(full.out, "hidden by the mask"));
  EXPECT_TRUE(contains(window.out, "hidden by the mask"));
  const std::size_t hidden = kTokens * kTokens - 16;  // three keys per row, two at the ends
  EXPECT_GE(dots(window.out), hidden) << window.out;
  EXPECT_GE(dots(grid.out), 2 * hidden) << grid.out;
  const std::string picture = folder.file("grid.svg");
  ASSERT_EQ(run_fovea({"plot", "grid", "--capture", kept, "--head", "0", "-o", picture}).exit_code, 0);
  EXPECT_TRUE(contains(text_of(picture), "Hatched: hidden by the mask."));
}

TEST(AlternatingLayers, rollout_follows_the_masks) {
  const TemporaryDirectory folder;
  const std::string kept = folder.file("run.safetensors");
  save_alternating(kept);
  const CommandResult result = run_fovea({"analyze", "--capture", kept, "--rollout", "all", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json rollout = Json::parse(result.out)["rollout"];
  // The last layer looks one token to each side, so what arrives at 0 comes from layer 2 of 0 and 1 alone.
  double sum = 0;
  for (const Json& share : rollout[0]) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
}

}  // namespace
}  // namespace fovea
