// Folders that hold no model, or a broken one: every complaint at once, before anything runs.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fovea/generation.h"
#include "io/io_testing.h"
#include "models/model_testing.h"
#include "models/weight_files.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::tiny_model;

// A copy of a tiny model that a test may spoil.
class Copy {
 public:
  explicit Copy(const std::string& name) {
    for (const auto& entry : fs::directory_iterator(tiny_model(name))) {
      if (entry.path().filename() != "golden.safetensors") fs::copy(entry.path(), path(""));
    }
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    write(name, text.replace(at, from.size(), to));
  }
  void remove(const std::string& name) const { fs::remove(path(name)); }
  std::string error() const {
    return error_of([&] { load_model(folder_ / ""); });
  }

 private:
  TemporaryFolder folder_;
};

TEST(ModelFolder, all_tensors_that_do_not_fit_are_listed_at_once) {
  const Copy copy("bert");
  NamedArrays arrays = load_safetensors(copy.path("model.safetensors"));
  NamedArrays spoiled;
  for (const NamedArrays::Entry& entry : arrays) {
    if (entry.name == "bert.encoder.layer.1.output.dense.weight") {
      spoiled.add(entry.name, Tensor({24, 41}));
    } else if (entry.name == "bert.embeddings.LayerNorm.bias") {
      spoiled.add(entry.name, Ids({24}, std::vector<std::int64_t>(24)));
    } else if (entry.name != "bert.encoder.layer.0.attention.self.key.weight" &&
               entry.name != "cls.predictions.bias") {
      spoiled.add(entry.name, std::get<Tensor>(entry.array));
    }
  }
  save_safetensors(copy.path("model.safetensors"), spoiled);
  const std::string error = copy.error();
  EXPECT_TRUE(contains(error, "4 tensors do not fit"));
  EXPECT_TRUE(
      contains(error, "bert.encoder.layer.0.attention.self.key.weight is missing, expected [24, 24]"));
  EXPECT_TRUE(contains(error, "bert.encoder.layer.1.output.dense.weight is [24, 41], expected [24, 40]"));
  EXPECT_TRUE(contains(error, "bert.embeddings.LayerNorm.bias holds integers, expected floats [24]"));
  EXPECT_TRUE(contains(error, "cls.predictions.bias is missing, expected [64]"));
}

TEST(ModelFolder, all_that_is_wrong_with_the_config_is_listed_at_once) {
  const Copy copy("llama");
  copy.write("config.json", R"({"model_type": "llama", "hidden_size": 24, "num_hidden_layers": -2,
    "num_attention_heads": "four", "intermediate_size": 40, "hidden_act": "mish", "vocab_size": 64,
    "rope_parameters": {"rope_type": "yarn"}})");
  const std::string error = copy.error();
  EXPECT_TRUE(contains(error, "num_hidden_layers is \"-2\", expected an integer from 1 to 1024"));
  EXPECT_TRUE(contains(error, "num_attention_heads is"));
  EXPECT_TRUE(contains(error, "hidden_act is"));
  EXPECT_TRUE(contains(error, "rope_type is yarn"));
}

TEST(ModelFolder, what_is_wrong_with_a_bart_is_listed_at_once) {
  const Copy copy("bart");
  copy.write("config.json", R"({"model_type": "bart", "d_model": 24, "encoder_layers": -2,
    "decoder_layers": 4096, "encoder_attention_heads": 5, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 0, "decoder_ffn_dim": 40, "max_position_embeddings": "many", "vocab_size": 280,
    "activation_function": "mish", "normalize_before": true, "scale_embedding": 1,
    "forced_bos_token_id": "one"})");
  const std::string error = copy.error();
  for (const char* part :
       {"encoder_layers is \"-2\", expected an integer from 1 to 1024", "decoder_layers is \"4096\"",
        "d_model 24 is not a multiple of 5 encoder_attention_heads", "encoder_ffn_dim is \"0\"",
        "max_position_embeddings is", "activation_function is",
        "normalize_before is true, expected false of a model of type bart",
        "scale_embedding is \"1\", expected true or false"}) {
    EXPECT_TRUE(contains(error, part)) << error;
  }
}

TEST(ModelFolder, weights_of_a_bart_that_do_not_fit) {
  const Copy copy("bart");
  copy.replace("config.json", "\"max_position_embeddings\": 32", "\"max_position_embeddings\": 33");
  EXPECT_TRUE(
      contains(copy.error(), "model.encoder.embed_positions.weight is [34, 24], expected [35, 24]"));
  const Copy deeper("marian");
  deeper.replace("config.json", "\"decoder_layers\": 2", "\"decoder_layers\": 3");
  EXPECT_TRUE(contains(deeper.error(),
                       "model.decoder.layers.2.self_attn.q_proj.weight is missing, expected [24, 24]"));
  const Copy apart("bart");
  apart.replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  EXPECT_TRUE(contains(apart.error(), "lm_head.weight is missing, expected [280, 24]"));
}

TEST(ModelFolder, what_generation_obeys_is_checked) {
  const Copy copy("marian");
  EXPECT_EQ(copy.error(), "");
  EXPECT_EQ(load_model(copy.path("")).config().forbidden.size(), 63u);
  copy.write("generation_config.json", R"({"forced_eos_token_id": 64, "bad_words_ids": [[1], "x"]})");
  EXPECT_TRUE(contains(copy.error(), "forced_eos_token_id is 64, expected 0 to 63"));
  EXPECT_TRUE(contains(copy.error(), "bad_words_ids is"));
  copy.write("generation_config.json", "[]");
  EXPECT_TRUE(contains(copy.error(), "expected an object, got array"));
  copy.write("generation_config.json", R"({"eos_token_id": [3, 4], "decoder_start_token_id": 7})");
  const Model model = load_model(copy.path(""));
  EXPECT_EQ(model.config().end_ids, (std::vector<Index>{3, 4}));
  EXPECT_EQ(model.config().decoder_start_id, 7);
  EXPECT_EQ(model.config().forced_last_id, std::nullopt);  // config.json's is not asked any more
}

TEST(ModelInput, of_a_bart_that_does_not_fit_is_an_error) {
  for (const char* name : {"bart", "marian"}) {  // learned positions and sinusoids end at the same place
    const Model model = load_model(tiny_model(name));
    const auto error = [&](const ModelInput& input) {
      return error_of([&] { static_cast<void>(model.run(input)); });
    };
    EXPECT_EQ(error({Ids::filled({1, 32}, 5), {}, {}, Ids::filled({1, 32}, 5)}), "");
    EXPECT_TRUE(
        contains(error({Ids::filled({1, 33}, 5), {}, {}, {}}), "33 tokens, the model's limit is 32"));
    EXPECT_TRUE(contains(error({Ids::filled({1, 3}, 5), {}, {}, Ids::filled({1, 33}, 5)}),
                         "decoder_ids have 33 tokens, the model's limit is 32"));
    EXPECT_TRUE(contains(error({Ids{{5}}, {}, {}, Ids{{1, 300}}}), "token 1 of sequence 0 is 300"));
  }
}

TEST(ModelFolder, an_unknown_architecture_names_the_known_ones) {
  const Copy copy("gpt2");
  copy.replace("config.json", "\"model_type\": \"gpt2\"", "\"model_type\": \"mamba\"");
  EXPECT_TRUE(contains(copy.error(), "model_type is \"mamba\", expected one of bert, roberta"));
}

TEST(ModelFolder, pickles_are_refused_with_the_command_that_converts_them) {
  const Copy copy("gpt2");
  copy.remove("model.safetensors");
  copy.write("pytorch_model.bin", "pickle");
  EXPECT_TRUE(contains(copy.error(), "from safetensors.torch import save_file"));
  copy.remove("config.json");
  EXPECT_TRUE(contains(copy.error(), "is a Python pickle"));
}

TEST(ModelFolder, weights_that_are_missing_or_ambiguous) {
  const Copy copy("gpt2");
  fs::rename(copy.path("model.safetensors"), copy.path("model.fp16.safetensors"));
  EXPECT_EQ(copy.error(), "");  // the only one there is
  fs::copy(copy.path("model.fp16.safetensors"), copy.path("other.safetensors"));
  EXPECT_TRUE(contains(copy.error(), "several weight files (model.fp16.safetensors, other.safetensors)"));
  copy.remove("model.fp16.safetensors");
  copy.remove("other.safetensors");
  EXPECT_TRUE(contains(copy.error(), "no weights found"));
  EXPECT_TRUE(contains(error_of([] { load_model("/nowhere"); }), "there is no such folder"));
  EXPECT_TRUE(contains(error_of([&] { load_model(copy.path("config.json")); }), "is a file"));
}

TEST(ModelFolder, a_truncated_download_is_an_error) {
  const Copy copy("gpt2");
  const std::string whole = copy.read("model.safetensors");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    copy.write("model.safetensors", whole.substr(0, size));
    EXPECT_TRUE(contains(copy.error(), "[safetensors]")) << size;
  }
}

TEST(ModelFolder, shards_that_are_missing_are_named) {
  const Copy copy("qwen2");
  EXPECT_EQ(copy.error(), "");
  copy.remove("model-00002-of-00003.safetensors");
  EXPECT_TRUE(contains(copy.error(), "missing files: \"model-00002-of-00003.safetensors\""));
  copy.write("model.safetensors.index.json", R"({"weight_map": {"a": "../../etc/passwd"}})");
  EXPECT_TRUE(contains(copy.error(), "should be in a file of the same folder, got \"../../etc/passwd\""));
  copy.write("model.safetensors.index.json",
             R"({"weight_map": {"a": "model-00001-of-00003.safetensors"}})");
  EXPECT_TRUE(contains(copy.error(), "missing tensors: \"a\" of \"model-00001"));
}

TEST(ModelFolder, llama2c_files_are_checked) {
  const TemporaryFolder folder;
  const auto with_header = [&](std::vector<std::int32_t> header, std::size_t floats) {
    std::ofstream file(folder / "model.bin", std::ios::binary);
    file.write(reinterpret_cast<const char*>(header.data()),
               static_cast<std::streamsize>(header.size() * 4));
    const std::vector<float> zeros(floats);
    file.write(reinterpret_cast<const char*>(zeros.data()), static_cast<std::streamsize>(floats * 4));
    file.close();
    return error_of([&] { load_model(folder / ""); });
  };
  // dim 4, hidden 6, 1 layer, 2 heads over 1, 10 words, 5 positions
  const std::size_t fits = 10 * 4 + 2 * 4 + 4 * 4 * 2 + 2 * 4 * 2 + 3 * 4 * 6 + 4 + 5 * 2;
  EXPECT_EQ(with_header({4, 6, 1, 2, 1, 10, 5}, fits), "");
  EXPECT_EQ(with_header({4, 6, 1, 2, 1, -10, 5}, fits + 40), "");  // an output layer of its own
  EXPECT_TRUE(contains(with_header({4, 6, 1, 2, 1, 10, 5}, fits - 1), "its header"));
  EXPECT_TRUE(contains(with_header({4, 6, 1, 2, 1, 10, 5}, fits + 1), "its header"));
  EXPECT_TRUE(contains(with_header({4, 6, 1, 3, 1, 10, 5}, fits), "not a llama2.c model"));
  EXPECT_TRUE(contains(with_header({4, 6, 1 << 30, 2, 1, 10, 5}, fits), "not a llama2.c model"));
  EXPECT_TRUE(contains(with_header({4, 6}, 0), "the header alone takes 28"));
}

TEST(ModelInput, what_does_not_fit_is_an_error) {
  const Model model = load_model(tiny_model("bert"));
  const auto error = [&](const ModelInput& input) {
    return error_of([&] { static_cast<void>(model.run(input)); });
  };
  EXPECT_TRUE(contains(error({Ids{1, 2, 3}, {}, {}, {}}), "ids are [3], expected"));
  EXPECT_TRUE(contains(error({Ids({1, 0}, {}), {}, {}, {}}), "at least one token"));
  EXPECT_TRUE(contains(error({Ids::filled({1, 33}, 5), {}, {}, {}}),
                       "ids have 33 tokens, the model's limit is 32"));
  EXPECT_TRUE(contains(error({Ids{{1, 64}}, {}, {}, {}}), "token 1 of sequence 0 is 64, expected 0 to 63"));
  EXPECT_TRUE(
      contains(error({Ids{{1, 2}}, Flags{{1}}, {}, {}}), "real tokens are [1, 1], expected [1, 2]"));
  EXPECT_TRUE(contains(error({Ids{{1, 2}}, {}, Ids{{0, 7}}, {}}), "expected 0 to 1"));
  EXPECT_TRUE(contains(error({Ids{{1, 2}}, {}, {}, Ids{{1}}}), "encoder-decoder models only"));
}

TEST(ModelInfo, describes_without_loading) {
  const ModelInfo info = inspect_model(tiny_model("t5"));
  EXPECT_EQ(info.name, "t5");
  EXPECT_EQ(info.config.family, ModelFamily::t5);
  EXPECT_EQ(info.config.layers, 2);
  EXPECT_EQ(info.config.decoder_layers, 3);
  EXPECT_EQ(info.config.head_width, 8);
  EXPECT_EQ(info.parameters, load_model(tiny_model("t5")).parameters());
}

}  // namespace
}  // namespace fovea
