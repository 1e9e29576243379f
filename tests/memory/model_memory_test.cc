// Loading a model allocates its weights once, as float32, and little more. The mapped file is not counted
// here: its pages are given back as they are converted, and belong to the system's cache.
#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "fovea/model.h"
#include "fovea/random.h"
#include "fovea/safetensors.h"
#include "io/io_testing.h"
#include "support/memory_counter.h"

namespace fovea {
namespace {

// A Llama of 4 layers, 2.4 M weights.
void write_model(const TemporaryFolder& folder) {
  constexpr Index kWidth = 192, kInner = 512, kWords = 3000;
  Random random(2);
  NamedArrays arrays;
  arrays.add("model.embed_tokens.weight", random.normal({kWords, kWidth}));
  for (int layer = 0; layer < 4; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
      arrays.add(at + "self_attn." + name + ".weight", random.normal({kWidth, kWidth}));
    }
    arrays.add(at + "mlp.gate_proj.weight", random.normal({kInner, kWidth}));
    arrays.add(at + "mlp.up_proj.weight", random.normal({kInner, kWidth}));
    arrays.add(at + "mlp.down_proj.weight", random.normal({kWidth, kInner}));
    arrays.add(at + "input_layernorm.weight", random.normal({kWidth}));
    arrays.add(at + "post_attention_layernorm.weight", random.normal({kWidth}));
  }
  arrays.add("model.norm.weight", random.normal({kWidth}));
  save_safetensors(folder / "model.safetensors", arrays);
  std::ofstream(folder / "config.json")
      << R"({"model_type": "llama", "hidden_size": 192, "intermediate_size": 512, "num_hidden_layers": 4,
            "num_attention_heads": 4, "vocab_size": 3000, "tie_word_embeddings": true})";
}

TEST(ModelMemory, loading_takes_at_most_1_3_times_the_weights) {
  const TemporaryFolder folder;
  write_model(folder);
  testing::start_counting_memory();
  const Model model = load_model(folder / "");
  const double weights = 4.0 * static_cast<double>(model.parameters());
  EXPECT_GT(weights, 9e6);
  EXPECT_LT(static_cast<double>(testing::most_memory_since_start()), 1.3 * weights);
}

TEST(ModelMemory, narrower_weights_take_half_and_a_quarter) {
  const TemporaryFolder folder;
  write_model(folder);
  for (const auto& [type, bytes] : {std::pair{FloatType::float16, 2.0}, std::pair{FloatType::bfloat16, 2.0},
                                    std::pair{FloatType::int8, 1.0}}) {
    testing::start_counting_memory();
    const Model model = load_model(folder / "", {.weights = type});
    const double weights = bytes * static_cast<double>(model.parameters());
    // Beside the weights, pieces of 1 MiB of the file, in float32.
    EXPECT_LT(static_cast<double>(testing::most_memory_since_start()), 1.05 * weights + 3.5e6)
        << to_string(type);
  }
}

}  // namespace
}  // namespace fovea
