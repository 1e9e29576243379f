#include "ops/matrix_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <vector>

#include "fovea/random.h"
#include "fovea/threads.h"
#include "kernels/attention.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kUntouched = 12345;

// A matrix inside a larger one: rows lie further apart than they are long and begin anywhere.
class Embedded {
 public:
  Embedded(Index rows, Index columns, bool transposed, Random& random)
      : transposed_(transposed), rows_(rows), columns_(columns) {
    memory_ = random.normal(transposed ? Shape{columns + 2, rows + 5} : Shape{rows + 2, columns + 5});
  }
  Embedded(const Tensor& values, bool transposed, Random& random)
      : Embedded(values.shape()[0], values.shape()[1], transposed, random) {
    const View all = view();
    for (Index i = 0; i < rows_; ++i) {
      for (Index j = 0; j < columns_; ++j) all(i, j) = values(i, j);
    }
  }
  ConstView view() const { return part(memory_.view()); }
  View view() { return part(memory_.view()); }
  Tensor& memory() { return memory_; }

 private:
  template <typename V>
  V part(V whole) const {
    const Index high = transposed_ ? columns_ : rows_, wide = transposed_ ? rows_ : columns_;
    const auto inside = whole.slice(0, 1, high + 1).slice(1, 3, wide + 3);
    return transposed_ ? inside.transpose(0, 1) : inside;
  }
  bool transposed_;
  Index rows_, columns_;
  Tensor memory_;
};

// Sums in double, and the sums of their terms' magnitudes, of which rounding is a part. Terms can be added
// one depth at a time, and results up to there be looked at.
class Reference {
 public:
  Reference(Index rows, Index columns)
      : columns_(columns), sums_(static_cast<std::size_t>(rows * columns)), magnitudes_(sums_) {}

  void add_depth(ConstView a, ConstView b) {
    for (Index i = 0, at = 0; i < a.shape()[0]; ++i) {
      const double x = static_cast<double>(a(i, depth_));
      for (Index j = 0; j < columns_; ++j, ++at) {
        const double term = x * static_cast<double>(b(depth_, j));
        sums_[static_cast<std::size_t>(at)] += term;
        magnitudes_[static_cast<std::size_t>(at)] += std::abs(term);
      }
    }
    ++depth_;
  }
  double sum(Index i, Index j) const { return sums_[static_cast<std::size_t>(i * columns_ + j)]; }
  // A chain of n roundings is off by at most n/2 epsilon of the magnitudes; chains are 192 long at most,
  // and so many of them are added, or lanes, and then what alpha, beta and bias add.
  double tolerance(Index i, Index j, double others) const {
    const double n = static_cast<double>(std::min<Index>(depth_, 192) + depth_ / 192 + 6);
    const double magnitude = magnitudes_[static_cast<std::size_t>(i * columns_ + j)];
    return n / 2 * std::numeric_limits<float>::epsilon() * (magnitude + others) + 1e-37;
  }

 private:
  Index columns_, depth_ = 0;
  std::vector<double> sums_, magnitudes_;
};

// What a product must leave in c, and that it leaves everything around it alone.
void expect_product(const Reference& want, Embedded& c, const Tensor& before, const ProductOptions& options,
                    const Tensor& bias) {
  const View got = c.view();
  double worst = 0;
  Index row = -1, column = -1;
  for (Index i = 0; i < got.shape()[0]; ++i) {
    for (Index j = 0; j < got.shape()[1]; ++j) {
      const double alpha = static_cast<double>(options.alpha), beta = static_cast<double>(options.beta);
      const double old = beta == 0 ? 0 : beta * static_cast<double>(before(i, j));
      const double added = old + (options.bias == nullptr ? 0 : static_cast<double>(bias(j)));
      const double error = std::abs(static_cast<double>(got(i, j)) - (alpha * want.sum(i, j) + added));
      const double others = (std::abs(old) + std::abs(added)) / std::max(1e-3, std::abs(alpha));
      const double share = error / (std::abs(alpha) * want.tolerance(i, j, others));
      if (!(share <= worst)) worst = share, row = i, column = j;
      got(i, j) = kUntouched;
    }
  }
  ASSERT_LE(worst, 1) << "error over tolerance, at " << row << ", " << column << " of "
                      << got.shape().to_string();
  Tensor& memory = c.memory();
  for (Index i = 0; i < memory.shape().elements(); ++i)
    ASSERT_EQ(memory.data()[i], kUntouched) << "around c";
}

struct Sizes {
  Index rows, depth, columns;
};

// Two factors and their product, computed once for all layouts, options and instruction sets: without
// optimisation the double sums take far longer than what is tested.
struct Factors {
  Sizes s;
  Tensor a, b;
  Reference want;

  Factors(const Sizes& sizes, Random& random)
      : s(sizes),
        a(random.normal({s.rows, s.depth})),
        b(random.normal({s.depth, s.columns})),
        want(s.rows, s.columns) {
    for (Index t = 0; t < s.depth; ++t) want.add_depth(a, b);
  }
};

std::vector<Factors> factors_of(std::initializer_list<Sizes> sizes, Random& random) {
  std::vector<Factors> result;
  for (const Sizes& each : sizes) result.emplace_back(each, random);
  return result;
}

void expect_product(const Factors& factors, bool a_transposed, bool b_transposed, bool c_transposed,
                    ProductOptions options, bool with_bias, Random& random) {
  const Sizes& s = factors.s;
  SCOPED_TRACE(::testing::Message() << s.rows << " × " << s.depth << " × " << s.columns
                                    << (a_transposed ? ", Aᵀ" : "") << (b_transposed ? ", Bᵀ" : "")
                                    << (c_transposed ? ", Cᵀ" : "") << ", alpha " << options.alpha
                                    << ", beta " << options.beta << (with_bias ? ", bias" : ""));
  const Embedded a(factors.a, a_transposed, random), b(factors.b, b_transposed, random);
  Embedded c(s.rows, s.columns, c_transposed, random);
  const Tensor before = Tensor::copy_of(c.view()), bias = random.normal({std::max<Index>(1, s.columns)});
  std::fill_n(c.memory().data(), c.memory().shape().elements(), kUntouched);
  for (Index i = 0; i < s.rows; ++i) {
    for (Index j = 0; j < s.columns; ++j) c.view()(i, j) = options.beta == 0 ? kNan : before(i, j);
  }
  if (with_bias) options.bias = bias.data();
  matrix_product("product", a.view(), b.view(), c.view(), options);
  expect_product(factors.want, c, before, options, bias);
}

// Every number of rows, columns and depths up to two vectors and one more.
TEST(MatrixProduct, every_remainder_and_transpose) {
  on_every_instruction_set([] {
    const Index most = 2 * kernels::strip_width() / 3 + 1;
    Random random(1);
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const Embedded a(most, most, a_transposed, random), b(most, most, b_transposed, random);
        Reference want(most, most);
        for (Index depth = 0; depth <= most; ++depth) {
          for (Index rows = 0; rows <= most; ++rows) {
            for (Index columns = 0; columns <= most; ++columns) {
              Embedded c(rows, columns, false, random);
              std::fill_n(c.memory().data(), c.memory().shape().elements(), kUntouched);
              matrix_product("product", a.view().slice(0, 0, rows).slice(1, 0, depth),
                             b.view().slice(0, 0, depth).slice(1, 0, columns), c.view());
              SCOPED_TRACE(::testing::Message()
                           << rows << " × " << depth << " × " << columns << (a_transposed ? ", Aᵀ" : "")
                           << (b_transposed ? ", Bᵀ" : ""));
              expect_product(want, c, {}, {}, {});
              if (::testing::Test::HasFatalFailure()) return;
            }
          }
          if (depth < most) want.add_depth(a.view(), b.view());
        }
      }
    }
  });
}

// Shapes that cross blocks of depth, panels, pieces and the limits between ways to compute.
TEST(MatrixProduct, larger_shapes) {
  Random random(2);
  const auto cases = factors_of({{1, 1, 1},
                                 {1, 400, 97},
                                 {1, 193, 1500},
                                 {2, 1200, 130},
                                 {7, 500, 70},
                                 {8, 193, 64},
                                 {9, 385, 65},
                                 {33, 257, 65},
                                 {40, 192, 66},
                                 {48, 191, 48},
                                 {49, 193, 100},
                                 {64, 64, 64},
                                 {65, 600, 3},
                                 {97, 400, 1},
                                 {50, 1300, 17},
                                 {130, 50, 260},
                                 {300, 1300, 50},
                                 {70, 1300, 230},
                                 {1100, 20, 40}},
                                random);
  on_every_instruction_set([&] {
    for (const Factors& factors : cases) {
      for (const bool a_transposed : {false, true}) {
        for (const bool b_transposed : {false, true}) {
          expect_product(factors, a_transposed, b_transposed, false, {}, false, random);
        }
      }
    }
  });
}

TEST(MatrixProduct, alpha_beta_and_bias) {
  Random random(3);
  const auto cases = factors_of(
      {{1, 300, 70}, {5, 40, 3}, {33, 257, 65}, {50, 1300, 49}, {20, 7, 5}, {3, 900, 9}}, random);
  on_every_instruction_set([&] {
    for (const Factors& factors : cases) {
      for (const bool a_transposed : {false, true}) {
        for (const bool b_transposed : {false, true}) {
          for (const float alpha : {1.0f, -0.5f}) {
            for (const float beta : {0.0f, 1.0f, 0.25f}) {
              for (const bool bias : {false, true}) {
                expect_product(factors, a_transposed, b_transposed, false, {alpha, beta}, bias, random);
              }
            }
          }
        }
      }
    }
  });
}

TEST(MatrixProduct, into_a_transposed_view) {
  Random random(4);
  for (const Factors& factors : factors_of({{1, 30, 20}, {20, 30, 1}, {33, 257, 65}, {2, 3, 4}}, random)) {
    expect_product(factors, false, true, true, {2, 0.5f}, false, random);
    expect_product(factors, true, false, true, {}, false, random);
  }
}

TEST(MatrixProduct, any_strides) {
  Random random(5);
  const Tensor a = random.normal({40, 60}), b = random.normal({60, 100});
  const ConstView x = ConstView(a.view()).slice(0, 1, 40, 3).slice(1, 0, 60, 2);
  const ConstView y = ConstView(b.view()).slice(0, 0, 60, 2).slice(1, 5, 95, 5);
  const Tensor want = matrix_product("product", Tensor::copy_of(x), Tensor::copy_of(y));
  const Tensor got = matrix_product("product", x, y);
  EXPECT_EQ(got.shape(), Shape({13, 18}));
  EXPECT_EQ(std::memcmp(got.data(), want.data(), 4 * 13 * 18), 0);
}

TEST(MatrixProduct, the_same_bits_for_any_number_of_threads) {
  on_every_instruction_set([] {
    const int threads = thread_count();
    Random random(6);
    for (const Sizes& s :
         {Sizes{300, 400, 331}, {1, 2000, 1500}, {6, 1100, 1100}, {2100, 70, 65}, {700, 900, 3}}) {
      for (const bool a_transposed : {false, true}) {
        for (const bool b_transposed : {false, true}) {
          const Embedded a(s.rows, s.depth, a_transposed, random),
              b(s.depth, s.columns, b_transposed, random);
          set_thread_count(1);
          const Tensor one = matrix_product("product", a.view(), b.view());
          for (const int count : {2, 3}) {
            set_thread_count(count);
            const Tensor many = matrix_product("product", a.view(), b.view());
            const auto bytes = static_cast<std::size_t>(4 * s.rows * s.columns);
            EXPECT_EQ(std::memcmp(one.data(), many.data(), bytes), 0)
                << s.rows << " × " << s.depth << " × " << s.columns << ", " << count << " threads";
          }
        }
      }
    }
    set_thread_count(threads);
  });
}

// A NaN of A spoils its row of C, one of B its column, and nothing else.
TEST(MatrixProduct, nan_stays_in_its_row_and_column) {
  on_every_instruction_set([] {
    Random random(7);
    for (const Sizes& s : {Sizes{1, 50, 40}, {5, 20, 2}, {33, 257, 65}, {50, 10, 51}, {4, 700, 90}}) {
      for (const bool a_transposed : {false, true}) {
        for (const bool b_transposed : {false, true}) {
          Embedded a(s.rows, s.depth, a_transposed, random), b(s.depth, s.columns, b_transposed, random);
          const Index row = s.rows - 1, column = s.columns - 1;
          a.view()(row, s.depth - 1) = kNan;
          b.view()(s.depth / 2, column) = kNan;
          // Around the matrices, too: nobody may look there.
          a.memory().data()[0] = b.memory().data()[0] = kNan;
          const Tensor c = matrix_product("product", a.view(), b.view());
          for (Index i = 0; i < s.rows; ++i) {
            for (Index j = 0; j < s.columns; ++j) {
              ASSERT_EQ(std::isnan(c(i, j)), i == row || j == column)
                  << i << ", " << j << " of " << c.shape().to_string() << ", depth " << s.depth;
            }
          }
        }
      }
    }
  });
}

TEST(MatrixProduct, without_depth_only_beta_and_bias_remain) {
  const Tensor a({3, 0}), b({0, 2}), bias = Tensor::from({10, 20});
  Tensor c = Tensor::from({{1, 2}, {3, 4}, {5, 6}});
  matrix_product("product", a, b, c.view(), {.beta = 2, .bias = bias.data()});
  EXPECT_EQ(c(0, 0), 12);
  EXPECT_EQ(c(2, 1), 32);
  c(0, 0) = kNan;
  matrix_product("product", a, b, c.view());
  EXPECT_EQ(c(0, 0), 0);
  EXPECT_EQ(c(2, 1), 0);
  EXPECT_EQ(matrix_product("product", Tensor({0, 4}), Tensor({4, 5})).shape(), Shape({0, 5}));
  EXPECT_EQ(matrix_product("product", Tensor({4, 3}), Tensor({3, 0})).shape(), Shape({4, 0}));
}

TEST(MatrixProduct, shapes_that_do_not_fit_are_an_error) {
  const Tensor a({3, 4}), b({5, 3});
  EXPECT_EQ(testing::message_of([&] { matrix_product("product", a, b); }),
            "[product] a is [3, 4], b is [5, 3]: expected [4, ..]");
  EXPECT_EQ(testing::message_of([&] { matrix_product("product", Tensor({4}), b); }),
            "[product] a is [4], b is [5, 3]: expected [N, E] and [E, F]");
  Tensor c({3, 3}), wide({3, 12});
  EXPECT_EQ(testing::message_of([&] {
              matrix_product("product", a, Tensor({4, 2}), c.view());
            }),
            "[product] the result is [3, 3] with strides 3 and 1, expected [3, 2] with contiguous rows or "
            "columns");
  EXPECT_EQ(testing::message_of([&] {
              matrix_product("product", a, Tensor({4, 3}), wide.view().slice(1, 0, 12, 4));
            }),
            "[product] the result is [3, 3] with strides 12 and 4, expected [3, 3] with contiguous rows or "
            "columns");
  EXPECT_EQ(testing::message_of([&] {
              matrix_product("product", a, Tensor({4, 3}), {.beta = 1});
            }),
            "[product] beta is 1, but there is no result to add to");
}

}  // namespace
}  // namespace fovea
