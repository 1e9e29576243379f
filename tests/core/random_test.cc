// The values were printed by NumPy 2.4.6: float.hex() of np.random.rand() and np.random.randn().
#include "fovea/random.h"

#include <gtest/gtest.h>

#include <set>

namespace fovea {
namespace {

struct Mixed {
  std::uint32_t seed;
  double values[9];  // rand, randn, rand, randn, randn, rand, randn, randn, randn
};

TEST(Random, numpy_mixed_draws_bit_for_bit) {
  // The second randn is the spare of the first, although a rand came between; the last leaves one over.
  const Mixed table[] = {
      {0,
       {0x1.18fe1565f12a8p-1, 0x1.7bb1e9a384a31p-1, 0x1.16faedb6395f5p-1, 0x1.8d8bc0f1200c2p+0,
        0x1.de1847cb13ddap+0, 0x1.c016dca6159d2p-2, -0x1.f45dc42a58c82p-1, 0x1.4420580e99483p+0,
        -0x1.03023ff42b8a9p-1}},
      {1,
       {0x1.ab07d0ffa3c06p-2, -0x1.9ab665f778871p-1, 0x1.7a3808cb0ca10p-4, -0x1.cba69fc03e5b1p-2,
        -0x1.0e6c872548fd2p-1, 0x1.964a3677bfbe8p-2, -0x1.12ae1255cb80cp+0, -0x1.2e8623a553924p+1,
        0x1.22a5fe22e5972p+0}},
      {42,
       {0x1.7f8771e5f51ecp-2, -0x1.1ca42ce8158a6p+0, 0x1.3f7a0e1997f4cp-3, 0x1.468e4b5774960p-2,
        0x1.94474a8407408p+0, 0x1.5141a07387e80p-6, 0x1.88ed346f0d7f3p-1, -0x1.2968dbd92f5c6p-1,
        -0x1.0ce30e955a81bp-1}},
      {4294967295u,
       {0x1.8fe69a3924820p-4, 0x1.4d051339bc741p-4, 0x1.2b3f78b30728cp-3, 0x1.a3847f39c09c9p-2,
        0x1.d27bf27c6aaafp-4, 0x1.f817aa7489a4bp-1, 0x1.bc38efd644bd1p-1, -0x1.bdce69d4cae60p+0,
        -0x1.b2ebd1a253e04p-1}},
  };
  for (const auto& [seed, values] : table) {
    Random random = Random::numpy(seed);
    int i = 0;
    for (const char draw : {'u', 'n', 'u', 'n', 'n', 'u', 'n', 'n', 'n'}) {
      EXPECT_EQ(draw == 'u' ? random.rand() : random.randn(), values[i])
          << "seed " << seed << ", draw " << i;
      ++i;
    }
  }
}

TEST(Random, numpy_stays_in_step_after_an_odd_number_of_gaussians) {
  Random random = Random::numpy(42);
  double last = 0;
  for (int i = 0; i < 1999; ++i) last = random.randn();
  EXPECT_EQ(last, -0x1.4df60d6992629p-3);
  EXPECT_EQ(random.rand(), 0x1.a0e0860322c3ep-2);
  EXPECT_EQ(random.rand(), 0x1.0e60569cbe088p-4);
  EXPECT_EQ(random.rand(), 0x1.653135c649e72p-2);
  EXPECT_EQ(random.randn(), -0x1.7d63e1244b92ap-1);  // the spare one
  EXPECT_EQ(random.randn(), 0x1.b5667cf9a6b4cp-4);
}

TEST(Random, tensors_are_the_draws_rounded_once) {
  const Tensor tensor = Random::numpy(7).randn({3, 5});
  Random random = Random::numpy(7);
  for (Index i = 0; i < 15; ++i) EXPECT_EQ(tensor.data()[i], static_cast<float>(random.randn()));
  const Tensor uniform = Random(7).rand({4});
  Random same(7);
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(uniform(i), static_cast<float>(same.rand()));
}

TEST(Random, first_draws_are_the_same_for_ever) {
  Random random(42);  // std::mt19937_64, whose numbers the C++ standard fixes
  EXPECT_EQ(random(), 13930160852258120406u);
  EXPECT_EQ(random(), 11788048577503494824u);
}

TEST(Random, copies_go_on_alike) {
  Random a = Random::numpy(3);
  a.randn();
  Random b = a;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(a.randn(), b.randn());
}

TEST(Random, below_reaches_every_value_and_no_other) {
  Random random(1);
  std::set<Index> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.below(5));
  EXPECT_EQ(seen, (std::set<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(random.below(1), 0);
  EXPECT_THROW(random.below(0), Error);
}

TEST(Random, uniform_is_below_one_and_normal_has_unit_variance) {
  Random random(5);
  double sum = 0, squares = 0;
  for (int i = 0; i < 10000; ++i) {
    const double u = random.uniform(), z = random.normal();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);  // five standard deviations
  EXPECT_NEAR(squares / 10000, 1, 0.08);
}

}  // namespace
}  // namespace fovea
