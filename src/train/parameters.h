// All parameters of a model side by side in one array, and their gradients in another of the same layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/random.h"
#include "fovea/tensor.h"
#include "fovea/trainable_model.h"
#include "ops/adamw.h"

namespace fovea {

// One array, so that the optimizer's step, the norm of the gradient and setting it to zero are one loop
// each, and so that matrices that are multiplied together (queries, keys and values) can lie below each
// other, each under the name that Hugging Face gives it.
class ParameterArray {
 public:
  struct Start {
    enum class Kind { zeros, ones, normal } kind = Kind::zeros;
    double deviation = 0;
  };
  static Start zeros() { return {Start::Kind::zeros, 0}; }
  static Start ones() { return {Start::Kind::ones, 0}; }
  static Start normal(double deviation) { return {Start::Kind::normal, deviation}; }

  // The next parameter starts at a multiple of 64 bytes; those added without it lie below the one before.
  void align();
  // Its place: parameters [place, place + elements).
  Index add(std::string name, const Shape& shape, const Start& start);

  // Allocates and draws, in the order in which they were added. Nothing can be added any more, and nothing
  // moves.
  void finish(Random& random);

  const std::vector<TrainableParameter>& list() const { return list_; }
  Index place(std::size_t i) const { return places_[i]; }
  Index elements() const { return size_; }  // gaps included
  Index count() const;                      // numbers that are learned

  float* values(Index place = 0) { return values_.data() + place; }
  const float* values(Index place = 0) const { return values_.data() + place; }
  float* gradients(Index place = 0) { return gradients_.data() + place; }
  const float* gradients(Index place = 0) const { return gradients_.data() + place; }
  void zero_gradients();

  // Throws Error, naming some that there are.
  std::size_t find(std::string_view name) const;

  // The whole array, cut into tasks.
  const std::vector<ParameterRange>& ranges() const { return ranges_; }

 private:
  std::vector<TrainableParameter> list_;
  std::vector<Index> places_;
  std::vector<Start> starts_;
  std::vector<ParameterRange> ranges_;
  Index size_ = 0;
  Tensor values_, gradients_;
};

}  // namespace fovea
