#include "train/checkpoint.h"

#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "fovea/render.h"
#include "fovea/safetensors.h"
#include "io/messages.h"
#include "train/config.h"
#include "train/network.h"

namespace fovea {
namespace {

constexpr const char* kKey = "fovea.training";
constexpr const char* kFirst = "adamw.first/";
constexpr const char* kSecond = "adamw.second/";

// All parameters, or their moments, each under its name behind the prefix.
void add_named(const ParameterArray& layout, const float* values, const std::string& prefix,
               NamedArrays& arrays) {
  for (std::size_t i = 0; i < layout.list().size(); ++i) {
    const TrainableParameter& parameter = layout.list()[i];
    arrays.add(prefix + parameter.name,
               Tensor::copy_of(ConstView(values + layout.place(i), parameter.shape)));
  }
}

// The same back; what is missing or of another shape is noted.
void take_named(const ParameterArray& layout, const NamedArrays& arrays, const std::string& prefix,
                float* values, std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < layout.list().size(); ++i) {
    const TrainableParameter& parameter = layout.list()[i];
    const std::string name = prefix + parameter.name;
    const auto entry =
        std::find_if(arrays.begin(), arrays.end(), [&](const auto& e) { return e.name == name; });
    if (entry == arrays.end() || !entry->is_tensor() || !(entry->shape() == parameter.shape)) {
      problems.push_back(fmt::format("{} is {}, expected {}", name,
                                     entry == arrays.end() ? "missing" : entry->shape().to_string(),
                                     parameter.shape.to_string()));
      continue;
    }
    const Tensor& tensor = std::get<Tensor>(entry->array);
    std::copy_n(tensor.data(), parameter.shape.elements(), values + layout.place(i));
  }
}

// The config alone must not become memory: a few bytes of JSON can ask for a model of terabytes. Each
// layout has at least these parameters, and the file at least as many numbers.
void check_size(const TrainableConfig& c, const NamedArrays& arrays, const std::string& where) {
  const Index wanted = c.vocabulary * c.width + c.layers * c.width * (c.width + c.inner_width) +
                       (c.family == ModelFamily::llama ? 0 : c.max_tokens * c.width);
  Index there = 0;
  for (const NamedArrays::Entry& entry : arrays) there += entry.shape().elements();
  if (wanted > there) {
    fail("{}: the model that it describes has {} parameters or more, the file holds {} numbers", where,
         grouped(static_cast<std::uint64_t>(wanted)), grouped(static_cast<std::uint64_t>(there)));
  }
}

}  // namespace

void Trainer::save_checkpoint(const std::string& path) const {
  const ParameterArray& parameters = model_.network().parameters();
  NamedArrays arrays("[train] " + path);
  add_named(parameters, parameters.values(), "", arrays);
  add_named(parameters, optimizer_.first().data(), kFirst, arrays);
  add_named(parameters, optimizer_.second().data(), kSecond, arrays);
  arrays.metadata()[kKey] =
      checkpoint_json({model_.config(), options_, step(), best_loss_, evaluations_without_better_});
  save_safetensors(path, arrays);
}

Trainer Trainer::load_checkpoint(const std::string& path, std::shared_ptr<const TrainingData> data,
                                 std::shared_ptr<const TrainingData> held_out) {
  const std::string where = "[train] " + path;
  const NamedArrays arrays = load_safetensors(path);
  const auto text = arrays.metadata().find(kKey);
  if (text == arrays.metadata().end()) {
    fail("{}: not a training checkpoint: its header has no \"{}\"", where, kKey);
  }
  const CheckpointState state = parse_checkpoint(text->second, where);
  check_size(completed(state.config), arrays, where);
  // Drawn anew and then replaced: the parameters are checked one by one against those of the config.
  Trainer trainer(TrainableModel(state.config, Random(0)), state.options, std::move(data),
                  std::move(held_out));
  ParameterArray& parameters = trainer.model_.network().parameters();
  Tensor first({parameters.elements()}), second({parameters.elements()});
  std::vector<std::string> problems;
  take_named(parameters, arrays, "", parameters.values(), problems);
  take_named(parameters, arrays, kFirst, first.data(), problems);
  take_named(parameters, arrays, kSecond, second.data(), problems);
  if (!problems.empty()) fail("{}: tensors do not fit: {}", where, listed(problems, 10, "; "));
  trainer.optimizer_.restore(std::move(first), std::move(second), state.step);
  trainer.best_loss_ = state.best_loss;
  trainer.evaluations_without_better_ = state.evaluations_without_better;
  return trainer;
}

}  // namespace fovea
