// The single file: read back, its numbers are those of the run within the stated loss.
#include "explorer/page_file.h"

#include <algorithm>
#include <cmath>

#include "fovea/base64.h"
#include "fovea/random.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

StoredCapture captured(const std::string& model, const std::string& text,
                       const std::optional<std::string>& second = {}) {
  return capture_text(TextModel::load(tiny_model(model)), {model, text, second}, "c1");
}

// What the page finds in its element.
NamedArrays data_of(const PageFile& file) {
  const std::string tag = R"(<script type="application/octet-stream" id="fovea-data">)";
  const std::size_t begin = file.html.find(tag) + tag.size(), end = file.html.find("</script>", begin);
  return parse_safetensors(from_base64(std::string_view(file.html).substr(begin, end - begin)), "page");
}

// The tiny models read few tokens, so the choice of 8 bits is tried on a capture of random numbers.
StoredCapture long_capture(Index tokens) {
  StoredCapture stored = captured("bert", "the cat");
  Random random(5);
  Capture capture;
  capture.model = "random";
  capture.sequences = {{std::vector<std::string>(static_cast<std::size_t>(tokens), "a"),
                        std::vector<Index>(static_cast<std::size_t>(tokens), 1),
                        {},
                        {},
                        {}}};
  for (Index layer = 0; layer < 2; ++layer) {
    const Tensor q = random.normal({1, 2, tokens, 8}), k = random.normal({1, 2, tokens, 8});
    capture.attention({AttentionKind::encoder, layer, q, k, k, {}});
  }
  stored.read.run = fovea::Run(std::move(capture));
  return stored;
}

void expect_weights(const NamedArrays& data, const fovea::Run& run, AttentionKind kind, double loss) {
  const std::string name = std::string(to_string(kind)) + ".weights";
  double worst = 0;
  Index at = 0;
  for (Index layer = 0; layer < run.layers(kind); ++layer) {
    const LayerView& view = run.layer(kind, layer);
    const Tensor want = view.crop({0, view.queries(), 0, view.keys()});
    for (Index i = 0; i < want.shape().elements(); ++i, ++at) {
      const bool bytes = std::find_if(data.begin(), data.end(), [&](const auto& entry) {
                           return entry.name == name && !entry.is_tensor();
                         }) != data.end();
      const double got = bytes ? static_cast<double>(data.ids(name).data()[at]) / 255
                               : static_cast<double>(data.tensor(name).data()[at]);
      worst = std::max(worst, std::abs(got - static_cast<double>(want.data()[i])));
    }
  }
  EXPECT_LE(worst, loss * 1.001) << name;
}

TEST(PageFile, holds_the_run_of_an_encoder_decoder_model) {
  const StoredCapture stored = captured("t5", "the quick brown fox", "a lazy dog");
  const PageFile file = page_file(test_page(), stored, {{AttentionKind::cross, 1, 2}});
  EXPECT_EQ(file.html.find(kDataMarker), std::string::npos);
  EXPECT_TRUE(file.html.ends_with("<p>test</p>"));
  EXPECT_EQ(file.weights, "F16");
  EXPECT_GT(file.loss, 0);
  EXPECT_LE(file.loss, 0x1p-12);  // half a unit of float16 below 1
  const NamedArrays data = data_of(file);
  for (const AttentionKind kind : stored.run().kinds()) {
    expect_weights(data, stored.run(), kind, file.loss);
    const std::string name = to_string(kind);
    EXPECT_EQ(data.tensor(name + ".thumbnails.mean").shape()[1], 4);
    EXPECT_EQ(data.tensor(name + ".rows.entropy").shape()[1], 4);
    EXPECT_TRUE(data.contains(name + ".similarity.order"));
    EXPECT_EQ(data.contains(name + ".rollout"), kind != AttentionKind::cross);
    EXPECT_EQ(Json::parse(data.metadata().at("overview." + name))["heads"][0].size(), 4u);
  }
  const Tensor& entropy = data.tensor("cross.rows.entropy");
  EXPECT_EQ(entropy(2, 3, 1), stored.run().layer(AttentionKind::cross, 2).statistics().entropy(0, 3, 1));

  const HeadSteps steps =
      head_steps(stored.model->model(), stored.read.input, AttentionKind::cross, 1, 2, {0, 4, 0, 5});
  expect_same(data.tensor("cross.steps.1.2.q"), steps.q, "q");
  expect_same(data.tensor("cross.steps.1.2.w_o"), steps.w_o, "w_o");
  EXPECT_EQ(data.metadata().at("cross.steps.1.2.scale"), "1");
}

TEST(PageFile, carries_state_examples_and_notes) {
  const StoredCapture stored = captured("bert", "the cat sat </script> <!-- on");
  const PageFile file = page_file(test_page(), stored, {});
  const NamedArrays data = data_of(file);
  const Json state = Json::parse(data.metadata().at("state"));
  ASSERT_EQ(state["captures"].size(), 1u);
  EXPECT_EQ(state["captures"][0]["text"], stored.text);
  EXPECT_EQ(state["models"][0]["family"], "BERT");
  EXPECT_GE(Json::parse(data.metadata().at("examples"))["examples"].size(), 12u);
  const Json notes = Json::parse(data.metadata().at("notes"));
  EXPECT_EQ(notes["weights_dtype"], "F16");
  EXPECT_NEAR(std::stod(notes["loss"].get<std::string>()), file.loss, file.loss * 0.05);
  EXPECT_EQ(file.html.find("<script", file.html.find("<script") + 1), std::string::npos);  // one, the data
}

TEST(PageFile, longer_texts_have_8_bits_and_the_longest_no_weights) {
  const StoredCapture medium = long_capture(150);
  const PageFile bytes = page_file(test_page(), medium, {});
  EXPECT_EQ(bytes.weights, "U8");
  EXPECT_LE(bytes.loss, 0.5 / 255 * 1.001);
  EXPECT_GT(bytes.loss, 0.001);
  expect_weights(data_of(bytes), medium.run(), AttentionKind::encoder, bytes.loss);

  const PageFile none = page_file(test_page(), long_capture(520), {});
  EXPECT_EQ(none.weights, "");
  const NamedArrays data = data_of(none);
  EXPECT_FALSE(data.contains("encoder.weights"));
  EXPECT_TRUE(data.contains("encoder.thumbnails.max"));
  EXPECT_FALSE(data.metadata().contains("notes"));
}

TEST(PageFile, of_the_examples_alone) {
  const NamedArrays data = data_of(page_file(test_page(), {}));
  EXPECT_EQ(data.size(), 0u);
  EXPECT_TRUE(Json::parse(data.metadata().at("state"))["captures"].empty());
  EXPECT_GE(Json::parse(data.metadata().at("examples"))["examples"].size(), 12u);
}

TEST(PageFile, what_cannot_be_done_is_told) {
  const StoredCapture stored = captured("bert", "the cat");
  EXPECT_THROW(page_file({"<p>no place</p>", ""}, stored, {}), fovea::Error);
  EXPECT_THROW(page_file(test_page(), stored, {{AttentionKind::encoder, 9, 0}}), fovea::Error);
  EXPECT_THROW(page_file(test_page(), stored, {{AttentionKind::encoder, 0, 9}}), fovea::Error);
}

}  // namespace
}  // namespace fovea::explorer
