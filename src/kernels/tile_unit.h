// Products of bfloat16 matrices with float32 sums: AMX's tiles, AVX512_BF16, and the same by what every
// processor has.
//
// Everything above these products (strips, softmax, masks, packing) is one code for all, so that it is
// tested on every machine. What AMX does are 18 instructions of six kinds, in amx_tile_unit.cc. They were
// never run on a processor that has AMX so far: their machine code is tested by software that carries them
// out (tests/support/amx_emulator.h).
#pragma once

#include <cstdint>

#include "fovea/shape.h"

namespace fovea::kernels {

// A tile of AMX is 16 rows of 64 bytes: 16 × 32 bfloat16 or 16 × 16 float32. Four of them gather the sums
// of 32 × 32 products; so everything comes in multiples of 32.
inline constexpr Index kTileBlock = 32;

inline Index whole_tiles(Index count) { return (count + kTileBlock - 1) / kTileBlock * kTileBlock; }

// Element (row, t) is the bfloat16 at data[row · row_stride + t / 32 · block_stride + t % 32].
struct TileRows {
  const std::uint16_t* data;
  Index row_stride, block_stride;
};

inline constexpr Index kMostFewRows = 12;

struct TileUnit {
  const char* name;  // "AMX", "AVX512_BF16" or "portable"
  // So many rows of a dense layer, at most kMostFewRows, are multiplied faster one by one than as a tile of
  // 32 that is mostly empty.
  Index few_rows;

  // Around all products of a thread's task: AMX's registers are set up, and given back, so that the system
  // need not save them.
  void (*begin)();
  void (*end)();

  // c [rows, 32] = a [rows, depth] · b [depth, 32]; rows and depth are multiples of 32 or 0. b comes as
  // pairs [depth / 2, 32]: element (2t, i) in the lower, (2t + 1, i) in the upper half of b[t · 32 + i].
  // `scratch` holds tile_scratch(depth) floats; all but a.data is aligned to 64 bytes.
  // Products of two bfloat16 are exact in float32; their sums are rounded to nearest, ties to even, in
  // an order of the unit's own. AMX and AVX512_BF16 take subnormal numbers for 0, in factors as well as in
  // sums; the portable unit does not.
  void (*multiply)(const TileRows& a, Index rows, const std::uint32_t* b, Index depth, float* c,
                   float* scratch);
};

// The unit at work on this thread, however the task ends.
class UnitAtWork {
 public:
  explicit UnitAtWork(const TileUnit& unit) : unit_(unit) { unit_.begin(); }
  ~UnitAtWork() { unit_.end(); }
  UnitAtWork(const UnitAtWork&) = delete;
  UnitAtWork& operator=(const UnitAtWork&) = delete;

 private:
  const TileUnit& unit_;
};

inline Index tile_scratch(Index depth) { return 2 * kTileBlock * depth; }

// Of the instruction set in use.
const TileUnit& portable_tile_unit();

// Only to be called where amx_is_there().
const TileUnit& amx_tile_unit();

// The processor has AMX for bfloat16, and the system lets this process use it; asked once.
bool amx_is_there();

// Only to be called where avx512_bf16_is_there().
const TileUnit& avx512_bf16_tile_unit();

bool avx512_bf16_is_there();

// On AMD's processors (Zen 5) its instruction is issued twice per cycle, as multiply-add of float32 is, and
// does twice as much. On an Emerald Rapids it is issued every second cycle: float32 is faster there.
bool avx512_bf16_is_fast();

// AMX where it is there, else AVX512_BF16 where that is fast, if the instruction set in use is the one that
// comes with them, avx512.
const TileUnit& best_tile_unit();

}  // namespace fovea::kernels
