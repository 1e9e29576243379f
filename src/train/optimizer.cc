#include <cmath>
#include <utility>

#include "core/fail.h"
#include "fovea/train.h"
#include "ops/adamw.h"
#include "train/network.h"

namespace fovea {

AdamW::AdamW(const TrainableModel& model, const AdamWOptions& options)
    : options_(options), first_(Shape{model.network().parameters().elements()}), second_(first_.shape()) {
  const auto share = [](double x) { return x >= 0 && x < 1; };
  if (!share(options.beta1) || !share(options.beta2) || !(options.epsilon > 0) ||
      !(options.weight_decay >= 0)) {
    fail(
        "[train] AdamW with beta1 {}, beta2 {}, epsilon {}, weight decay {}: expected 0 ≤ beta < 1, a "
        "positive epsilon, a decay that is not negative",
        options.beta1, options.beta2, options.epsilon, options.weight_decay);
  }
}

void AdamW::step(TrainableModel& model, double rate, double gradient_scale) {
  ParameterArray& parameters = model.network().parameters();
  if (parameters.elements() != first_.shape()[0]) {
    fail("[train] the optimizer was made for {} numbers, the model has {}", first_.shape()[0],
         parameters.elements());
  }
  ++steps_;
  const auto t = static_cast<double>(steps_);
  adamw_step({.parameters = parameters.values(),
              .gradients = parameters.gradients(),
              .first = first_.data(),
              .second = second_.data(),
              .gradient_scale = static_cast<float>(gradient_scale),
              .rate = static_cast<float>(rate),
              .beta1 = static_cast<float>(options_.beta1),
              .beta2 = static_cast<float>(options_.beta2),
              .epsilon = static_cast<float>(options_.epsilon),
              .decay = static_cast<float>(options_.weight_decay),
              .correction1 = static_cast<float>(1 - std::pow(options_.beta1, t)),
              .correction2 = static_cast<float>(1 - std::pow(options_.beta2, t))},
             parameters.ranges());
}

void AdamW::restore(Tensor first, Tensor second, Index steps) {
  if (!(first.shape() == first_.shape()) || !(second.shape() == second_.shape()) || steps < 0) {
    fail("[train] moments {} and {} after {} steps, expected {} twice", first.shape().to_string(),
         second.shape().to_string(), steps, first_.shape().to_string());
  }
  first_ = std::move(first);
  second_ = std::move(second);
  steps_ = steps;
}

double gradient_norm(const TrainableModel& model) {
  const ParameterArray& parameters = model.network().parameters();
  return std::sqrt(sum_of_squares(parameters.gradients(), parameters.ranges()));
}

}  // namespace fovea
