#include "fovea/study.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bind.h"
#include "fovea/error.h"
#include "fovea/measure_definitions.h"
#include "interrupt.h"

namespace nb = nanobind;

namespace fovea::python {
namespace {

Measure studied(const std::string& name) {
  std::string names;
  for (const Measure measure : study_measures()) {
    if (measure_definition(measure).name == name) return measure;
    names += (names.empty() ? "" : ", ") + measure_definition(measure).name;
  }
  throw Error("[study] no measure \"" + name + "\", expected one of " + names);
}

void add(Study& study, const TextModel& model, const std::vector<std::string>& texts) {
  interruptible([&](const std::stop_token& stop) { study.add(model, texts, stop); });
}

nb::dict counts(const Study& study) {
  const StudyCounts& all = study.counts();
  nb::dict fields;
  fields["texts"] = all.texts;
  fields["tokens"] = all.tokens;
  fields["cut"] = all.cut;
  fields["skipped"] = all.skipped;
  fields["unknown"] = all.unknown;
  fields["broken"] = all.broken;
  fields["repaired"] = all.repaired;
  fields["empty"] = all.empty;
  return fields;
}

// (count, mean, deviation)
nb::tuple value(const Study& study, Index head, const std::string& measure) {
  if (head < 0 || head >= study.layers() * study.heads()) {
    throw Error("[study] no head " + std::to_string(head) + ": there are " +
                std::to_string(study.layers() * study.heads()));
  }
  const StudyValue of_head = study.value(head, studied(measure));
  return nb::make_tuple(of_head.count, of_head.mean, of_head.deviation);
}

}  // namespace

void bind_study(nb::module_& m) {
  m.def("study_measures", [] {
    std::vector<std::string> names;
    for (const Measure measure : study_measures()) names.push_back(measure_definition(measure).name);
    return names;
  });
  nb::class_<Study>(m, "Study")
      .def(
          "__init__",
          [](Study* self, const TextModel& model, Index length, Index similarity_rows, std::string corpus) {
            new (self) Study(model, StudyOptions{length, similarity_rows, std::move(corpus)});
          },
          nb::arg("model"), nb::arg("length"), nb::arg("similarity_rows"), nb::arg("corpus"))
      .def("add", &add, nb::arg("model"), nb::arg("texts"))
      .def("merge", &Study::merge, nb::arg("other"), nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Study::save, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def_static("load", &Study::load, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("model", &Study::model)
      .def("weights", [](const Study& study) { return std::string(to_string(study.weights())); })
      .def("precision", [](const Study& study) { return std::string(to_string(study.precision())); })
      .def("layers", &Study::layers)
      .def("heads", &Study::heads)
      .def("counts", &counts)
      .def("value", &value, nb::arg("head"), nb::arg("measure"));
}

}  // namespace fovea::python
