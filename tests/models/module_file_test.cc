#include "fovea/module_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "fovea/safetensors.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

MultiHeadAttention module_with_biases(const MultiHeadConfig& config) {
  Random random(7);
  MultiHeadAttention module(config, random);
  MultiHeadAttention::Parameters p = module.parameters();
  p.in_proj_bias = random.normal(p.in_proj_bias.shape());
  p.out_proj_bias = random.normal(p.out_proj_bias.shape());
  module.set_parameters(std::move(p));
  return module;
}

TEST(ModuleFile, round_trip_with_the_names_of_pytorch) {
  const TemporaryFolder folder;
  const std::string path = folder / "module.safetensors";
  const MultiHeadConfig config{.d_model = 12, .heads = 3};
  const MultiHeadAttention saved = module_with_biases(config);
  save_module(path, saved);
  const NamedArrays file = load_safetensors(path);
  EXPECT_EQ(file.size(), 4u);
  EXPECT_EQ(file.tensor("in_proj_weight").shape(), (Shape{36, 12}));
  EXPECT_EQ(file.tensor("in_proj_bias").shape(), (Shape{36}));
  EXPECT_EQ(file.tensor("out_proj.weight").shape(), (Shape{12, 12}));
  EXPECT_EQ(file.tensor("out_proj.bias").shape(), (Shape{12}));
  MultiHeadAttention loaded(config, Random(8));
  load_module(path, loaded);
  const Tensor x = Random(9).normal({2, 4, 12});
  EXPECT_EQ(std::memcmp(saved(x).output.data(), loaded(x).output.data(), sizeof(float) * 96), 0);
}

TEST(ModuleFile, biases_are_not_dropped_in_silence) {
  const TemporaryFolder folder;
  const std::string path = folder / "module.safetensors";
  save_module(path, module_with_biases({.d_model = 6, .heads = 3}));
  MultiHeadAttention module({.d_model = 6, .heads = 3, .bias = false}, Random(8));
  EXPECT_THROW(load_module(path, module), Error);
}

TEST(ModuleFile, missing_and_misshapen_tensors_are_all_named) {
  const TemporaryFolder folder;
  const std::string path = folder / "module.safetensors";
  const MultiHeadAttention small = module_with_biases({.d_model = 6, .heads = 3});
  save_module(path, small, "layer.");
  MultiHeadAttention module({.d_model = 12, .heads = 3}, Random(8));
  const Tensor before = module.parameters().in_proj_weight;
  try {
    load_module(path, module);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("in_proj_weight is missing, expected [36, 12]; out_proj.weight is missing, "
                        "expected [12, 12]"),
              std::string::npos)
        << error.what();
  }
  try {
    load_module(path, module, "layer.");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("in_proj_weight is [18, 6], expected [36, 12]"),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find("out_proj.bias is [6], expected [12]"), std::string::npos);
  }
  EXPECT_EQ(std::memcmp(before.data(), module.parameters().in_proj_weight.data(), sizeof(float) * 36 * 12),
            0);
}

}  // namespace
}  // namespace fovea
