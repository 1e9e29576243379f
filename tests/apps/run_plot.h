// fovea plot on files in a folder of the test.
#pragma once

#include <string>
#include <vector>

#include "fovea/npy.h"
#include "fovea/random.h"
#include "fovea/softmax.h"
#include "run_command.h"

namespace fovea {

// weights.npy [N, M] or larger: softmax of drawn scores.
inline Tensor save_weights(const TemporaryDirectory& directory, const Shape& shape,
                           const std::string& name = "w.npy") {
  Random random = Random::numpy(5);
  const Tensor weights = softmax(random.randn(shape));
  save_npy(directory.file(name), weights);
  return weights;
}

// Arguments that end like a file stand for one in the folder.
inline CommandResult plot(const TemporaryDirectory& directory, std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument.ends_with(".npy") || argument.ends_with(".npz") || argument.ends_with(".json") ||
        argument.ends_with(".png") || argument.ends_with(".svg") || argument.ends_with(".pdf") ||
        argument.ends_with(".safetensors") || argument.ends_with(".txt")) {
      argument = directory.file(argument);
    }
  }
  arguments.insert(arguments.begin(), "plot");
  return run_fovea(arguments);
}

}  // namespace fovea
