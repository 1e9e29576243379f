// fovea corpus: the tutorial's pipeline, and words of corpora.
#include <cmath>

#include "apps/run_command.h"
#include "fovea/npz.h"
#include "fovea/random.h"
#include "fovea/vocabulary.h"
#include "support/outside_files.h"

namespace fovea {
namespace {

std::string put_text(const TemporaryDirectory& directory, const std::string& name,
                     const std::string& text) {
  std::ofstream(directory.file(name), std::ios::binary) << text;
  return directory.file(name);
}

// Softmax(X Xᵀ / √E) X in double, with NumPy's own doubles.
void expect_attention_of_words(const NamedArrays& arrays, Index vocabulary, std::uint32_t seed,
                               bool mask_pads) {
  const Tensor &output = arrays.tensor("output"), &weights = arrays.tensor("weights");
  const Ids& ids = arrays.ids("ids");
  const Index texts = output.shape()[0], length = output.shape()[1], width = output.shape()[2];
  ASSERT_EQ(ids.shape(), (Shape{texts, length}));
  ASSERT_EQ(weights.shape(), (Shape{texts, length, length}));
  Random random = Random::numpy(seed);
  std::vector<double> vectors(static_cast<std::size_t>(vocabulary * width));
  for (double& value : vectors) value = random.randn();
  const auto vector = [&](Index t, Index i) { return vectors.data() + ids(t, i) * width; };
  double worst = 0;
  std::vector<double> row(static_cast<std::size_t>(length));
  for (Index t = 0; t < texts; ++t) {
    for (Index i = 0; i < length; ++i) {
      double sum = 0;
      for (Index j = 0; j < length; ++j) {
        double score = 0;
        for (Index e = 0; e < width; ++e) score += vector(t, i)[e] * vector(t, j)[e];
        const bool hidden = mask_pads && ids(t, j) == Vocabulary::kPad;
        row[static_cast<std::size_t>(j)] =
            hidden ? 0 : std::exp(score / std::sqrt(static_cast<double>(width)));
        sum += row[static_cast<std::size_t>(j)];
      }
      for (Index j = 0; j < length; ++j) {
        const double weight = sum > 0 ? row[static_cast<std::size_t>(j)] / sum : 0;
        worst = std::max(worst, std::abs(weight - static_cast<double>(weights(t, i, j))));
      }
      for (Index e = 0; e < width; ++e) {
        double value = 0;
        for (Index j = 0; j < length; ++j) value += row[static_cast<std::size_t>(j)] * vector(t, j)[e];
        value = sum > 0 ? value / sum : 0;
        const double error = std::abs(value - static_cast<double>(output(t, i, e)));
        worst = std::max(worst, error / std::max(1.0, std::abs(value)));
      }
    }
  }
  EXPECT_LE(worst, 1e-6);
}

TEST(CorpusCommand, attends_over_the_tutorials_reviews) {
  const std::string folder = testing::shared_data("imdb");
  if (folder.empty()) GTEST_SKIP() << testing::needs_shared_data("imdb");
  const TemporaryDirectory directory;
  const CommandResult result =
      run_fovea({"corpus", "attend", folder + "/aclImdb-1000.tgz", "-o", directory.file("out.npz")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "texts       1000\n"
            "the first   Bromwell High is a cartoon comedy. It ran at the same time as some other programs "
            "about school life,\n"
            "vocabulary  28706\n"
            "output      [1000, 20, 64]\n"
            "weights     [1000, 20, 20]\n");
  EXPECT_TRUE(directory.has("out.png"));
  expect_attention_of_words(load_npz(directory.file("out.npz")), 28706, 42, false);
}

TEST(CorpusCommand, pads_are_hidden_if_asked) {
  const TemporaryDirectory directory;
  const std::string path =
      put_text(directory, "a.csv", "review\n\"The cat, the CAT\"\n\"\"\nsat on the mat\n");
  const CommandResult result =
      run_fovea({"corpus", "attend", path, "--length", "5", "--width", "8", "--batch", "2", "--seed", "3",
                 "--mask-pads", "-o", directory.file("out.npz"), "--picture", directory.file("p.svg")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "1 texts are empty")) << result.err;
  const NamedArrays arrays = load_npz(directory.file("out.npz"));
  // the 2 · cat 3: "cat," and "cat" are two words
  EXPECT_EQ(arrays.ids("ids").values(),
            (std::vector<std::int64_t>{2, 3, 2, 4, 0, 0, 0, 0, 0, 0, 5, 6, 2, 7, 0}));
  expect_attention_of_words(arrays, 8, 3, true);
  EXPECT_TRUE(contains(text_of(directory.file("p.svg")), "Key Tokens"));
  EXPECT_TRUE(contains(text_of(directory.file("p.svg")), "Query Tokens"));
}

TEST(CorpusCommand, a_vocabulary_with_broken_rows) {
  const TemporaryDirectory directory;
  std::string lines;
  for (int i = 0; i < 100000; ++i) {
    lines +=
        i % 100 == 7 ? "{\"text\": \"broken\n" : "{\"text\": \"word" + std::to_string(i % 10) + " the\"}\n";
  }
  const std::string path = put_text(directory, "a.jsonl", lines);
  const CommandResult result = run_fovea({"corpus", "vocabulary", path, "-o", directory.file("v.tsv")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "texts       99000\n")) << result.out;
  EXPECT_TRUE(contains(result.err, "1000 broken rows left out")) << result.err;
  EXPECT_TRUE(contains(result.err, "line 8: JSON: line 1, column")) << result.err;
  EXPECT_TRUE(contains(result.err, "and 995 more")) << result.err;
  EXPECT_TRUE(text_of(directory.file("v.tsv")).starts_with("<pad>\t0\n<unk>\t0\nthe\t99000\n"));
  const CommandResult strict = run_fovea({"corpus", "vocabulary", path, "--strict"});
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_TRUE(contains(strict.err, "line 8")) << strict.err;
}

TEST(CorpusCommand, what_is_wrong_is_said) {
  EXPECT_EQ(run_fovea({"corpus", "count", "x"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"corpus", "attend", "/nowhere.txt"}).exit_code, 1);
  EXPECT_EQ(run_fovea({"corpus", "attend", "x", "-o", "x.txt"}).exit_code, 2);
}

}  // namespace
}  // namespace fovea
