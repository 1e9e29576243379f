#include "fovea/random.h"

#include <cmath>

#include "core/fail.h"

namespace fovea {
namespace {

// 53 random bits as a double in [0, 1): for MT19937 the two words NumPy takes, in its order.
double uniform_from(std::mt19937& engine) {
  const auto high = static_cast<double>(engine() >> 5);  // 27 bits
  const auto low = static_cast<double>(engine() >> 6);   // 26 bits
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double uniform_from(std::mt19937_64& engine) {
  return static_cast<double>(engine() >> 11) / 9007199254740992.0;
}

std::uint64_t bits_from(std::mt19937& engine) {
  const std::uint64_t high = engine();
  return high << 32 | static_cast<std::uint64_t>(engine());
}

std::uint64_t bits_from(std::mt19937_64& engine) { return engine(); }

}  // namespace

Random::Random(std::uint64_t seed) : engine_(std::mt19937_64(seed)) {}

Random Random::numpy(std::uint32_t seed) { return Random(Engine(std::mt19937(seed))); }

Random::result_type Random::operator()() {
  return std::visit([](auto& engine) { return bits_from(engine); }, engine_);
}

double Random::uniform() {
  return std::visit([](auto& engine) { return uniform_from(engine); }, engine_);
}

// Marsaglia's polar method in the order of NumPy's legacy_gauss: the second coordinate is returned first.
double Random::normal() {
  if (spare_normal_) {
    const double value = *spare_normal_;
    spare_normal_.reset();
    return value;
  }
  double x1 = 0, x2 = 0, r2 = 0;
  do {
    x1 = 2.0 * uniform() - 1.0;
    x2 = 2.0 * uniform() - 1.0;
    r2 = x1 * x1 + x2 * x2;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(r2) / r2);
  spare_normal_ = factor * x1;
  return factor * x2;
}

Index Random::below(Index bound) {
  if (bound < 1) fail("[random] below({}): expected a bound of at least 1", bound);
  const auto range = static_cast<std::uint64_t>(bound);
  const std::uint64_t limit = max() - max() % range;  // a multiple of range: no bias below it
  std::uint64_t bits = 0;
  do {
    bits = (*this)();
  } while (bits >= limit);
  return static_cast<Index>(bits % range);
}

Tensor Random::uniform(const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(shape);
  for (Index i = 0; i < shape.elements(); ++i) tensor.data()[i] = static_cast<float>(uniform());
  return tensor;
}

Tensor Random::normal(const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(shape);
  for (Index i = 0; i < shape.elements(); ++i) tensor.data()[i] = static_cast<float>(normal());
  return tensor;
}

}  // namespace fovea
