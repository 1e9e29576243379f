// Published models against independent programs; each test is skipped where its files are absent.
#include <fstream>
#include <sstream>

#include "fovea/generation.h"
#include "fovea/tokenizer.h"
#include "io/json.h"
#include "models/model_testing.h"
#include "support/outside_files.h"

namespace fovea {
namespace {

using testing::cached_model;
using testing::needs_model;
using testing::needs_shared_data;
using testing::shared_data;

Ids one_row(const std::vector<Index>& ids) { return Ids({1, static_cast<Index>(ids.size())}, ids); }

// [N, E] → the mean of the rows, of length 1.
std::vector<double> mean_embedding(const Tensor& hidden) {
  const Index tokens = hidden.shape()[1], width = hidden.shape()[2];
  std::vector<double> mean(static_cast<std::size_t>(width), 0.0);
  double norm = 0;
  for (Index e = 0; e < width; ++e) {
    double& sum = mean[static_cast<std::size_t>(e)];
    for (Index n = 0; n < tokens; ++n) sum += static_cast<double>(hidden(0, n, e));
    norm += sum * sum;
  }
  for (double& value : mean) value /= std::sqrt(norm);
  return mean;
}

// transformers in double; tests/data/make_minilm_golden.py.
TEST(MiniLm, fifty_texts_as_transformers) {
  const std::string folder = cached_model("minilm");
  if (folder.empty()) GTEST_SKIP() << needs_model("minilm");
  const Model model = load_model(folder);
  const Tokenizer tokenizer = Tokenizer::load(folder);
  const NamedArrays golden = load_safetensors(std::string(FOVEA_TEST_DATA) + "/minilm_golden.safetensors");
  const Json texts = parse_json(golden.metadata().at("texts"), "texts");
  ASSERT_EQ(texts.size(), 50u);
  double worst_weight = 0, worst_state = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string at = std::to_string(i) + ".";
    const std::string text = texts[i].get<std::string>();
    const std::vector<Index>& ids = golden.ids(at + "ids").values();
    EncodeOptions encode;
    encode.max_length = model.config().max_tokens;
    EXPECT_EQ(tokenizer.encode(text, encode).ids, ids) << text;
    Capture capture;
    const Tensor hidden = model.run({one_row(ids), {}, {}, {}}, {&capture, true}).hidden;

    const fovea::Run run(std::move(capture));
    const Ids& places = golden.ids(at + "places");  // [layers, heads, places, 2]
    const Tensor& weights = golden.tensor(at + "weights");
    for (Index layer = 0; layer < 6; ++layer) {
      const Tensor got = testing::layer_weights(run, AttentionKind::encoder, layer);
      for (Index head = 0; head < 12; ++head) {
        for (Index p = 0; p < places.shape()[2]; ++p) {
          const float value = got(0, head, places(layer, head, p, 0), places(layer, head, p, 1));
          const double error =
              std::abs(static_cast<double>(value) - static_cast<double>(weights(layer, head, p)));
          ASSERT_LE(error, 2e-5) << text << ": layer " << layer << ", head " << head;
          worst_weight = std::max(worst_weight, error);
        }
      }
    }
    const Ids& states = golden.ids(at + "hidden_places");
    const Tensor& want = golden.tensor(at + "hidden");
    for (Index p = 0; p < states.shape()[0]; ++p) {
      const double w = static_cast<double>(want(p));
      const double error = std::abs(static_cast<double>(hidden(0, states(p, 0), states(p, 1))) - w);
      ASSERT_LE(error, 1e-4 * std::max(1.0, std::abs(w))) << text;
      worst_state = std::max(worst_state, error);
    }
    const std::vector<double> embedding = mean_embedding(hidden);
    for (Index e = 0; e < 8; ++e) {
      ASSERT_NEAR(embedding[static_cast<std::size_t>(e)],
                  static_cast<double>(golden.tensor(at + "embedding")(e)), 1e-5)
          << text;
    }
  }
  RecordProperty("worst_weight", std::to_string(worst_weight));
  RecordProperty("worst_state", std::to_string(worst_state));
}

TEST(MiniLm, the_example_sentence_as_published) {
  const std::string folder = cached_model("minilm");
  if (folder.empty()) GTEST_SKIP() << needs_model("minilm");
  const Model model = load_model(folder);
  EXPECT_EQ(model.config().family, ModelFamily::bert);
  EXPECT_EQ(model.config().max_tokens, 512);
  const Encoding encoding = Tokenizer::load(folder).encode("This is an example sentence");
  const std::vector<double> embedding =
      mean_embedding(model.run({one_row(encoding.ids), {}, {}, {}}).hidden);
  EXPECT_NEAR(embedding[0], 0.0677, 5e-5);
  EXPECT_NEAR(embedding[1], 0.0636, 5e-5);
  EXPECT_NEAR(embedding[2], 0.0487, 5e-5);
}

// NumPy in double; tests/data/make_stories_golden.py.
void expect_stories(const std::string& name, const std::string& folder) {
  const Model model = load_model(folder);
  const Tokenizer tokenizer = Tokenizer::load(folder);
  std::ifstream golden(std::string(FOVEA_TEST_DATA) + "/stories_golden.txt");
  int stories = 0;
  for (std::string line; std::getline(golden, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != name) continue;
    std::vector<Index> prompt, want;
    while (words >> word && word != "|") prompt.push_back(std::stoll(word));
    for (Index id = 0; words >> id;) want.push_back(id);
    GenerationOptions options;
    options.stop_at_end = false;
    EXPECT_EQ(generate(model, prompt, options).ids, want) << line.substr(0, 60);
    EXPECT_EQ(tokenizer.encode(tokenizer.decode(prompt)).ids, prompt);
    ++stories;
  }
  EXPECT_EQ(stories, 3);
}

TEST(TinyStories, writes_200_tokens_as_numpy_260k) {
  const std::string folder = shared_data("stories260K");
  if (folder.empty()) GTEST_SKIP() << needs_shared_data("stories260K");
  expect_stories("stories260K", folder);
}

TEST(TinyStories, writes_200_tokens_as_numpy_15m) {
  const std::string folder = cached_model("stories15m");
  if (folder.empty()) GTEST_SKIP() << needs_model("stories15m");
  expect_stories("stories15m", folder);
}

}  // namespace
}  // namespace fovea
