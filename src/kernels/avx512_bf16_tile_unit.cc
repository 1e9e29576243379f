// The products of bfloat16 tiles by AVX512_BF16, whose one instruction multiplies and adds two pairs per
// lane.
#include "kernels/tile_unit.h"

#include <cstring>

#if defined(__x86_64__)
#define FOVEA_KERNELS_HAS_AVX512_BF16 1
#include <immintrin.h>
#else
#define FOVEA_KERNELS_HAS_AVX512_BF16 0
#endif

namespace fovea::kernels {
namespace {

void nothing() {}

#if FOVEA_KERNELS_HAS_AVX512_BF16

// 8 rows × 2 vectors of sums: 16 of 32 registers. More rows do not fill the units better, they are busy.
constexpr Index kRows = 8;

#define FOVEA_BF16_TARGET __attribute__((target("avx512f,avx512bf16")))

// sums [8, 32] of rows from `first` on, b in pairs.
FOVEA_BF16_TARGET void multiply_rows(const TileRows& a, Index first, const std::uint32_t* b, Index depth,
                                     float* c) {
  __m512 left[kRows], right[kRows];
#pragma GCC unroll 8
  for (Index r = 0; r < kRows; ++r) left[r] = right[r] = _mm512_setzero_ps();
  const std::uint16_t* rows = a.data + first * a.row_stride;
  for (Index block = 0; block < depth / kTileBlock; ++block, rows += a.block_stride) {
    for (Index t = 0; t < kTileBlock; t += 2, b += kTileBlock) {
      const auto b_left = reinterpret_cast<__m512bh>(_mm512_load_si512(b));
      const auto b_right = reinterpret_cast<__m512bh>(_mm512_load_si512(b + kTileBlock / 2));
#pragma GCC unroll 8
      for (Index r = 0; r < kRows; ++r) {
        std::int32_t pair;
        std::memcpy(&pair, rows + r * a.row_stride + t, sizeof(pair));
        const auto both = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
        left[r] = _mm512_dpbf16_ps(left[r], both, b_left);
        right[r] = _mm512_dpbf16_ps(right[r], both, b_right);
      }
    }
  }
#pragma GCC unroll 8
  for (Index r = 0; r < kRows; ++r) {
    _mm512_store_ps(c + r * kTileBlock, left[r]);
    _mm512_store_ps(c + r * kTileBlock + kTileBlock / 2, right[r]);
  }
}

void multiply_pairs(const TileRows& a, Index rows, const std::uint32_t* b, Index depth, float* c,
                    float* /*scratch*/) {
  for (Index row = 0; row < rows; row += kRows) multiply_rows(a, row, b, depth, c + row * kTileBlock);
}

// A tile takes as long as 5 to 8 rows one by one (Zen 5; 288 → 288, 384 → 1536, 288 → 32000).
constexpr TileUnit kUnit = {"AVX512_BF16", 6, nothing, nothing, multiply_pairs};

#else

constexpr TileUnit kUnit = {"AVX512_BF16", 6, nothing, nothing, nullptr};

#endif

}  // namespace

bool avx512_bf16_is_there() {
#if FOVEA_KERNELS_HAS_AVX512_BF16
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

bool avx512_bf16_is_fast() {
#if FOVEA_KERNELS_HAS_AVX512_BF16
  return avx512_bf16_is_there() && __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

const TileUnit& avx512_bf16_tile_unit() { return kUnit; }

}  // namespace fovea::kernels
