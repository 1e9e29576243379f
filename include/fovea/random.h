// Seeded random numbers: the same on every machine, for ever.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <variant>

#include "fovea/api.h"
#include "fovea/shape.h"
#include "fovea/tensor.h"

namespace fovea {

// A UniformRandomBitGenerator with the draws that attention needs. `Random(seed)` runs MT19937-64;
// `Random::numpy(seed)` draws, bit for bit, the doubles of NumPy's legacy `np.random.seed(seed)`:
// MT19937, 53-bit uniforms, polar Gaussians. Not thread-safe: one per thread.
class FOVEA_API Random {
 public:
  explicit Random(std::uint64_t seed = 0);
  static Random numpy(std::uint32_t seed);

  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  double uniform();                    // in [0, 1)
  double normal();                     // N(0, 1)
  Index below(Index bound);            // in [0, bound), unbiased; bound ≥ 1
  Tensor uniform(const Shape& shape);  // row-major order of drawing; doubles rounded once to float
  Tensor normal(const Shape& shape);

  // NumPy's names of the same draws.
  double rand() { return uniform(); }
  double randn() { return normal(); }
  Tensor rand(const Shape& shape) { return uniform(shape); }
  Tensor randn(const Shape& shape) { return normal(shape); }

 private:
  using Engine = std::variant<std::mt19937_64, std::mt19937>;
  explicit Random(Engine engine) : engine_(std::move(engine)) {}

  Engine engine_;
  std::optional<double> spare_normal_;  // the polar method makes two at a time
};

}  // namespace fovea
