// What surrounds one attention: masks, heads, a second sequence, the order of the words.
#include <cmath>

#include "explain/arithmetic.h"
#include "fovea/explain.h"
#include "fovea/multi_head_attention.h"
#include "lessons/live_builder.h"

namespace fovea {
namespace {

Matrix visible_matrix(const Mask& mask, Index n) {
  const Tensor additive = mask.to_additive(n, n);  // [N, M] or [1, N, M]
  Matrix visible(n, n);
  const Index rows = additive.shape().back(1);  // 1 where all rows see the same
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const Index row = rows == 1 ? 0 : i;
      visible(i, j) = std::isinf(additive.data()[row * n + j]) ? 0 : 1;
    }
  }
  return visible;
}

Matrix first_rows(const Matrix& matrix, Index rows) {
  Matrix result(rows, matrix.columns());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < matrix.columns(); ++j) result(i, j) = matrix(i, j);
  }
  return result;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    largest = std::max(largest, std::abs(a.values()[i] - b.values()[i]));
  }
  return largest;
}

Account attention_of(const Matrix& x, const Mask& mask, const Bias& bias = {}) {
  return explain(x, Projections{}, {.mask = mask, .bias = bias});
}

}  // namespace

// Five places, the last ones pads, with and without the causal mask.
void live_masks(LiveBuilder& live) {
  const Index length = 5;
  const bool causal = live.is_on("causal", true);
  const Index pads = live.count("pads", 2, 0, 4);
  std::vector<std::string> words = {"1", "2", "3", "4", "5"};
  for (Index i = length - pads; i < length; ++i) words[static_cast<std::size_t>(i)] = "0";
  const Mask padding = Mask::lengths({length - pads});
  const Mask mask = causal ? padding & Mask::causal() : padding;
  Random random = Random::numpy(42);
  const Matrix x = Matrix::normal(random, length, 4);
  live.show_weights("visible", visible_matrix(mask, length), words, words);
  live.show_weights("weights", attention_of(x, mask.select(0)).weights(), words, words);
  live.number("share", mask.density(length, length));
  live.number("causal_share", Mask::causal().density(length, length));
}

// Four scenes of a film, judged by story, picture and music. Every critic is a head of width 1 and reads
// one column; beside it one head that reads all three.
void live_critics(LiveBuilder& live) {
  const double strictness = live.control("strictness", 4, {0, 10, 0.5});
  const Matrix scenes =
      live.editable("scenes", {{0.3, 0.9, 0.2}, {0.1, 0.6, 0.4}, {1.0, 0.2, 0.3}, {0.2, 0.3, 1.0}});
  const Matrix q = Matrix::filled(1, 3, strictness);
  const Account three = explain(q, scenes, Projections{.heads = 3});
  const Account one = explain(q, scenes, Projections{.heads = 1});
  Matrix weights(3, 4);
  for (int head = 0; head < 3; ++head) {
    for (Index j = 0; j < 4; ++j) weights(head, j) = three.weights(head)(0, j);
  }
  live.show_weights("critics", weights);
  live.show_weights("one_head", one.weights());
  live.show("report", three.output());
}

// Three words that are written look at the four tokens of the source.
void live_cross(LiveBuilder& live) {
  const Matrix queries = live.editable("queries", {{5, 0, 0}, {0, 5, 0}, {0, 0, 5}});
  const Matrix keys = live.editable("keys", {{1, 0, 0}, {0, 1, 0.2}, {0, 0.2, 1}, {-0.2, -0.2, -0.2}});
  const Account account = explain(queries, keys, keys);
  live.show_weights("weights", account.weights());
}

// The shapes of a real call: multi-head attention of width 256, a batch of 2.
void live_cross_shapes(LiveBuilder& live) {
  const Index target = live.count("target", 10, 1, 64);
  const Index source = live.count("source", 20, 1, 64);
  const MultiHeadAttention layer({.d_model = 256, .heads = 4}, Random(42));
  Random random(1);
  const AttentionResult result =
      layer(random.normal(Shape{2, target, 256}), random.normal(Shape{2, source, 256}), {.weights = true});
  for (int axis = 0; axis < 3; ++axis) {
    static constexpr const char* kNames[] = {"output_batch", "output_rows", "output_width"};
    live.number(kNames[axis], static_cast<double>(result.output.shape()[axis]));
  }
  Matrix shape(1, 4);
  for (int axis = 0; axis < 4; ++axis) shape(0, axis) = static_cast<double>(result.weights.shape()[axis]);
  live.show("shape", shape);
}

// "dog bites man" and "man bites dog": the row of "bites", its columns always dog, bites, man. The bias
// slope · (i − j) prefers what stands before.
void live_order(LiveBuilder& live) {
  const double slope = live.control("slope", 0, {0, 3, 0.25});
  const Matrix words = live.editable("words", {{1, 0.2}, {0.6, 0.8}, {0.7, 0.5}});
  Matrix weights(2, 3), output(2, words.columns());
  for (Index sentence = 0; sentence < 2; ++sentence) {
    const auto word_at = [&](Index place) { return sentence == 0 ? place : 2 - place; };
    Matrix x(3, words.columns());
    Tensor bias({3, 3});
    for (Index i = 0; i < 3; ++i) {
      for (Index c = 0; c < words.columns(); ++c) x(i, c) = words(word_at(i), c);
      for (Index j = 0; j < 3; ++j) bias(i, j) = static_cast<float>(slope * static_cast<double>(i - j));
    }
    const Account account = attention_of(x, {}, Bias::dense(bias));
    for (Index j = 0; j < 3; ++j) weights(sentence, word_at(j)) = account.weights()(1, j);
    for (Index c = 0; c < words.columns(); ++c) output(sentence, c) = account.output()(1, c);
  }
  live.show_weights("weights", weights);
  live.show("output", output);
  live.number("difference", std::abs(weights(0, 0) - weights(1, 0)));
}

// A fourth word is appended: which of the first three outputs change?
void live_append(LiveBuilder& live) {
  const bool causal = live.is_on("causal", true);
  const Matrix four = live.editable(
      "words",
      {{1, .2, .5, .8}, {.8, .9, .1, .3}, {.7, .3, .6, .8}, {.5, .5, .7, .6}});  // the small vocabulary
  const Mask mask = causal ? Mask::causal() : Mask::none();
  const Matrix before = attention_of(first_rows(four, 3), mask).output();
  const Account after = attention_of(four, mask);
  Matrix change(3, 1);
  for (Index i = 0; i < 3; ++i) {
    for (Index c = 0; c < before.columns(); ++c) {
      change(i, 0) = std::max(change(i, 0), std::abs(before(i, c) - after.output()(i, c)));
    }
  }
  live.show_weights("weights", after.weights());
  live.show("change", change);
  live.number("largest", largest_difference(change, Matrix(3, 1)));
}

// How much an encoder and a decoder see of `length` words.
void live_families(LiveBuilder& live) {
  const Index length = live.count("length", 6, 2, 12);
  live.show_weights("decoder", visible_matrix(Mask::causal(), length));
  live.number("encoder_share", Mask::none().density(length, length));
  live.number("decoder_share", Mask::causal().density(length, length));
}

// Words of a caption look at the four quarters of a picture: sky, tree, dog, lawn; blue, green,
// brown.
void live_caption(LiveBuilder& live) {
  const Matrix words = live.editable("words", {{0, 0, 4}, {0, -1, 4}, {0, 5, 0}});
  const Matrix patches = live.editable("patches", {{1, 0, 0}, {0, 0.7, 0.3}, {0, 0, 1}, {0, 1, 0}});
  live.show_weights("weights", explain(words, patches, patches).weights());
}

}  // namespace fovea
