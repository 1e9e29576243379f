#include "fovea/model.h"

#include <filesystem>
#include <utility>

#include "core/fail.h"
#include "io/json.h"
#include "models/architecture.h"
#include "models/intervener.h"
#include "models/model_folder.h"
#include "models/model_maker.h"

namespace fovea {
namespace {

void check_like_ids(const char* name, const Shape& got, const Shape& ids) {
  if (got == ids) return;
  fail("[model] {} are {}, expected {} as the ids", name, got.to_string(), ids.to_string());
}

void check_length(const char* name, const Shape& ids, Index batch, Index max_tokens) {
  if (ids.rank() != 2 || ids[0] != batch || ids[0] < 1 || ids[1] < 1) {
    fail("[model] {} are {}, expected [{}, N] with at least one token", name, ids.to_string(),
         batch == 0 ? "B" : std::to_string(batch));
  }
  if (ids[1] > max_tokens) {
    fail("[model] {} have {} tokens, the model's limit is {}", name, ids[1], max_tokens);
  }
}

void check_input(const ModelInput& input, const ModelConfig& config) {
  const Shape& ids = input.ids.shape();
  check_length("ids", ids, ids.rank() == 2 ? ids[0] : 0, config.max_tokens);
  if (!input.real.empty()) check_like_ids("the flags of real tokens", input.real.shape(), ids);
  if (!input.segments.empty()) check_like_ids("segments", input.segments.shape(), ids);
  if (!input.decoder_ids.empty()) {
    if (!config.is_encoder_decoder()) fail("[model] decoder_ids are for encoder-decoder models only");
    check_length("decoder_ids", input.decoder_ids.shape(), ids[0], config.max_tokens);
  }
}

// Of bfloat16 products both factors are rounded, so the weights need not be kept in more bits.
FloatType kept_type(const ModelOptions& options) {
  if (options.precision == Precision::float32) return options.weights;
  if (options.weights != FloatType::float32 && options.weights != FloatType::bfloat16) {
    fail("[model] precision bfloat16 keeps the weights in bfloat16, got {}", to_string(options.weights));
  }
  return FloatType::bfloat16;
}

// "models/minilm/" and "models/minilm" have the same name.
std::string folder_name(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

}  // namespace

Index ModelConfig::attention_layers(AttentionKind kind) const {
  if (kind == AttentionKind::encoder) return has_encoder() ? layers : 0;
  if (is_encoder_decoder()) return decoder_layers;
  return kind == AttentionKind::decoder && has_decoder() ? layers : 0;
}

const ModelConfig& Model::config() const { return architecture_->config(); }

ModelOutput Model::run(const ModelInput& input, const RunOptions& options) const {
  check_input(input, config());
  if (options.intervention.empty()) return architecture_->run(input, options);
  Intervener intervener(options.intervention, input, config(), options.probe);
  RunOptions changed = options;
  changed.probe = &intervener;
  return architecture_->run(input, changed);
}

inline namespace internal {

Model ModelMaker::make(const Json& config, const WeightFiles& weights, const std::string& name,
                       const std::string& path, const ModelOptions& options) {
  const FloatType type = kept_type(options);
  WeightPlan plan(weights, type, options.precision);
  Model model;
  model.architecture_ = make_architecture(config, "[model] " + path + ": config.json", plan);
  plan.load();
  model.path_ = path;
  model.name_ = name;
  model.parameters_ = plan.parameters();
  model.weights_ = type;
  model.precision_ = options.precision;
  return model;
}

}  // namespace internal

Model load_model(const std::string& path, const ModelOptions& options) {
  WeightFiles files("[model] " + path);
  const Json config = open_model_folder(path, files);
  return ModelMaker::make(config, files, folder_name(path), path, options);
}

ModelInfo inspect_model(const std::string& path) {
  WeightFiles files("[model] " + path);
  WeightPlan plan(files);
  const Json config = open_model_folder(path, files);
  const std::unique_ptr<Architecture> architecture =
      make_architecture(config, "[model] " + path + ": config.json", plan);
  return {folder_name(path), architecture->config(), plan.parameters()};
}

}  // namespace fovea
