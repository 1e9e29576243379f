#include <charconv>
#include <cmath>
#include <utility>

#include "core/fail.h"
#include "fovea/json_writer.h"
#include "io/json.h"
#include "io/messages.h"
#include "train/checkpoint.h"

namespace fovea {
namespace {

constexpr Index kVersion = 1;

constexpr std::pair<ModelFamily, const char*> kFamilies[] = {{ModelFamily::gpt2, "gpt2"},
                                                             {ModelFamily::llama, "llama"},
                                                             {ModelFamily::bert, "bert"},
                                                             {ModelFamily::bart, "bart"}};
constexpr std::pair<RateDecay, const char*> kDecays[] = {
    {RateDecay::constant, "constant"}, {RateDecay::linear, "linear"}, {RateDecay::cosine, "cosine"}};

// One list of fields for writing and reading: what `visit` is called with is the name and the field.
template <typename Config, typename Visit>
void for_config(Config& c, const Visit& visit) {
  visit("family", c.family);
  visit("vocabulary", c.vocabulary);
  visit("layers", c.layers);
  visit("heads", c.heads);
  visit("width", c.width);
  visit("max_tokens", c.max_tokens);
  visit("kv_heads", c.kv_heads);
  visit("inner_width", c.inner_width);
  visit("segments", c.segments);
  visit("activation", c.activation);
  visit("norm_epsilon", c.norm_epsilon);
  visit("rope_theta", c.rope_theta);
  visit("tied", c.tied);
  visit("dropout", c.dropout);
  visit("pad_id", c.pad_id);
  visit("begin_id", c.begin_id);
  visit("end_id", c.end_id);
  visit.optional("start_id", c.start_id);  // checkpoints were written before there was one
}

template <typename Options, typename Visit>
void for_options(Options& o, const Visit& visit) {
  visit("steps", o.steps);
  visit("accumulate", o.accumulate);
  visit("rate", o.rate);
  visit("warmup", o.warmup);
  visit("decay", o.decay);
  visit("last_rate", o.last_rate);
  visit("beta1", o.adamw.beta1);
  visit("beta2", o.adamw.beta2);
  visit("epsilon", o.adamw.epsilon);
  visit("weight_decay", o.adamw.weight_decay);
  visit("clip", o.clip);
  visit("label_smoothing", o.label_smoothing);
  visit("recompute", o.recompute);
  visit("seed", o.seed);
  visit("evaluate_every", o.evaluate_every);
  visit("evaluation_batches", o.evaluation_batches);
  visit("patience", o.patience);
}

class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  void operator()(const char* name, Index value) const { json_.key(name).integer(value); }
  void optional(const char* name, Index value) const { (*this)(name, value); }
  void operator()(const char* name, double value) const { json_.key(name).number(value); }
  void operator()(const char* name, float value) const {
    json_.key(name).number(static_cast<double>(value));
  }
  void operator()(const char* name, bool value) const { json_.key(name).boolean(value); }
  void operator()(const char* name, const std::string& value) const { json_.key(name).string(value); }
  // As text: JSON's numbers end at 2^53 for many readers.
  void operator()(const char* name, std::uint64_t value) const {
    json_.key(name).string(std::to_string(value));
  }
  void operator()(const char* name, ModelFamily value) const { named(name, value, kFamilies); }
  void operator()(const char* name, RateDecay value) const { named(name, value, kDecays); }

 private:
  template <typename Value, typename Names>
  void named(const char* name, Value value, const Names& names) const {
    for (const auto& [known, text] : names) {
      if (known == value) json_.key(name).string(text);
    }
  }
  JsonWriter& json_;
};

// Notes what is missing or of another kind.
class FieldReader {
 public:
  FieldReader(const Json& object, std::string& problems) : object_(object), problems_(problems) {}

  void operator()(const char* name, Index& value) const {
    if (const Json* field = find(name, &Json::is_number_integer, "an integer")) value = field->get<Index>();
  }
  void optional(const char* name, Index& value) const {
    if (has(name)) (*this)(name, value);
  }
  void operator()(const char* name, double& value) const {
    if (const Json* field = find(name, &Json::is_number, "a number")) value = field->get<double>();
  }
  void operator()(const char* name, float& value) const {
    if (const Json* field = find(name, &Json::is_number, "a number")) {
      value = static_cast<float>(field->get<double>());
    }
  }
  void operator()(const char* name, bool& value) const {
    if (const Json* field = find(name, &Json::is_boolean, "true or false")) value = field->get<bool>();
  }
  void operator()(const char* name, std::string& value) const {
    if (const Json* field = find(name, &Json::is_string, "a text")) value = field->get<std::string>();
  }
  void operator()(const char* name, std::uint64_t& value) const {
    std::string text;
    (*this)(name, text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) wrong(name, "an integer as text");
  }
  void operator()(const char* name, ModelFamily& value) const { named(name, value, kFamilies); }
  void operator()(const char* name, RateDecay& value) const { named(name, value, kDecays); }

  const Json& object(const char* name) const {
    static const Json kNone = Json::object();
    const Json* field = find(name, &Json::is_object, "an object");
    return field == nullptr ? kNone : *field;
  }
  bool has(const char* name) const { return object_.contains(name); }
  void wrong(const char* name, const char* expected) const {
    problems_ += fmt::format("{}{}: expected {}", problems_.empty() ? "" : "; ", name, expected);
  }

 private:
  const Json* find(const char* name, bool (Json::*fits)() const noexcept, const char* expected) const {
    const auto found = object_.find(name);
    if (found != object_.end() && ((*found).*fits)()) return &*found;
    wrong(name, expected);
    return nullptr;
  }
  template <typename Value, typename Names>
  void named(const char* name, Value& value, const Names& names) const {
    std::string got;
    (*this)(name, got);
    for (const auto& [known, text] : names) {
      if (got == text) {
        value = known;
        return;
      }
    }
    wrong(name, "a known name");
  }

  const Json& object_;
  std::string& problems_;
};

}  // namespace

std::string checkpoint_json(const CheckpointState& state) {
  JsonWriter json(JsonStyle::compact);
  const FieldWriter field(json);
  json.begin_object();
  field("version", kVersion);
  json.key("config").begin_object();
  for_config(state.config, field);
  json.end_object();
  json.key("options").begin_object();
  for_options(state.options, field);
  json.end_object();
  field("step", state.step);
  if (std::isfinite(state.best_loss)) field("best_loss", state.best_loss);
  field("evaluations_without_better", state.evaluations_without_better);
  json.end_object();
  return json.take();
}

CheckpointState parse_checkpoint(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object()) fail("{}: not a training checkpoint: expected an object", where);
  std::string problems;
  const FieldReader field(json, problems);
  Index version = 0;
  field("version", version);
  if (version != kVersion && problems.empty()) field.wrong("version", "1: written by a newer release?");
  CheckpointState state;
  for_config(state.config, FieldReader(field.object("config"), problems));
  for_options(state.options, FieldReader(field.object("options"), problems));
  field("step", state.step);
  if (field.has("best_loss")) field("best_loss", state.best_loss);
  field("evaluations_without_better", state.evaluations_without_better);
  if (state.step < 0) field.wrong("step", "0 or more");
  if (!problems.empty()) fail("{}: {}", where, problems);
  return state;
}

}  // namespace fovea
