#include "measures.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/head_roles.h"
#include "fovea/measure_definitions.h"
#include "interrupt.h"
#include "options.h"

namespace fovea::python {
namespace {

nb::dict row_of(const ReportedHead& head, const std::vector<std::string>& key_tokens, Language language) {
  nb::dict row;
  row["layer"] = head.layer;
  if (head.head >= 0) {
    row["head"] = head.head;
  } else {
    row["head"] = "mean";
  }
  for (const Measure measure : all_measures()) {
    row[measure_definition(measure).name.c_str()] = head.measures[measure];
  }
  const HeadRole role = role_of(head.measures, key_tokens);
  row["role"] = role.id;
  row["reading"] = role.name.in(language);
  return row;
}

nb::list measure_weights(nb::handle weights, nb::handle mask, std::vector<std::string> tokens,
                         std::vector<std::string> key_tokens, const std::string& lang) {
  Input input(weights, "weights");
  const ConstView view = input.view();
  const Mask visible = mask_of(mask);
  MeasureOptions options;
  options.tokens = std::move(tokens);
  options.key_tokens = std::move(key_tokens);
  options.rows = false;
  AttentionMeasures measures;
  interruptible([&](const std::stop_token& stop) {
    options.stop = stop;
    measures = measure_attention(view, visible, options);
  });
  MeasuresReport report = report_of(measures);
  report.key_tokens = options.key_tokens.empty() ? options.tokens : options.key_tokens;
  return to_rows(report, language_of(lang));
}

nb::list definitions(const std::string& lang) {
  const Language language = language_of(lang);
  nb::list all;
  for (const MeasureDefinition& each : measure_definitions()) {
    nb::dict one;
    one["name"] = each.name;
    one["title"] = each.title.in(language);
    one["formula"] = each.formula.in(language);
    one["definition"] = each.definition.in(language);
    one["range"] = each.range.in(language);
    one["caveat"] = each.caveat.in(language);
    all.append(one);
  }
  return all;
}

}  // namespace

nb::list to_rows(const MeasuresReport& report, Language language) {
  const std::vector<std::string>& tokens = report.key_tokens.empty() ? report.tokens : report.key_tokens;
  nb::list rows;
  for (const ReportedHead& head : report.heads) rows.append(row_of(head, tokens, language));
  for (const ReportedHead& mean : report.means) rows.append(row_of(mean, tokens, language));
  return rows;
}

void bind_measures(nb::module_& m) {
  m.def("measure_weights", &measure_weights, nb::arg("weights"), nb::arg("mask").none(), nb::arg("tokens"),
        nb::arg("key_tokens"), nb::arg("lang"));
  m.def("measure_definitions", &definitions, nb::arg("lang"));
}

}  // namespace fovea::python
