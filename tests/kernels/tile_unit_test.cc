// Products of bfloat16 tiles: the portable unit on every instruction set, and AMX's machine code, on the
// processor where it has AMX, else by software that carries out its instructions.
#include "kernels/tile_unit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/half.h"
#include "fovea/random.h"
#include "fovea/tensor.h"
#include "kernels/bfloat16_attention.h"
#include "support/amx_emulator.h"
#include "support/instruction_sets.h"

namespace fovea::kernels {
namespace {

// a [rows, depth] in the two layouts that attention uses, b [depth, 32].
struct Factors {
  Factors(Index row_count, Index deep, bool in_blocks) : rows(row_count), depth(deep), blocks(in_blocks) {
    Random random(7);
    a_bits.resize(static_cast<std::size_t>(rows * std::max(depth, kTileBlock)));  // no null pointer
    for (auto& bits : a_bits) bits = float_to_bfloat16(static_cast<float>(random.normal()));
    b = Tensor({std::max<Index>(depth, 2) / 2 * kTileBlock});
    auto* pairs = reinterpret_cast<std::uint32_t*>(b.data());
    for (Index i = 0; i < depth / 2 * kTileBlock; ++i) {
      const std::uint32_t low = float_to_bfloat16(static_cast<float>(random.normal()));
      pairs[i] = low | static_cast<std::uint32_t>(float_to_bfloat16(static_cast<float>(random.normal())))
                           << 16;
    }
  }
  TileRows a() const {
    if (blocks) return {a_bits.data(), kTileBlock, kTileBlock * rows};
    return {a_bits.data(), depth, kTileBlock};
  }
  const std::uint32_t* pairs() const { return reinterpret_cast<const std::uint32_t*>(b.data()); }
  double a_at(Index r, Index t) const {
    const TileRows x = a();
    return static_cast<double>(
        bfloat16_to_float(x.data[r * x.row_stride + t / kTileBlock * x.block_stride + t % kTileBlock]));
  }
  double b_at(Index t, Index i) const {
    const std::uint32_t pair = pairs()[t / 2 * kTileBlock + i];
    return static_cast<double>(
        bfloat16_to_float(static_cast<std::uint16_t>(t % 2 == 0 ? pair & 0xFFFFu : pair >> 16)));
  }

  Index rows, depth;
  bool blocks;
  std::vector<std::uint16_t> a_bits;
  Tensor b;
};

void expect_products(const TileUnit& unit, const Factors& x) {
  Tensor c = Tensor({std::max<Index>(1, x.rows) * kTileBlock});
  c.data()[0] = 12345;  // is overwritten, unless there are no rows
  Tensor scratch = Tensor::uninitialized({std::max<Index>(1, tile_scratch(x.depth))});
  unit.begin();
  unit.multiply(x.a(), x.rows, x.pairs(), x.depth, c.data(), scratch.data());
  unit.end();
  for (Index r = 0; r < x.rows; ++r) {
    for (Index i = 0; i < kTileBlock; ++i) {
      double want = 0, size = 0;
      for (Index t = 0; t < x.depth; ++t) {
        want += x.a_at(r, t) * x.b_at(t, i);
        size += std::abs(x.a_at(r, t) * x.b_at(t, i));
      }
      ASSERT_NEAR(static_cast<double>(c.data()[r * kTileBlock + i]), want,
                  size * static_cast<double>(x.depth + 2) / (1 << 24))
          << "row " << r << " column " << i << " of " << x.rows << " × " << x.depth;
    }
  }
}

void expect_all_sizes(const TileUnit& unit) {
  for (const Index rows : {0, 32, 64, 128}) {
    for (const Index depth : {0, 32, 64, 128}) {
      expect_products(unit, Factors(rows, depth, false));
      expect_products(unit, Factors(rows, depth, true));
    }
  }
}

TEST(TileUnit, portable_products_are_float32_sums) {
  testing::on_every_instruction_set([] { expect_all_sizes(portable_tile_unit()); });
}

// All that this processor has.
TEST(TileUnit, products_of_the_best_unit_are_float32_sums) {
  expect_all_sizes(best_tile_unit());
  if (avx512_bf16_is_there()) expect_all_sizes(avx512_bf16_tile_unit());
}

TEST(TileUnit, the_best_one_is_the_one_that_is_told) {
  EXPECT_EQ(bfloat16_arithmetic(), best_tile_unit().name);
  if (!amx_is_there() && !avx512_bf16_is_fast()) {
    EXPECT_EQ(bfloat16_arithmetic(), "portable");
  }
  if (available_instruction_sets().back() != "avx512" && std::getenv("FOVEA_ISA") == nullptr) {
    force_instruction_set(available_instruction_sets().back());
    EXPECT_EQ(bfloat16_arithmetic(), "portable");
    force_instruction_set("auto");
  }
}

#if defined(__x86_64__) && defined(__linux__)

TEST(TileUnit, machine_code_for_amx_multiplies) {
  const testing::AmxEmulator emulator;
  testing::AmxState& state = testing::amx_state();
  state = {};
  expect_all_sizes(amx_tile_unit());
  if (amx_is_there()) return;  // the processor did it all
  EXPECT_EQ(state.mistakes, 0);
  EXPECT_EQ(state.releases, 32);
  EXPECT_FALSE(state.configured);
  // 4 products a block: (0 + 1 + 2 + 4) blocks of rows × (0 + 1 + 2 + 4) of depth, in two layouts.
  EXPECT_EQ(state.products, 4 * 7 * 7 * 2);
}

// All of attention above that machine code, on one thread and on two.
TEST(TileUnit, attention_by_the_machine_code_for_amx_agrees_with_the_portable_one) {
  const testing::AmxEmulator emulator;
  const Tensor q = Random(1).normal({1, 1, 2, 70, 40}), k = Random(2).normal({1, 1, 1, 150, 40}),
               v = Random(3).normal({1, 1, 1, 150, 24});
  const Mask causal = Mask::causal();
  const auto attend = [&](const TileUnit& unit) {
    Tensor output({2, 70, 24});
    AttentionProblem problem{{q, k, causal.node(), nullptr, 0.2f, 0}, v};
    problem.output = output.data();
    problem.output_batch_stride = 2 * 70 * 24;
    problem.output_head_stride = 70 * 24;
    problem.output_row_stride = 24;
    bfloat16_attention_forward(problem, unit);
    return output;
  };
  const Tensor amx = attend(amx_tile_unit()), portable = attend(portable_tile_unit());
  double difference = 0, size = 0;
  for (Index i = 0; i < amx.shape().elements(); ++i) {
    difference += std::pow(static_cast<double>(amx.data()[i] - portable.data()[i]), 2);
    size += std::pow(static_cast<double>(portable.data()[i]), 2);
  }
  // Now and then a sum in another order rounds an exponential to its neighbour, 2⁻⁸ away.
  EXPECT_LE(std::sqrt(difference / size), 2e-4);
}

#endif

}  // namespace
}  // namespace fovea::kernels
