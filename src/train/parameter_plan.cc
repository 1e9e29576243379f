#include "train/parameter_plan.h"

namespace fovea {
namespace {

// The layer on a weight [F, E] or [E, F], seen as [E, F]. Its bias is set by others.
void place_weight(ParameterArray& parameters, WeightLayout layout, Index inputs, Index outputs, Index place,
                  LinearLayer& to) {
  const bool plain = layout == WeightLayout::inputs_outputs;
  const Shape shape = {inputs, outputs};
  const Strides strides = plain ? Strides{outputs, 1} : Strides{1, inputs};
  to.weight = ConstView(parameters.values(place), shape, strides);
  to.dweight = View(parameters.gradients(place), shape, strides);
}

}  // namespace

void ParameterPlan::linear(const std::string& name, WeightLayout layout, Index inputs, Index outputs,
                           bool bias, double deviation, LinearLayer& to) {
  const Shape shape =
      layout == WeightLayout::inputs_outputs ? Shape{inputs, outputs} : Shape{outputs, inputs};
  parameters_.align();
  const Index place = parameters_.add(name + ".weight", shape, ParameterArray::normal(deviation));
  finishers_.emplace_back(
      [=, this, &to] { place_weight(parameters_, layout, inputs, outputs, place, to); });
  if (bias) this->bias(name + ".bias", outputs, to);
}

void ParameterPlan::stacked(const std::vector<Part>& parts, Index inputs, bool bias, double deviation,
                            LinearLayer& to) {
  parameters_.align();
  Index outputs = 0, weight = -1, biases = -1;
  for (const Part& part : parts) {
    const Index place =
        parameters_.add(part.name + ".weight", {part.outputs, inputs}, ParameterArray::normal(deviation));
    if (weight < 0) weight = place;
    outputs += part.outputs;
  }
  parameters_.align();
  for (const Part& part : parts) {
    if (!bias) break;
    const Index place = parameters_.add(part.name + ".bias", {part.outputs}, ParameterArray::zeros());
    if (biases < 0) biases = place;
  }
  finishers_.emplace_back([=, this, &to] {
    place_weight(parameters_, WeightLayout::outputs_inputs, inputs, outputs, weight, to);
    if (biases >= 0) to.bias = parameters_.values(biases), to.dbias = parameters_.gradients(biases);
  });
}

void ParameterPlan::norm(const std::string& name, Index width, float epsilon, bool bias, NormLayer& to) {
  parameters_.align();
  const Index weight = parameters_.add(name + ".weight", {width}, ParameterArray::ones());
  Index biases = -1;
  if (bias) {
    parameters_.align();
    biases = parameters_.add(name + ".bias", {width}, ParameterArray::zeros());
  }
  finishers_.emplace_back([=, this, &to] {
    to.weight = ConstView(parameters_.values(weight), {width});
    to.dweight = View(parameters_.gradients(weight), {width});
    if (biases >= 0) to.bias = parameters_.values(biases), to.dbias = parameters_.gradients(biases);
    to.epsilon = epsilon;
  });
}

void ParameterPlan::table(const std::string& name, Index rows, Index width, double deviation,
                          EmbeddingTable& to) {
  parameters_.align();
  const Index place = parameters_.add(name + ".weight", {rows, width}, ParameterArray::normal(deviation));
  finishers_.emplace_back([=, this, &to] {
    to.rows = ConstView(parameters_.values(place), {rows, width});
    to.drows = View(parameters_.gradients(place), {rows, width});
  });
}

void ParameterPlan::bias(const std::string& name, Index width, LinearLayer& to) {
  parameters_.align();
  const Index place = parameters_.add(name, {width}, ParameterArray::zeros());
  finishers_.emplace_back([=, this, &to] {
    to.bias = parameters_.values(place);
    to.dbias = parameters_.gradients(place);
  });
}

void ParameterPlan::tied(const EmbeddingTable& table, LinearLayer& to) {
  finishers_.emplace_back([&table, &to] {
    to.weight = table.rows.transpose(0, 1);
    to.dweight = table.drows.transpose(0, 1);
  });
}

void ParameterPlan::finish(Random& random) {
  parameters_.finish(random);
  for (const auto& finish : finishers_) finish();
}

}  // namespace fovea
