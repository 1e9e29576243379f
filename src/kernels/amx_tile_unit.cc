// The products of bfloat16 tiles by AMX, and whether it can be used.
#include "kernels/tile_unit.h"

#if defined(__x86_64__) && defined(__linux__)
#define FOVEA_KERNELS_HAS_AMX 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#define FOVEA_KERNELS_HAS_AMX 0
#endif

namespace fovea::kernels {
namespace {

#if FOVEA_KERNELS_HAS_AMX

// Palette 1: eight tiles, all of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

#define FOVEA_AMX_TARGET __attribute__((target("amx-tile,amx-bf16")))

// Not _tile_loadconfig: GCC 12's does not tell the compiler that it reads 64 bytes, and the stores before
// it vanish.
FOVEA_AMX_TARGET void begin_amx() {
  const TileConfig config;
  asm volatile("ldtilecfg %0" ::"m"(config));
}

FOVEA_AMX_TARGET void end_amx() { _tile_release(); }

// Nor does tileloadd tell what it reads: everything must be in memory before.
void finish_stores() { asm volatile("" ::: "memory"); }

// Tiles 0 to 3 hold the sums of 32 × 32, 4 and 5 two tiles of a, 6 and 7 two of b.
FOVEA_AMX_TARGET void multiply_amx(const TileRows& a, Index rows, const std::uint32_t* b, Index depth,
                                   float* c, float* /*scratch*/) {
  constexpr Index kHalf = kTileBlock / 2, kRowBytes = kTileBlock * 4;  // of b and c
  finish_stores();
  for (Index row = 0; row < rows; row += kTileBlock) {
    const std::uint16_t* upper = a.data + row * a.row_stride;
    const std::uint16_t* lower = upper + kHalf * a.row_stride;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (Index t = 0; t < depth / kTileBlock; ++t) {
      const std::uint32_t* pairs = b + t * kHalf * kTileBlock;
      _tile_loadd(4, upper + t * a.block_stride, a.row_stride * 2);
      _tile_loadd(6, pairs, kRowBytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, pairs + kHalf, kRowBytes);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, lower + t * a.block_stride, a.row_stride * 2);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    float* to = c + row * kTileBlock;
    _tile_stored(0, to, kRowBytes);
    _tile_stored(1, to + kHalf, kRowBytes);
    _tile_stored(2, to + kHalf * kTileBlock, kRowBytes);
    _tile_stored(3, to + kHalf * kTileBlock + kHalf, kRowBytes);
  }
  finish_stores();
}

// XCR0, the register that tells which states the system saves for a thread.
bool system_saves_tiles() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr std::uint32_t kTileConfig = 1u << 17, kTileData = 1u << 18;
  return (low & kTileConfig) != 0 && (low & kTileData) != 0;
}

bool find_amx() {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  constexpr std::uint32_t kOsXsave = 1u << 27, kAmxBf16 = 1u << 22, kAmxTile = 1u << 24;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kAmxBf16) == 0 || (d & kAmxTile) == 0 || !system_saves_tiles()) return false;
  // Linux hands out the 8 KiB of tiles only to processes that ask for them, once for all threads.
  constexpr long kRequestPermission = 0x1023, kTileState = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileState) == 0;
}

// Few rows: a guess, never measured.
constexpr TileUnit kAmx = {"AMX", 2, begin_amx, end_amx, multiply_amx};

#else

bool find_amx() { return false; }

constexpr TileUnit kAmx = {"AMX", 2, nullptr, nullptr, nullptr};

#endif

}  // namespace

bool amx_is_there() {
  static const bool there = find_amx();
  return there;
}

const TileUnit& amx_tile_unit() { return kAmx; }

}  // namespace fovea::kernels
