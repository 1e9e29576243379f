// The report as JSON and as CSV.
#include <fmt/format.h>

#include <cmath>

#include "fovea/head_roles.h"
#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures_report.h"

namespace fovea {
namespace {

std::vector<Measure> columns_of(const MeasuresReport& report) {
  return report.columns.empty() ? all_measures() : report.columns;
}

bool keys_are_queries(const MeasuresReport& report) {
  return report.key_tokens.empty() && report.queries == report.keys;
}
const std::vector<std::string>& key_names(const MeasuresReport& report) {
  return keys_are_queries(report) ? report.tokens : report.key_tokens;
}
const std::vector<UnknownToken>& unknown_keys(const MeasuresReport& report) {
  return keys_are_queries(report) ? report.unknown : report.unknown_keys;
}
HeadRole named_role(const HeadMeasures& head, const MeasuresReport& report) {
  return role_of(head, token_labels(key_names(report), unknown_keys(report)));
}

void write_role(JsonWriter& json, const HeadRole& role) {
  json.begin_object();
  json.key("id");
  json.string(role.id);
  json.key("value");
  json.number_or_null(role.value);
  json.key("name");
  json.text(role.name);
  json.key("rule");
  json.text(role.rule);
  json.end_object();
}

void write_head(JsonWriter& json, const ReportedHead& head, const MeasuresReport& report) {
  json.begin_object();
  json.key("name");
  json.string(head.name);
  json.key("layer");
  json.integer(head.layer);
  json.key("head");
  json.integer(head.head);
  if (report.role) {
    json.key("role");
    write_role(json, named_role(head.measures, report));
  }
  json.key("rows_seeing");
  json.integer(head.measures.rows_seeing);
  json.key("measures");
  json.begin_object();
  for (const Measure measure : columns_of(report)) {
    json.key(measure_definition(measure).name);
    json.number_or_null(head.measures[measure]);
  }
  json.end_object();
  json.key("received");
  json.numbers(head.measures.received);
  json.key("rows");
  json.begin_object();
  for (const Measure measure : columns_of(report)) {
    if (head.measures.rows(measure).empty()) continue;
    json.key(measure_definition(measure).name);
    json.numbers(head.measures.rows(measure));
  }
  json.end_object();
  json.end_object();
}

void write_heads(JsonWriter& json, const std::vector<ReportedHead>& heads, const MeasuresReport& report) {
  json.begin_array();
  for (const ReportedHead& head : heads) write_head(json, head, report);
  json.end_array();
}

// Quoted where the text holds a comma, a quote or a line break (RFC 4180).
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string to_json(const MeasuresReport& report) {
  JsonWriter json;
  json.begin_object();
  json.key("queries");
  json.integer(report.queries);
  json.key("keys");
  json.integer(report.keys);
  json.key("masked");
  json.boolean(report.masked);
  json.key("tokens");
  json.strings(report.tokens);
  json.key("key_tokens");
  json.strings(key_names(report));
  write_json(json.key("unknown"), report.unknown);
  write_json(json.key("unknown_keys"), unknown_keys(report));
  json.key("notes");
  json.begin_array();
  for (const Text& note : report.notes) json.text(note);
  json.end_array();
  json.key("heads");
  write_heads(json, report.heads, report);
  json.key("head_means");
  write_heads(json, report.means, report);
  json.end_object();
  return json.take();
}

std::string to_csv(const MeasuresReport& report) {
  std::string text = "layer,head";
  for (const Measure measure : columns_of(report)) text += ',' + measure_definition(measure).name;
  if (report.role) text += ",role,role_value,rule";
  text += '\n';
  for (const ReportedHead& head : report.heads) {
    text += fmt::format("{},{}", head.layer, head.head);
    for (const Measure measure : columns_of(report)) {
      const double value = head.measures[measure];
      text += std::isnan(value) ? "," : fmt::format(",{}", value);
    }
    if (report.role) {
      const HeadRole role = named_role(head.measures, report);
      text += ',' + csv_cell(role.id) + (std::isnan(role.value) ? "," : fmt::format(",{}", role.value)) +
              ',' + csv_cell(role.rule.en);
    }
    text += '\n';
  }
  return text;
}

}  // namespace fovea
