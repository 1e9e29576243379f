#include <cmath>
#include <filesystem>

#include "core/fail.h"
#include "fovea/file.h"
#include "fovea/safetensors.h"
#include "fovea/train.h"
#include "train/config.h"

namespace fovea {
namespace {

constexpr float kLargestHalf = 65504;

void check_half(const std::string& name, const Tensor& values) {
  for (Index i = 0; i < values.shape().elements(); ++i) {
    if (std::abs(values.data()[i]) <= kLargestHalf) continue;
    fail("[train] {} holds {}: float16 ends at {}, save it as float32", name, values.data()[i],
         kLargestHalf);
  }
}

}  // namespace

void save_pretrained(const std::string& folder, const TrainableModel& model,
                     const PretrainedOptions& options) {
  NamedArrays arrays("[train] " + folder + "/model.safetensors");
  arrays.metadata()["format"] = "pt";  // transformers refuses files that do not say so
  std::map<std::string, StoredType> types;
  for (const TrainableParameter& parameter : model.parameters()) {
    Tensor values = Tensor::copy_of(model.parameter(parameter.name));
    if (options.half) check_half(parameter.name, values);
    if (options.half) types[parameter.name] = StoredType::f16;
    arrays.add(parameter.name, std::move(values));
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("[train] cannot create the folder {}: {}", folder, error.message());
  const std::filesystem::path at(folder);
  write_file((at / "model.safetensors").string(), safetensors_bytes(arrays, types));
  write_file((at / "config.json").string(), config_json(model.config(), options.half));
}

}  // namespace fovea
