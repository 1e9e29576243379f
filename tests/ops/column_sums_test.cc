#include "ops/column_sums.h"

#include <gtest/gtest.h>

#include "fovea/threads.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

TEST(ColumnSums, of_rows_apart_added_to_what_is_there) {
  Random random(1);
  for (const Index width : {1, 5, 16, 37, 150}) {
    for (const Index rows : {1, 3, 128, 300}) {
      const Tensor x = testing::drawn(random, {rows, width + 3});
      const ConstView part = ConstView(x).slice(1, 0, width);
      reference::DoubleArray want({width});
      for (Index c = 0; c < width; ++c) {
        want.values[static_cast<std::size_t>(c)] = 5;
        for (Index r = 0; r < rows; ++r) {
          want.values[static_cast<std::size_t>(c)] += static_cast<double>(x(r, c));
        }
      }
      testing::on_every_instruction_set([&] {
        Tensor sums = Tensor::filled({width}, 5);
        add_column_sums(part, sums.view());
        testing::expect_close("sums", sums, want, 2e-6);
      });
    }
  }
}

TEST(ColumnSums, bits_do_not_depend_on_the_threads) {
  Random random(2);
  const Tensor x = testing::drawn(random, {1000, 21});
  const int before = thread_count();
  Tensor one({21}), three({21});
  set_thread_count(1);
  add_column_sums(x, one.view());
  set_thread_count(3);
  add_column_sums(x, three.view());
  set_thread_count(before);
  for (Index i = 0; i < 21; ++i) ASSERT_EQ(one(i), three(i));
}

}  // namespace
}  // namespace fovea
