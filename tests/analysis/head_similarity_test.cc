#include "fovea/head_similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/message_of.h"

namespace fovea {
namespace {

// KL(a‖(a+b)/2)/2 + KL(b‖(a+b)/2)/2, mean over the rows.
double plain_divergence(const Tensor& w, Index a, Index b) {
  const Index n = w.shape()[1], m = w.shape()[2];
  double total = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      const double x = static_cast<double>(w(a, i, j)), y = static_cast<double>(w(b, i, j)),
                   mean = (x + y) / 2;
      if (x > 0) total += 0.5 * x * std::log(x / mean);
      if (y > 0) total += 0.5 * y * std::log(y / mean);
    }
  }
  return total / static_cast<double>(n);
}

TEST(HeadSimilarity, divergence_is_that_of_kullback_and_leibler) {
  Random random(1);
  const Tensor q = random.normal({1, 5, 8, 4}), k = random.normal({1, 5, 9, 4});
  const Tensor weights = attention(q, k, k, {.scale = 1.5f, .weights = true}).weights.reshaped({5, 8, 9});
  const HeadSimilarity direct = head_similarity(weights);
  const HeadSimilarity streamed = head_similarity(fovea::Run::from_query_key(q, k, {.scale = 1.5f}));
  for (Index a = 0; a < 5; ++a) {
    EXPECT_EQ(direct.divergence(a, a), 0);
    for (Index b = 0; b < 5; ++b) {
      const double expected = plain_divergence(weights, a, b);
      EXPECT_NEAR(direct.divergence(a, b), expected, 1e-7) << a << " " << b;
      EXPECT_NEAR(streamed.divergence(a, b), expected, 1e-6) << a << " " << b;
      EXPECT_EQ(direct.divergence(a, b), direct.divergence(b, a));
    }
  }
}

TEST(HeadSimilarity, ends_of_the_range) {
  const Tensor weights = Tensor::from({{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}, {{1, 0}, {0, 1}}});
  const HeadSimilarity similarity = head_similarity(weights);
  EXPECT_DOUBLE_EQ(similarity.divergence(0, 1), std::log(2.0));
  EXPECT_EQ(similarity.divergence(0, 2), 0);
  EXPECT_NEAR(similarity.layout(0, 0), similarity.layout(2, 0), 1e-12);
  EXPECT_NEAR(std::abs(similarity.layout(0, 0) - similarity.layout(1, 0)), std::sqrt(std::log(2.0)), 1e-9);
}

TEST(HeadSimilarity, hidden_rows_and_dropout) {
  // Row 0: only head 0 sees; row 1: nobody; row 2: the same, one of them scaled by dropout.
  const Tensor weights = Tensor::from({{{1, 0}, {0, 0}, {0.5, 0.5}}, {{0, 0}, {0, 0}, {1, 1}}});
  EXPECT_DOUBLE_EQ(head_similarity(weights).divergence(0, 1), std::log(2.0) / 2);
  EXPECT_EQ(head_similarity(Tensor({2, 3, 3})).divergence(0, 1), 0);
}

TEST(HeadSimilarity, layers_count_as_heads) {
  Random random(2);
  const Tensor q = random.normal({2, 1, 3, 6, 4});
  const Tensor weights = attention(q, q, q, {.weights = true}).weights;
  const HeadSimilarity all = head_similarity(weights),
                       streamed = head_similarity(fovea::Run::from_query_key(q, q));
  ASSERT_EQ(all.divergence.rows(), 6);
  EXPECT_EQ(all.divergence, head_similarity(weights.reshaped({6, 6, 6})).divergence);
  EXPECT_NEAR(streamed.divergence(1, 4), all.divergence(1, 4), 1e-6);
}

TEST(HeadSimilarity, a_choice_of_rows) {
  Random random(3);
  const Tensor q = random.normal({1, 3, 9, 4});
  const Tensor weights = attention(q, q, q, {.weights = true}).weights;
  const HeadSimilarity some = head_similarity(weights, {.rows = 3});
  Tensor three({3, 3, 9});
  for (Index h = 0; h < 3; ++h) {
    for (Index r = 0; r < 3; ++r) {  // the middle of each third
      for (Index j = 0; j < 9; ++j) three(h, r, j) = weights(0, h, 3 * r + 1, j);
    }
  }
  EXPECT_EQ(some.divergence, head_similarity(three).divergence);
  EXPECT_NEAR(head_similarity(fovea::Run::from_query_key(q, q), {.rows = 3}).divergence(0, 2),
              some.divergence(0, 2), 1e-6);
  EXPECT_EQ(head_similarity(weights, {.rows = 100}).divergence, head_similarity(weights).divergence);
}

TEST(HeadSimilarity, bits_do_not_depend_on_threads) {
  const int before = thread_count();
  Random random(4);
  const Tensor q = random.normal({1, 7, 20, 4});
  set_thread_count(1);
  const HeadSimilarity one = head_similarity(fovea::Run::from_query_key(q, q));
  set_thread_count(3);
  const HeadSimilarity three = head_similarity(fovea::Run::from_query_key(q, q));
  set_thread_count(before);
  EXPECT_EQ(one.divergence, three.divergence);
  EXPECT_EQ(one.layout, three.layout);
  EXPECT_EQ(one.order, three.order);
}

TEST(HeadSimilarity, wrong_weights) {
  Tensor weights({2, 2, 2});
  weights(1, 0, 1) = std::nanf("");
  EXPECT_EQ(testing::message_of([&] { head_similarity(weights); }),
            "[head_similarity] weights[1, 0, 1] is nan, expected a finite number ≥ 0");
  EXPECT_EQ(testing::message_of([&] {
              head_similarity(Tensor({2, 2, 2}), {.rows = -1});
            }),
            "[head_similarity] rows is -1, expected ≥ 0");
}

// Points of the plane come back, but for turning and mirroring: all distances are kept.
TEST(ClassicalScaling, points_of_a_plane_come_back) {
  const double points[][2] = {{0, 0}, {3, 0.5}, {1, 4}, {-2, 2}, {7, -1}, {0.1, 0.2}};
  Matrix squared(6, 6);
  for (Index a = 0; a < 6; ++a) {
    for (Index b = 0; b < 6; ++b)
      squared(a, b) = std::pow(points[a][0] - points[b][0], 2) + std::pow(points[a][1] - points[b][1], 2);
  }
  const Matrix layout = classical_scaling(squared);
  for (Index a = 0; a < 6; ++a) {
    for (Index b = 0; b < 6; ++b) {
      const double x = layout(a, 0) - layout(b, 0), y = layout(a, 1) - layout(b, 1);
      EXPECT_NEAR(x * x + y * y, squared(a, b), 1e-9) << a << " " << b;
    }
  }
  double first = 0, second = 0;
  for (Index a = 0; a < 6; ++a) first += layout(a, 0) * layout(a, 0), second += layout(a, 1) * layout(a, 1);
  EXPECT_GT(first, second);
}

TEST(ClassicalScaling, little_to_map) {
  EXPECT_EQ(classical_scaling(Matrix(0, 0)).rows(), 0);
  EXPECT_EQ(classical_scaling(Matrix(1, 1))(0, 0), 0);
  const Matrix one_place = classical_scaling(Matrix(4, 4));
  for (const double x : one_place.values()) EXPECT_EQ(x, 0);
  const Matrix two = classical_scaling(Matrix{{0, 4}, {4, 0}});
  EXPECT_NEAR(std::abs(two(0, 0) - two(1, 0)), 2, 1e-12);
  EXPECT_NEAR(two(0, 1), 0, 1e-12);
  EXPECT_THROW(classical_scaling(Matrix(2, 3)), Error);
}

TEST(ClusteringOrder, groups_stay_together_and_neighbours_are_near) {
  // Points of a line, shuffled: three groups.
  const std::vector<double> x = {10.2, 0, 20.5, 10, 0.3, 20, 0.1, 10.4};
  Matrix distances(8, 8);
  for (Index a = 0; a < 8; ++a) {
    for (Index b = 0; b < 8; ++b)
      distances(a, b) = std::abs(x[static_cast<std::size_t>(a)] - x[static_cast<std::size_t>(b)]);
  }
  std::vector<Index> order = clustering_order(distances);
  std::vector<double> sorted;
  for (const Index i : order) sorted.push_back(x[static_cast<std::size_t>(i)]);
  if (sorted.front() > sorted.back()) std::reverse(sorted.begin(), sorted.end());
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(clustering_order(Matrix(0, 0)).empty());
  EXPECT_EQ(clustering_order(Matrix(1, 1)), std::vector<Index>{0});
}

// Single linkage would put 2 beside 1 (2.5) before 3: 2, 1, 0, 3. On average 2 is 5.75 away from 0 and 1.
TEST(ClusteringOrder, means_count_not_the_nearest) {
  const Matrix distances{{0, 1, 9, 2.6}, {1, 0, 2.5, 9}, {9, 2.5, 0, 3}, {2.6, 9, 3, 0}};
  EXPECT_EQ(clustering_order(distances), (std::vector<Index>{0, 1, 2, 3}));
}

// Average linkage by hand: 0 and 1 merge (1), 2 joins them at (4 + 6) / 2 = 5, before 3 at 5.5 from 2.
TEST(ClusteringOrder, average_linkage) {
  const Matrix distances{{0, 1, 4, 9}, {1, 0, 6, 9}, {4, 6, 0, 5.5}, {9, 9, 5.5, 0}};
  EXPECT_EQ(clustering_order(distances), (std::vector<Index>{1, 0, 2, 3}));
}

}  // namespace
}  // namespace fovea
