#include "fovea/trainable_model.h"

#include <deque>
#include <utility>

#include "io/byte_source.h"
#include "io/json.h"
#include "models/model_maker.h"
#include "train/config.h"
#include "train/layouts.h"

namespace fovea {
namespace {

std::unique_ptr<Network> make_network(const TrainableConfig& config, Random& random) {
  const TrainableConfig whole = completed(config);
  switch (whole.family) {
    case ModelFamily::llama:
      return make_llama_network(whole, random);
    case ModelFamily::bert:
      return make_bert_network(whole, random);
    case ModelFamily::bart:
      return make_bart_network(whole, random);
    default:
      return make_gpt2_network(whole, random);
  }
}

}  // namespace

TrainableModel::TrainableModel(const TrainableConfig& config, Random& random)
    : network_(make_network(config, random)) {}
TrainableModel::TrainableModel(const TrainableConfig& config, Random&& random)
    : TrainableModel(config, random) {}
TrainableModel::~TrainableModel() = default;
TrainableModel::TrainableModel(TrainableModel&&) noexcept = default;
TrainableModel& TrainableModel::operator=(TrainableModel&&) noexcept = default;

const TrainableConfig& TrainableModel::config() const { return network_->config(); }

const std::vector<TrainableParameter>& TrainableModel::parameters() const {
  return network_->parameters().list();
}

Index TrainableModel::parameter_count() const { return network_->parameters().count(); }

View TrainableModel::parameter(std::string_view name) {
  ParameterArray& all = network_->parameters();
  const std::size_t i = all.find(name);
  return View(all.values(all.place(i)), all.list()[i].shape);
}

ConstView TrainableModel::parameter(std::string_view name) const {
  const ParameterArray& all = std::as_const(*network_).parameters();
  const std::size_t i = all.find(name);
  return ConstView(all.values(all.place(i)), all.list()[i].shape);
}

View TrainableModel::gradient(std::string_view name) {
  ParameterArray& all = network_->parameters();
  const std::size_t i = all.find(name);
  return View(all.gradients(all.place(i)), all.list()[i].shape);
}

ConstView TrainableModel::gradient(std::string_view name) const {
  const ParameterArray& all = std::as_const(*network_).parameters();
  const std::size_t i = all.find(name);
  return ConstView(all.gradients(all.place(i)), all.list()[i].shape);
}

LossResult TrainableModel::loss(const TrainingBatch& batch, const LossOptions& options) {
  return network_->run(batch, options, false);
}

LossResult TrainableModel::add_gradients(const TrainingBatch& batch, const LossOptions& options) {
  return network_->run(batch, options, true);
}

void TrainableModel::zero_gradients() { network_->parameters().zero_gradients(); }

Tensor TrainableModel::logits(const TrainingBatch& batch) { return network_->logits(batch); }

// The class that runs the saved folder reads the parameters where they are: what they mean stands there
// only.
Model TrainableModel::to_model(const std::string& name) const {
  const ParameterArray& all = std::as_const(*network_).parameters();
  WeightFiles weights("[model] " + name);
  std::deque<MemorySource> sources;  // stay where they are
  for (std::size_t i = 0; i < all.list().size(); ++i) {
    RawArray raw;
    raw.shape = all.list()[i].shape;
    const auto* bytes = reinterpret_cast<const char*>(all.values(all.place(i)));
    raw.source = &sources.emplace_back(std::string_view(bytes, static_cast<std::size_t>(raw.byte_count())),
                                       weights.where());
    weights.add(all.list()[i].name, raw);
  }
  return ModelMaker::make(parse_json(config_json(config(), false), "[train] config"), weights, name, name);
}

}  // namespace fovea
