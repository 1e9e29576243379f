// fovea attend: files in, files out, compared with double.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/named_tensors.h"
#include "fovea/npy.h"
#include "fovea/random.h"
#include "run_command.h"

namespace fovea {
namespace {

// Draws q [N, D], k [M, D], v [M, Dv] and saves them.
struct Inputs {
  Tensor q, k, v;
  Inputs(const TemporaryDirectory& directory, std::uint32_t seed, Index n, Index m, Index d, Index dv) {
    Random random = Random::numpy(seed);
    q = random.randn({n, d});
    k = random.randn({m, d});
    v = random.randn({m, dv});
    save_npy(directory.file("q.npy"), q);
    save_npy(directory.file("k.npy"), k);
    save_npy(directory.file("v.npy"), v);
  }
};

CommandResult attend(const TemporaryDirectory& directory, const std::vector<std::string>& more,
                     const std::string& output = "out.npz") {
  std::vector<std::string> arguments = {
      "attend", directory.file("q.npy"), directory.file("k.npy"), directory.file("v.npy"),
      "-o",     directory.file(output)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_fovea(arguments);
}

// Row i of the weights in double, with log Σ exp; `visible` says which keys count.
template <typename Visible>
std::vector<double> weights_row(const Inputs& in, Index i, double scale, const Visible& visible,
                                double& logsumexp) {
  const Index m = in.k.shape()[0], d = in.k.shape()[1];
  std::vector<double> row(static_cast<std::size_t>(m), -INFINITY);
  double largest = -INFINITY, sum = 0;
  for (Index j = 0; j < m; ++j) {
    if (!visible(j)) continue;
    double score = 0;
    for (Index c = 0; c < d; ++c)
      score += static_cast<double>(in.q(i, c)) * static_cast<double>(in.k(j, c));
    row[static_cast<std::size_t>(j)] = score * scale;
    largest = std::max(largest, score * scale);
  }
  for (double& score : row) sum += score = std::exp(score - largest);
  for (double& weight : row) weight /= sum;
  logsumexp = largest + std::log(sum);
  return row;
}

TEST(Attend, bfloat16_is_near_float32_and_not_the_same) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 7, 70, 200, 64, 32);
  ASSERT_EQ(attend(directory, {"--mask", "causal"}, "exact.npy").exit_code, 0);
  const CommandResult run =
      attend(directory, {"--mask", "causal", "--precision", "bf16", "--verbose"}, "near.npy");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("; bfloat16 "), std::string::npos) << run.err;
  const Tensor exact = load_npy(directory.file("exact.npy")), near = load_npy(directory.file("near.npy"));
  double error = 0, size = 0;
  for (Index i = 0; i < exact.shape().elements(); ++i) {
    error += std::pow(static_cast<double>(near.data()[i] - exact.data()[i]), 2);
    size += std::pow(static_cast<double>(exact.data()[i]), 2);
  }
  EXPECT_LE(std::sqrt(error / size), 4e-3);
  EXPECT_GE(std::sqrt(error / size), 1e-4);
}

TEST(Attend, bfloat16_has_neither_weights_nor_dropout) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 7, 4, 4, 8, 8);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--precision", "bf16", "--weights"}, {"--precision", "bf16", "--dropout", "0.5"}}) {
    const CommandResult run = attend(directory, more);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find("--precision bf16 takes no --weights and no --dropout: these need float32"),
              std::string::npos)
        << run.err;
  }
  EXPECT_EQ(attend(directory, {"--precision", "half"}).exit_code, 2);
}

TEST(Attend, causal_agrees_with_numpy_in_double) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 7, 300, 300, 64, 64);
  ASSERT_EQ(attend(directory, {"--mask", "causal"}).exit_code, 0);
  const NamedArrays arrays = load_arrays(directory.file("out.npz"));
  EXPECT_EQ(arrays.names(), std::vector<std::string>{"output"});
  const Tensor& output = arrays.tensor("output");
  ASSERT_EQ(output.shape(), (Shape{300, 64}));

  std::ifstream golden(FOVEA_TEST_DATA "/attend_golden.txt");
  std::string kind;
  double expected_sum = 0, sum = 0;
  golden >> kind >> expected_sum;
  ASSERT_EQ(kind, "sum");
  for (Index i = 0; i < output.shape().elements(); ++i) sum += static_cast<double>(output.data()[i]);
  EXPECT_NEAR(sum, expected_sum, 1e-3);
  int rows = 0;
  for (Index row = 0; golden >> kind >> row; ++rows) {
    for (Index c = 0; c < 64; ++c) {
      double expected = 0;
      golden >> expected;
      EXPECT_NEAR(static_cast<double>(output(row, c)), expected, 2e-6) << row << ", " << c;
    }
  }
  EXPECT_EQ(rows, 8);
}

TEST(Attend, weights_logsumexp_scale_and_window) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 8, 20, 33, 5, 7);
  ASSERT_EQ(attend(directory, {"--mask", "window(4, 1)", "--scale", "0.75", "--weights", "--logsumexp"},
                   "out.safetensors")
                .exit_code,
            0);
  const NamedArrays arrays = load_arrays(directory.file("out.safetensors"));
  const Tensor &output = arrays.tensor("output"), &weights = arrays.tensor("weights");
  const Tensor& logsumexp = arrays.tensor("logsumexp");
  ASSERT_EQ(weights.shape(), (Shape{20, 33}));
  ASSERT_EQ(logsumexp.shape(), (Shape{20}));
  for (Index i = 0; i < 20; ++i) {
    const Index p = i + 33 - 20;
    double expected_logsumexp = 0;
    const std::vector<double> row = weights_row(
        in, i, 0.75, [&](Index j) { return j >= p - 4 && j <= p + 1; }, expected_logsumexp);
    EXPECT_NEAR(static_cast<double>(logsumexp(i)), expected_logsumexp,
                2e-6 * std::max(1.0, std::abs(expected_logsumexp)));
    for (Index j = 0; j < 33; ++j)
      EXPECT_NEAR(static_cast<double>(weights(i, j)), row[static_cast<std::size_t>(j)], 2e-6);
    for (Index c = 0; c < 7; ++c) {
      double expected = 0;
      for (Index j = 0; j < 33; ++j)
        expected += row[static_cast<std::size_t>(j)] * static_cast<double>(in.v(j, c));
      EXPECT_NEAR(static_cast<double>(output(i, c)), expected, 2e-6);
    }
  }
}

TEST(Attend, one_file_with_all_three_gives_the_same_bytes) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 9, 6, 4, 3, 3);
  ASSERT_EQ(attend(directory, {}, "a.npy").exit_code, 0);
  NamedArrays arrays;
  arrays.add("v", in.v);
  arrays.add("q", in.q);
  arrays.add("k", in.k);
  for (const char* name : {"qkv.npz", "qkv.safetensors"}) {
    save_arrays(directory.file(name), arrays);
    ASSERT_EQ(run_fovea({"attend", directory.file(name), "-o", directory.file("b.npy")}).exit_code, 0)
        << name;
    EXPECT_EQ(text_of(directory.file("a.npy")), text_of(directory.file("b.npy"))) << name;
  }
}

TEST(Attend, options_change_the_result) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 10, 9, 9, 4, 4);
  ASSERT_EQ(attend(directory, {}, "plain.npy").exit_code, 0);
  const std::string plain = text_of(directory.file("plain.npy"));
  const std::vector<std::vector<std::string>> changes = {{"--scale", "2"},
                                                         {"--softcap", "0.5"},
                                                         {"--dropout", "0.5", "--seed", "3"},
                                                         {"--alibi"},
                                                         {"--mask", "causal"}};
  for (const std::vector<std::string>& change : changes) {
    ASSERT_EQ(attend(directory, change, "other.npy").exit_code, 0) << change.front();
    EXPECT_NE(text_of(directory.file("other.npy")), plain) << change.front();
  }
  ASSERT_EQ(attend(directory, {"--dropout", "0.5", "--seed", "3"}, "a.npy").exit_code, 0);
  ASSERT_EQ(attend(directory, {"--dropout", "0.5", "--seed", "3"}, "b.npy").exit_code, 0);
  EXPECT_EQ(text_of(directory.file("a.npy")), text_of(directory.file("b.npy")));
}

TEST(Attend, shape_error_names_both_shapes_and_leaves_no_file) {
  const TemporaryDirectory directory;
  Random random = Random::numpy(1);
  save_npy(directory.file("q.npy"), random.randn({5, 32}));
  save_npy(directory.file("k.npy"), random.randn({6, 64}));
  save_npy(directory.file("v.npy"), random.randn({6, 64}));
  const CommandResult result = attend(directory, {});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(result.err.starts_with("fovea: [attention] ")) << result.err;
  EXPECT_TRUE(contains(result.err, "[5, 32]")) << result.err;
  EXPECT_TRUE(contains(result.err, "[6, 64]")) << result.err;
  EXPECT_EQ(directory.entries(), 3U);
}

TEST(Attend, mask_that_does_not_fit_leaves_no_file) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 11, 4, 6, 3, 3);
  const CommandResult result = attend(directory, {"--mask", "padding([1,2,3,0])"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(directory.entries(), 3U);
}

TEST(Attend, unwritable_output_is_a_failure) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 12, 4, 4, 3, 3);
  const CommandResult result = attend(directory, {}, "missing/out.npz");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "missing/out.npz")) << result.err;
}

TEST(Attend, missing_array_says_what_there_is) {
  const TemporaryDirectory directory;
  NamedArrays arrays;
  arrays.add("queries", Tensor({2, 2}));
  save_arrays(directory.file("in.npz"), arrays);
  const CommandResult result =
      run_fovea({"attend", directory.file("in.npz"), "-o", directory.file("out.npz")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "no array \"q\"; there is queries")) << result.err;
}

TEST(Attend, extension_in_capitals) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 14, 4, 4, 3, 3);
  EXPECT_EQ(attend(directory, {}, "OUT.NPZ").exit_code, 0);
  EXPECT_EQ(load_arrays(directory.file("OUT.NPZ")).names(), std::vector<std::string>{"output"});
}

TEST(Attend, tells_people_on_the_other_stream) {
  const TemporaryDirectory directory;
  const Inputs in(directory, 13, 4, 4, 3, 3);
  const CommandResult result = attend(directory, {});
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "output [4, 3] → ")) << result.err;
}

}  // namespace
}  // namespace fovea
