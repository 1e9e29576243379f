#include "fovea/explain.h"

namespace fovea {
namespace {

void write_step(JsonWriter& json, const Step& step) {
  json.begin_object();
  json.key("name").string(step.name);
  if (step.head >= 0) {
    json.key("head").integer(step.head);
  }
  json.key("title").text(step.title);
  json.key("formula").string(step.formula);
  json.key("shape").shape(step.matrix.shape());
  json.key("row_labels").strings(step.row_labels);
  json.key("column_labels").strings(step.column_labels);
  json.key("matrix").matrix(step.matrix);
  json.key("sentence").text(step.sentence);
  json.end_object();
}

}  // namespace

void write_fields(JsonWriter& json, const Account& account) {
  json.key("title").text(account.title);
  json.key("tokens").strings(account.tokens);
  json.key("memory_tokens").strings(account.memory_tokens);
  json.key("heads").integer(account.heads);
  json.key("d_k").integer(account.d_k);
  json.key("scale").number(account.scale);
  json.key("steps").begin_array();
  for (const Step& step : account.steps) write_step(json, step);
  json.end_array();
  json.key("notes").begin_array();
  for (const Text& note : account.notes) json.text(note);
  json.end_array();
}

std::string to_json(const Account& account) {
  JsonWriter json;
  json.begin_object();
  write_fields(json, account);
  json.end_object();
  return json.take();
}

}  // namespace fovea
