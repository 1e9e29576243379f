#include "kernels/tile_unit.h"

#include "fovea/instruction_set.h"

namespace fovea {
namespace kernels {

const TileUnit& best_tile_unit() {
  if (instruction_set() != "avx512") return portable_tile_unit();
  if (amx_is_there()) return amx_tile_unit();
  return avx512_bf16_is_fast() ? avx512_bf16_tile_unit() : portable_tile_unit();
}

}  // namespace kernels

std::string bfloat16_arithmetic() { return kernels::best_tile_unit().name; }

}  // namespace fovea
