// Which parameters a layout has, under which names, and the layers that stand on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/embedding.h"
#include "train/linear.h"
#include "train/norm.h"
#include "train/parameters.h"

namespace fovea {

// How a weight lies in the file.
enum class WeightLayout {
  outputs_inputs,  // [F, E]: PyTorch's nn.Linear
  inputs_outputs,  // [E, F]: GPT-2's Conv1D
};

// First all parameters are listed, then they get their memory; then the targets, which must have stayed
// where they are, are filled. Weights are drawn from N(0, deviation²), biases start at 0, norms at 1.
class ParameterPlan {
 public:
  explicit ParameterPlan(ParameterArray& parameters) : parameters_(parameters) {}

  // name.weight and, if `bias`, name.bias.
  void linear(const std::string& name, WeightLayout layout, Index inputs, Index outputs, bool bias,
              double deviation, LinearLayer& to);
  // Several layers on the same inputs, below each other as one: a single product for all.
  struct Part {
    std::string name;
    Index outputs;
  };
  void stacked(const std::vector<Part>& parts, Index inputs, bool bias, double deviation, LinearLayer& to);
  // A layer norm with a bias, Llama's norm without.
  void norm(const std::string& name, Index width, float epsilon, bool bias, NormLayer& to);
  void table(const std::string& name, Index rows, Index width, double deviation, EmbeddingTable& to);
  // A vector of zeros that is the bias of `to`, a layer that has none so far.
  void bias(const std::string& name, Index width, LinearLayer& to);
  // `to` multiplies by the table's rows: tied embeddings.
  void tied(const EmbeddingTable& table, LinearLayer& to);

  void finish(Random& random);

 private:
  ParameterArray& parameters_;
  std::vector<std::function<void()>> finishers_;
};

}  // namespace fovea
