// fovea plot: files in, pictures out; what is wrong is said.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "fovea/examples.h"
#include "fovea/file.h"
#include "fovea/named_tensors.h"
#include "fovea/npy.h"
#include "fovea/random.h"
#include "run_plot.h"

namespace fovea {
namespace {

std::string error_of_plot(const TemporaryDirectory& directory, const std::vector<std::string>& arguments,
                          int exit_code) {
  const CommandResult result = plot(directory, arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  return result.err;
}

TEST(Plot, every_format_is_written_with_its_signature) {
  const TemporaryDirectory directory;
  save_weights(directory, {3, 3});
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"a.png", "\x89PNG"}, {"a.svg", "<?xml"}, {"a.pdf", "%PDF-1"}};
  for (const auto& [name, signature] : formats) {
    const CommandResult result = plot(directory, {"w.npy", "--tokens", "我 喜欢 AI", "-o", name});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, "→ ")) << result.err;
    EXPECT_TRUE(text_of(directory.file(name)).starts_with(signature)) << name;
  }
  EXPECT_TRUE(contains(text_of(directory.file("a.svg")), ">喜欢<"));
}

TEST(Plot, five_words_show_the_numbers_of_the_tutorial) {
  const TemporaryDirectory directory;
  save_npy(directory.file("five.npy"), example("five-words").account.weights().to_tensor());
  const CommandResult shown = plot(directory, {"five.npy", "--tokens", "我 喜欢 学习 AI 技术"});
  EXPECT_TRUE(contains(shown.out, "  我  ██0.633  ░░0.119    0.052  ░░0.104  ░░0.093 ")) << shown.out;
  ASSERT_EQ(plot(directory, {"five.npy", "--colormap", "YlOrRd", "-o", "five.svg"}).exit_code, 0);
  for (const char* number : {">0.633<", ">0.119<", ">0.052<", ">0.104<", ">0.093<"}) {
    EXPECT_TRUE(contains(text_of(directory.file("five.svg")), number)) << number;
  }
}

TEST(Plot, dpi_pixels_and_zoom_decide_the_size) {
  const TemporaryDirectory directory;
  save_weights(directory, {3, 3});
  const auto width_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"w.npy", "-o", "a.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(plot(directory, arguments).exit_code, 0);
    const std::string png = text_of(directory.file("a.png"));
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(png[i]); };
    return byte(18) * 256 + byte(19);
  };
  EXPECT_EQ(width_of({"--pixels", "640"}), 640);
  const int one = width_of({"--dpi", "100"});
  EXPECT_NEAR(width_of({"--dpi", "200"}), 2 * one, 2);
  EXPECT_NEAR(width_of({"--dpi", "100", "--zoom", "3"}), 3 * one, 3);
}

TEST(Plot, layers_and_heads_are_chosen) {
  const TemporaryDirectory directory;
  const Tensor weights = save_weights(directory, {3, 4, 2, 2});
  char number[32];
  std::snprintf(number, sizeof number, "%.3f", static_cast<double>(weights(2, 3, 0, 1)));
  for (const std::vector<std::string>& choice : std::vector<std::vector<std::string>>{
           {"--layer", "2", "--head", "3"}, {"--heads", "L2H3"}, {"--layer", "L2", "--heads", "H3"}}) {
    std::vector<std::string> arguments = {"w.npy"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    const CommandResult result = plot(directory, arguments);
    EXPECT_TRUE(contains(result.out, number)) << result.out;
    EXPECT_TRUE(contains(result.out, "L2H3")) << result.out;
    EXPECT_TRUE(contains(result.err, "reading rank 4 as [L, H, N, M]")) << result.err;
  }
  double mean = 0;
  float largest = 0;
  for (Index h = 0; h < 4; ++h) {
    mean += static_cast<double>(weights(1, h, 1, 0)) / 4;
    largest = std::max(largest, weights(1, h, 1, 0));
  }
  std::snprintf(number, sizeof number, "%.3f", mean);
  EXPECT_TRUE(contains(plot(directory, {"w.npy", "--layer", "1", "--heads", "mean"}).out, number));
  std::snprintf(number, sizeof number, "%.3f", static_cast<double>(largest));
  EXPECT_TRUE(contains(plot(directory, {"w.npy", "--layer", "1", "--heads", "max"}).out, number));
}

TEST(Plot, choices_out_of_range_name_the_valid_ones) {
  const TemporaryDirectory directory;
  save_weights(directory, {3, 4, 2, 2});
  EXPECT_TRUE(
      contains(error_of_plot(directory, {"w.npy", "--layer", "3"}, 2), "got layer 3, there are 3: 0 to 2"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"w.npy", "--heads", "1-4"}, 2),
                       "got head 4, there are 4: 0 to 3"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"w.npy", "--heads", "L0H9"}, 2), "got head 9"));
  EXPECT_TRUE(
      contains(error_of_plot(directory, {"w.npy", "--heads", "some"}, 2), "expected mean, max, all"));
  EXPECT_TRUE(
      contains(error_of_plot(directory, {"w.npy", "--batch", "1"}, 2), "got entry 1, there is 1: only 0"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"w.npy", "--layer", "0", "--heads", "L1H1"}, 2),
                       "drop the other"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"w.npy", "--heads", "all"}, 2), "fovea plot grid"));
}

TEST(Plot, queries_and_keys_give_the_picture_of_their_weights) {
  const TemporaryDirectory directory;
  Random random = Random::numpy(3);
  save_npy(directory.file("q.npy"), random.randn({2, 3, 6, 4}));
  save_npy(directory.file("k.npy"), random.randn({2, 3, 6, 4}));
  save_npy(directory.file("v.npy"), random.randn({2, 3, 6, 4}));
  ASSERT_EQ(run_fovea({"attend", directory.file("q.npy"), directory.file("k.npy"), directory.file("v.npy"),
                       "--mask", "causal & padding([[1,1,1,1,0,0],[1,1,1,1,1,1]])", "--alibi", "--scale",
                       "0.7", "--weights", "-o", directory.file("w.npz")})
                .exit_code,
            0);
  const std::string mask = "causal & padding([[1,1,1,1,0,0],[1,1,1,1,1,1]])";
  for (const char* batch : {"0", "1"}) {
    for (const std::vector<std::string>& kind :
         std::vector<std::vector<std::string>>{{"heatmap", "--head", "2"},
                                               {"heatmap", "--heads", "mean"},
                                               {"heatmap", "--heads", "max"},
                                               {"bars"},
                                               {"entropy"},
                                               {"grid"}}) {
      std::vector<std::string> computed = kind, given = kind;
      computed.insert(computed.end(), {"--q", "q.npy", "--k", "k.npy", "--mask", mask, "--alibi", "--scale",
                                       "0.7", "--batch", batch, "--digits", "2"});
      given.insert(given.begin() + 1, "w.npz");
      given.insert(given.end(), {"--axes", "BHNM", "--mask", mask, "--batch", batch, "--digits", "2"});
      const CommandResult a = plot(directory, computed), b = plot(directory, given);
      EXPECT_EQ(a.exit_code, 0) << a.err;
      EXPECT_EQ(a.out, b.out) << kind[0] << " " << batch;
    }
  }
}

TEST(Plot, long_inputs_are_shown_as_means) {
  const TemporaryDirectory directory;
  Random random = Random::numpy(3);
  save_npy(directory.file("q.npy"), random.randn({3000, 8}));
  save_npy(directory.file("k.npy"), random.randn({3000, 8}));
  const std::vector<std::string> files = {"--q", "q.npy", "--k", "k.npy"};
  const auto with = [&](std::vector<std::string> first, const std::vector<std::string>& last = {}) {
    first.insert(first.end(), files.begin(), files.end());
    first.insert(first.end(), last.begin(), last.end());
    return plot(directory, first);
  };
  EXPECT_TRUE(contains(with({"heatmap"}).out, "3000 × 3000 values in "));
  ASSERT_EQ(with({"heatmap"}, {"-o", "long.svg"}).exit_code, 0);
  EXPECT_TRUE(contains(text_of(directory.file("long.svg")), "3,000 × 3,000"));
  const CommandResult read = with({"lines"});  // printed: three keys of each query
  EXPECT_EQ(read.exit_code, 0) << read.err;
  for (const char* query : {"\n0 looks at\n", "\n2999 looks at\n"}) {
    EXPECT_TRUE(contains(read.out, query)) << query;
  }
  const CommandResult drawn = with({"lines"}, {"-o", "lines.svg"});  // drawn: a black field
  EXPECT_EQ(drawn.exit_code, 1);
  EXPECT_TRUE(contains(drawn.err, "more lines cannot be told apart")) << drawn.err;
  EXPECT_FALSE(directory.has("lines.svg"));
}

TEST(Plot, measures_of_every_head) {
  const TemporaryDirectory directory;
  const Tensor weights = save_weights(directory, {2, 3, 4, 4});
  double confidence = 0;  // mean of the row maxima of L1H2
  for (Index i = 0; i < 4; ++i) {
    float largest = 0;
    for (Index j = 0; j < 4; ++j) largest = std::max(largest, weights(1, 2, i, j));
    confidence += static_cast<double>(largest) / 4;
  }
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", confidence);
  const CommandResult result =
      plot(directory, {"entropy", "w.npy", "--measure", "confidence", "--digits", "4"});
  EXPECT_TRUE(contains(result.out, number)) << result.out;
  EXPECT_TRUE(
      contains(error_of_plot(directory, {"entropy", "w.npy", "--measure", "charm"}, 2), "confidence"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"entropy", "w.npy", "--measure", "rollout"}, 2),
                       "not a number per head"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"entropy", "w.npy", "--measure", "punctuation"}, 1),
                       "does not apply"));
}

TEST(Plot, weights_that_are_none_are_refused) {
  const TemporaryDirectory directory;
  save_npy(directory.file("nan.npy"), Tensor::from({{1, 0}, {NAN, 1}}));
  EXPECT_TRUE(contains(error_of_plot(directory, {"nan.npy"}, 1), "head 0, query 1, key 0 is nan"));
  save_npy(directory.file("one.npy"), Tensor({3}));
  EXPECT_TRUE(contains(error_of_plot(directory, {"one.npy"}, 1), "got rank 1"));
  save_npy(directory.file("sum.npy"), Tensor::from({{1, 0}, {0.5f, 0.25f}}));
  const CommandResult warned = plot(directory, {"sum.npy"});
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_TRUE(
      contains(warned.err, "1 row does not sum to 1; the worst is query 1 of layer 0, head 0: 0.75"))
      << warned.err;
}

TEST(Plot, tokens_come_from_options_files_and_the_weights_themselves) {
  const TemporaryDirectory directory;
  save_weights(directory, {2, 2});
  write_file(directory.file("t.txt"), "你好\nworld\n");
  EXPECT_TRUE(contains(plot(directory, {"w.npy", "--tokens-file", "t.txt"}).out, "你好"));
  write_file(directory.file("w.json"), R"({"weights": [[1, 0], [0.5, 0.5]], "tokens": ["eins", "zwei"]})");
  EXPECT_TRUE(contains(plot(directory, {"w.json"}).out, "zwei"));
  EXPECT_FALSE(contains(plot(directory, {"w.json", "--tokens", "a b"}).out, "zwei"));
  EXPECT_TRUE(
      contains(error_of_plot(directory, {"w.npy", "--tokens", "a b c"}, 1), "got 3 tokens, expected 2"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"w.npy", "--tokens", "a b", "--tokens-file", "t.txt"}, 2),
                       "not both"));
}

TEST(Plot, wrong_command_lines_say_what_was_expected) {
  const TemporaryDirectory directory;
  save_weights(directory, {2, 2});
  save_weights(directory, {3, 3}, "v.npy");
  const auto usage = [&](const std::vector<std::string>& arguments) {
    return error_of_plot(directory, arguments, 2);
  };
  EXPECT_TRUE(contains(usage({"missing.npy"}), "the kinds are heatmap, grid"));
  EXPECT_TRUE(contains(usage({}), "FILE is missing"));
  EXPECT_TRUE(contains(usage({"w.npy", "-o", "a.jpg"}), ".png, .svg or .pdf"));
  EXPECT_TRUE(contains(usage({"w.npy", "--range", "1..0"}), "LOW..HIGH"));
  EXPECT_TRUE(contains(usage({"w.npy", "--colormap", "jet"}), "viridis"));
  EXPECT_TRUE(contains(usage({"w.npy", "--range", "log"}), "needs -o FILE"));
  EXPECT_TRUE(contains(usage({"w.npy", "--scale", "2"}), "--q and --k"));
  EXPECT_TRUE(contains(usage({"--k", "w.npy"}), "--q is missing"));
  EXPECT_TRUE(contains(usage({"diagram", "circle"}), "flow, qkv, words or heads"));
  EXPECT_TRUE(contains(usage({"difference", "w.npy"}), "expected two heads"));
  EXPECT_TRUE(
      contains(error_of_plot(directory, {"difference", "w.npy", "v.npy"}, 1), "2 queries and 2 keys"));
  EXPECT_TRUE(contains(error_of_plot(directory, {"growth", "w.npy"}, 1), "[json]"));
  EXPECT_EQ(directory.entries(), 2U);
}

TEST(Plot, unwritable_output_is_a_failure) {
  const TemporaryDirectory directory;
  save_weights(directory, {2, 2});
  EXPECT_TRUE(contains(error_of_plot(directory, {"w.npy", "-o", "missing/a.png"}, 1), "missing/a.png"));
}

TEST(Plot, colours_follow_the_terminal) {
  const TemporaryDirectory directory;
  save_weights(directory, {2, 2});
  const std::vector<std::string> arguments = {"plot", directory.file("w.npy"), "--color", "always"};
  EXPECT_TRUE(contains(run_fovea(arguments, {"COLORTERM=truecolor"}).out, "\x1b[48;2;"));
  EXPECT_TRUE(contains(run_fovea(arguments, {"COLORTERM="}).out, "\x1b[48;5;"));
  EXPECT_FALSE(contains(run_fovea({"plot", directory.file("w.npy")}).out, "\x1b["));
}

TEST(Demo, visualize_writes_the_four_pictures) {
  const TemporaryDirectory directory;
  const CommandResult result = run_fovea({"demo", "visualize", "-o", directory.file("")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "0.633")) << result.out;
  EXPECT_TRUE(contains(result.out, "71.9 % visible"));
  for (const char* name : {"five-words.png", "twenty-tokens.png", "eight-heads.png", "sparse-mask.png"}) {
    EXPECT_TRUE(directory.has(name)) << name;
  }
}

}  // namespace
}  // namespace fovea
