// gpt-nano-sort, a trained GPT-2 of 85,000 weights that sorts six digits, against the intermediate values
// that were published with it.
#include <algorithm>
#include <fstream>

#include "core/fail.h"
#include "fovea/base64.h"
#include "fovea/generation.h"
#include "fovea/softmax.h"
#include "io/io_testing.h"
#include "io/json.h"
#include "models/model_testing.h"
#include "nn/attention_layer.h"
#include "nn/embedding.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"
#include "support/outside_files.h"

namespace fovea {
namespace {

using testing::expect_near;
using testing::layer_weights;

constexpr Index kWidth = 48, kHeads = 3, kLayers = 3;

class NanoSort : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string data = testing::shared_data("gpt-nano-sort");
    if (data.empty()) GTEST_SKIP() << testing::needs_shared_data("gpt-nano-sort");
    weights_ = load_json(data + "/model.json");
    partials_ = load_json(data + "/partials.json");
    write_folder();
  }

  static Tensor tensor(const Json& document, const std::string& name) {
    const Json& entry = document.at(name);
    const std::string bytes = from_base64(entry.at("data").get<std::string>(), name);
    Tensor result(Shape(entry.at("shape").get<std::vector<Index>>()));
    if (bytes.size() != static_cast<std::size_t>(result.shape().elements()) * 4)
      fail("[test] {} is cut", name);
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(result.data()));
    return result;
  }
  Tensor partial(const std::string& name) const { return tensor(partials_, name); }
  Tensor weight(const std::string& name) const { return tensor(weights_, "transformer." + name); }

  // The folder as Hugging Face would have it: matrices of the layers are [inputs, outputs] there.
  void write_folder() const {
    NamedArrays arrays;
    for (const auto& [name, entry] : weights_.items()) {
      if (name == "config" || name.ends_with(".attn.bias")) continue;
      Tensor values = tensor(weights_, name);
      const bool matrix = values.shape().rank() == 2 && name.find(".h.") != name.npos;
      arrays.add(name, matrix ? Tensor::copy_of(values.view().transpose(0, 1)) : values);
    }
    save_safetensors(folder_ / "model.safetensors", arrays);
    std::ofstream(folder_ / "config.json")
        << R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 48, "vocab_size": 3,
              "n_positions": 11, "tie_word_embeddings": false})";
  }
  std::string folder() const { return folder_ / ""; }

  Ids ids() const {
    const Tensor values = partial("idx");
    Ids result = Ids::filled(values.shape(), 0);
    for (Index i = 0; i < values.shape().elements(); ++i)
      result.data()[i] = static_cast<Index>(values.data()[i]);
    return result;
  }

 private:
  TemporaryFolder folder_;
  Json weights_, partials_;
};

TEST_F(NanoSort, the_model_gives_the_published_values) {
  const Model model = load_model(folder());
  Capture capture;
  const ModelOutput output = model.run({ids(), {}, {}, {}}, {&capture, true});
  const CapturedAttention& first = capture.calls().front();
  expect_near(Tensor::copy_of(first.q), partial("q"), 1e-5, "q");
  expect_near(Tensor::copy_of(first.k), partial("k"), 1e-5, "k");
  expect_near(Tensor::copy_of(first.v), partial("v"), 1e-5, "v");
  expect_near(layer_weights(fovea::Run(capture), AttentionKind::decoder, 0), partial("attSm"), 1e-6,
              "attSm");
  expect_near(output.hidden, partial("ln_f"), 1e-4, "ln_f");
  expect_near(output.logits, partial("lm_head"), 1e-4, "lm_head");
  expect_near(softmax(output.logits), partial("probs"), 1e-5, "probs");
}

// The same path, layer by layer, through the parts that the models are made of.
TEST_F(NanoSort, every_part_gives_the_published_values) {
  const auto linear = [&](const std::string& name) {
    return Linear(weight(name + ".weight"), weight(name + ".bias"));
  };
  const auto norm = [&](const std::string& name) {
    return LayerNorm{weight(name + ".weight"), weight(name + ".bias"), 1e-5f};
  };
  const Embedding words(weight("wte.weight")), positions(weight("wpe.weight"));
  Tensor x = words(ids(), "test");
  expect_near(x, partial("tok_emb"), 1e-6, "tok_emb");
  expect_near(weight("wpe.weight").reshaped({1, 11, kWidth}), partial("pos_emb"), 1e-6, "pos_emb");
  Ids places = Ids::filled({3, 11}, 0);
  for (Index i = 0; i < 33; ++i) places.data()[i] = i % 11;
  positions.add_to(x, places, "test");
  expect_near(x, partial("x"), 1e-6, "x");
  for (Index layer = 0; layer < kLayers; ++layer) {
    const auto check = [&](const Tensor& got, const char* name) {
      if (layer == 0) expect_near(got, partial(name), 2e-5, name);
    };
    const std::string at = "h." + std::to_string(layer) + ".";
    const Tensor ln1 = norm(at + "ln_1")(x);
    check(ln1, "ln1");
    check(linear(at + "attn.c_attn")(ln1), "qkv");
    ProjectedHeads heads;
    heads.project(ln1, linear(at + "attn.c_attn"), {kHeads, kHeads, kWidth / kHeads});
    Tensor y;
    attend(heads, {.mask = Mask::causal()}, {AttentionKind::decoder, layer, nullptr}, y);
    check(y, "y");
    check(linear(at + "attn.c_proj")(y), "yProj");
    linear(at + "attn.c_proj").add(y, x.view());
    check(x, "attnResid");
    const Tensor ln2 = norm(at + "ln_2")(x);
    check(ln2, "ln2");
    check(linear(at + "mlp.c_fc")(ln2), "fc");
    const Tensor inner = linear(at + "mlp.c_fc")(ln2, Activation::gelu_tanh);
    check(inner, "gelu");
    check(linear(at + "mlp.c_proj")(inner), "mlp");
    linear(at + "mlp.c_proj").add(inner, x.view());
    check(x, "mlpResid");
    expect_near(x, partial("block" + std::to_string(layer)), 1e-4, "block " + std::to_string(layer));
  }
  expect_near(norm("ln_f")(x), partial("ln_f"), 1e-4, "ln_f");
}

// Scores before softmax: scaled products, −inf where the mask hides.
TEST_F(NanoSort, scores_are_the_published_ones) {
  const Tensor q = partial("q"), k = partial("k"), scores = partial("att");
  for (Index b = 0; b < 3; ++b) {
    for (Index h = 0; h < kHeads; ++h) {
      for (Index i = 0; i < 11; ++i) {
        for (Index j = 0; j <= i; ++j) {
          double dot = 0;
          for (Index d = 0; d < 16; ++d)
            dot += static_cast<double>(q(b, h, i, d)) * static_cast<double>(k(b, h, j, d));
          ASSERT_NEAR(static_cast<double>(scores(b, h, i, j)), dot / 4, 1e-4) << b << h << i << j;
        }
      }
    }
  }
}

TEST_F(NanoSort, it_sorts) {
  const Model model = load_model(folder());
  GenerationOptions options;
  options.max_tokens = 6;
  int right = 0;
  for (Index code = 0; code < 729; ++code) {
    std::vector<Index> digits;
    for (Index rest = code, i = 0; i < 6; ++i, rest /= 3) digits.push_back(rest % 3);
    std::vector<Index> sorted = digits;
    std::sort(sorted.begin(), sorted.end());
    right += generate(model, digits, options).ids == sorted ? 1 : 0;
  }
  EXPECT_GE(right, 720) << "of 729 inputs";
  RecordProperty("sorted", right);
}

}  // namespace
}  // namespace fovea
