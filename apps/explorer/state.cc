#include "state.h"

#include "film_store.h"
#include "fovea/colormap.h"
#include "fovea/examples.h"
#include "fovea/head_roles.h"
#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"
#include "fovea/version.h"
#include "summary.h"

namespace fovea::explorer {
namespace {

void write_model(JsonWriter& json, const ModelState& model) {
  const ModelConfig config = model.config.value_or(ModelConfig());
  const auto integer = [&](const char* key, Index value) { json.key(key).integer(value); };
  json.begin_object();
  json.key("id").string(model.id);
  json.key("name").string(model.name);
  json.key("family");
  if (model.config) {
    json.string(to_string(config.family));
  } else {
    json.null();
  }
  json.key("type").string(config.type);
  integer("layers", config.layers);
  integer("decoder_layers", config.decoder_layers);
  integer("heads", config.heads);
  integer("kv_heads", config.kv_heads);
  integer("head_width", config.head_width);
  integer("width", config.width);
  integer("max_tokens", config.max_tokens);
  json.key("loaded").boolean(model.loaded);
  json.key("available").boolean(model.config.has_value());
  json.end_object();
}

void write_limits(JsonWriter& json, const Limits& limits) {
  json.begin_object();
  json.key("text_bytes").integer(static_cast<Index>(limits.text_bytes));
  json.key("captures").integer(static_cast<Index>(limits.captures));
  json.key("tokens").integer(limits.tokens);
  json.end_object();
}

void write_colormaps(JsonWriter& json) {
  json.begin_object();
  for (const std::string& name : Colormap::names()) {
    const Colormap colormap(name);
    std::string digits;
    for (const Color color : colormap.table()) digits += to_hex(color).substr(1);
    json.key(name).string(digits);
  }
  json.end_object();
}

void write_definitions(JsonWriter& json) {
  json.begin_array();
  for (const MeasureDefinition& definition : measure_definitions()) {
    json.begin_object();
    json.key("name").string(definition.name);
    json.key("title").text(definition.title);
    json.key("formula").text(definition.formula);
    json.key("definition").text(definition.definition);
    json.key("range").text(definition.range);
    json.key("caveat").text(definition.caveat);
    json.key("per_head").boolean(definition.measure.has_value());
    json.end_object();
  }
  json.end_array();
}

void write_role_rules(JsonWriter& json) {
  json.begin_array();
  for (const RoleRule& rule : role_rules()) {
    json.begin_object();
    json.key("ids").strings(rule.ids);
    json.key("text").text(rule.text);
    json.end_object();
  }
  json.end_array();
}

// What does not change while the program runs.
std::string constant_json() {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("colormaps");
  write_colormaps(json);
  json.key("measures");
  write_definitions(json);
  json.key("role_rules");
  write_role_rules(json);
  json.end_object();
  return json.take();
}

}  // namespace

std::string state_json(const std::vector<ModelState>& models,
                       const std::vector<const StoredCapture*>& captures, const Limits& limits,
                       const FilmStore* film, const StudyStore* studies) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("version").string(version());
  json.key("models").begin_array();
  for (const ModelState& model : models) write_model(json, model);
  json.end_array();
  json.key("captures").begin_array();
  for (const StoredCapture* capture : captures) write_summary(json, *capture);
  json.end_array();
  if (film != nullptr) {
    json.key("film");
    film->write_json(json);
  }
  if (studies != nullptr && !studies->empty()) {
    json.key("studies");
    studies->write_json(json);
  }
  json.key("limits");
  write_limits(json, limits);
  json.end_object();
  // Most of the bytes are the same for everybody; written anew, they took a millisecond.
  static const std::string constant = constant_json();
  std::string state = json.take();
  state.back() = ',';
  return state.append(constant, 1);
}

std::string examples_json() {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("examples").begin_array();
  for (Example& example : examples()) {
    example.account.title = example.title;
    json.begin_object();
    write_fields(json, example.account);
    json.key("id").string(example.id);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace fovea::explorer
