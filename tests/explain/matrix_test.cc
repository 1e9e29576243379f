#include "fovea/matrix.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Matrix, from_lists_and_back) {
  const Matrix m{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(m.shape(), (Shape{2, 3}));
  EXPECT_EQ(m(1, 0), 4);
  EXPECT_EQ(m.row(1), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(m.transposed(), (Matrix{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(m.columns_between(1, 3), (Matrix{{2, 3}, {5, 6}}));
  EXPECT_EQ(Matrix::from(m.to_tensor()), m);
  EXPECT_TRUE(Matrix().empty());
  EXPECT_FALSE(Matrix(0, 3).empty());
  EXPECT_EQ(Matrix::identity(2), (Matrix{{1, 0}, {0, 1}}));
}

TEST(Matrix, from_views_of_rank_one_and_two_with_strides) {
  const Tensor t = Tensor::from({{1, 2}, {3, 4}});
  EXPECT_EQ(Matrix::from(t.view().transpose(0, 1)), (Matrix{{1, 3}, {2, 4}}));
  EXPECT_EQ(Matrix::from(t.view().select(1, 1)), (Matrix{{2, 4}}));
  EXPECT_THROW(Matrix::from(Tensor({1, 2, 3})), Error);
}

TEST(Matrix, draws_the_numbers_of_numpy_in_double) {
  Random random = Random::numpy(42);
  const Matrix m = Matrix::normal(random, 2, 2);  // np.random.seed(42); np.random.randn(2, 2)
  EXPECT_EQ(m,
            (Matrix{{0.4967141530112327, -0.13826430117118466}, {0.6476885381006925, 1.5230298564080254}}));
}

TEST(Matrix, wrong_sizes_throw) {
  EXPECT_THROW((Matrix{{1, 2}, {3}}), Error);
  EXPECT_THROW(Matrix(2, 2, {1, 2, 3}), Error);
  EXPECT_THROW(Matrix(-1, 2), Error);
  EXPECT_THROW(Matrix(2, 2).row(2), Error);
  EXPECT_THROW(Matrix(2, 2).columns_between(1, 3), Error);
}

}  // namespace
}  // namespace fovea
