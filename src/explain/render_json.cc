#include "fovea/explain.h"

namespace fovea {
namespace {

void write_step(JsonWriter& json, const Step& step) {
  json.begin_object();
  json.key("name");
  json.string(step.name);
  if (step.head >= 0) {
    json.key("head");
    json.integer(step.head);
  }
  json.key("title");
  json.text(step.title);
  json.key("formula");
  json.string(step.formula);
  json.key("shape");
  json.shape(step.matrix.shape());
  json.key("row_labels");
  json.strings(step.row_labels);
  json.key("column_labels");
  json.strings(step.column_labels);
  json.key("matrix");
  json.matrix(step.matrix);
  json.key("sentence");
  json.text(step.sentence);
  json.end_object();
}

}  // namespace

void write_fields(JsonWriter& json, const Account& account) {
  json.key("title");
  json.text(account.title);
  json.key("tokens");
  json.strings(account.tokens);
  json.key("memory_tokens");
  json.strings(account.memory_tokens);
  json.key("heads");
  json.integer(account.heads);
  json.key("d_k");
  json.integer(account.d_k);
  json.key("scale");
  json.number(account.scale);
  json.key("steps");
  json.begin_array();
  for (const Step& step : account.steps) write_step(json, step);
  json.end_array();
  json.key("notes");
  json.begin_array();
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
