#include "fovea/explain.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/examples.h"
#include "options.h"

namespace fovea::python {
namespace {

Matrix matrix_or_none(nb::handle object, const char* name) {
  return object.is_none() ? Matrix() : matrix_of(object, name);
}

ExplainOptions explain_options(std::vector<std::string> tokens, std::vector<std::string> memory_tokens,
                               nb::handle mask, nb::handle bias, std::optional<double> scale,
                               double softcap) {
  ExplainOptions options;
  options.tokens = std::move(tokens);
  options.memory_tokens = std::move(memory_tokens);
  options.mask = mask_of(mask);
  options.bias = bias_of(bias);
  options.scale = scale;
  options.softcap = softcap;
  return options;
}

Account explain_arrays(nb::handle q, nb::handle k, nb::handle v, std::vector<std::string> tokens,
                       std::vector<std::string> memory_tokens, nb::handle mask, nb::handle bias,
                       std::optional<double> scale, double softcap) {
  const ExplainOptions options =
      explain_options(std::move(tokens), std::move(memory_tokens), mask, bias, scale, softcap);
  return explain(matrix_of(q, "q"), matrix_of(k, "k"), matrix_of(v, "v"), options);
}

Account explain_projections(nb::handle x, nb::handle memory, nb::handle w_q, nb::handle w_k, nb::handle w_v,
                            nb::handle w_o, Index heads, std::vector<std::string> tokens,
                            std::vector<std::string> memory_tokens, nb::handle mask, nb::handle bias,
                            std::optional<double> scale, double softcap) {
  Projections projections;
  projections.w_q = matrix_or_none(w_q, "w_q");
  projections.w_k = matrix_or_none(w_k, "w_k");
  projections.w_v = matrix_or_none(w_v, "w_v");
  projections.w_o = matrix_or_none(w_o, "w_o");
  projections.heads = heads;
  const ExplainOptions options =
      explain_options(std::move(tokens), std::move(memory_tokens), mask, bias, scale, softcap);
  const Matrix input = matrix_of(x, "x");
  return memory.is_none() ? explain(input, projections, options)
                          : explain(input, matrix_of(memory, "memory"), projections, options);
}

nb::dict step_dict(const Step& step, Language language) {
  nb::dict one;
  one["name"] = step.name;
  one["title"] = step.title.in(language);
  one["formula"] = step.formula;
  one["matrix"] = to_python(Matrix(step.matrix));
  one["rows"] = step.row_labels;
  one["columns"] = step.column_labels;
  one["sentence"] = step.sentence.in(language);
  one["head"] = step.head < 0 ? nb::object(nb::none()) : nb::object(nb::int_(step.head));
  return one;
}

nb::list steps(const Account& account, const std::string& lang) {
  nb::list all;
  for (const Step& step : account.steps) all.append(step_dict(step, language_of(lang)));
  return all;
}

std::vector<std::string> notes(const Account& account, const std::string& lang) {
  std::vector<std::string> all;
  for (const Text& note : account.notes) all.push_back(note.in(language_of(lang)));
  return all;
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<Account>(m, "Account")
      .def(
          "title",
          [](const Account& self, const std::string& lang) { return self.title.in(language_of(lang)); },
          nb::arg("lang"))
      .def_ro("tokens", &Account::tokens)
      .def_ro("memory_tokens", &Account::memory_tokens)
      .def_ro("scale", &Account::scale)
      .def_ro("heads", &Account::heads)
      .def("steps", &steps, nb::arg("lang"))
      .def("notes", &notes, nb::arg("lang"))
      .def(
          "matrix",
          [](const Account& self, const std::string& name, int head) {
            return to_python(Matrix(self.step(name, self.heads > 1 ? head : -1).matrix));
          },
          nb::arg("name"), nb::arg("head"))
      .def(
          "to_text",
          [](const Account& self, const std::string& lang, int digits) {
            return to_terminal(self, {.language = language_of(lang), .digits = digits});
          },
          nb::arg("lang"), nb::arg("digits"))
      .def(
          "to_markdown",
          [](const Account& self, const std::string& lang, int digits) {
            return to_markdown(self, {.language = language_of(lang), .digits = digits});
          },
          nb::arg("lang"), nb::arg("digits"))
      .def("to_json", [](const Account& self) { return to_json(self); });
  m.def("explain", &explain_arrays, nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("tokens"),
        nb::arg("memory_tokens"), nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("scale").none(),
        nb::arg("softcap"));
  m.def("explain_projections", &explain_projections, nb::arg("x"), nb::arg("memory").none(),
        nb::arg("w_q").none(), nb::arg("w_k").none(), nb::arg("w_v").none(), nb::arg("w_o").none(),
        nb::arg("heads"), nb::arg("tokens"), nb::arg("memory_tokens"), nb::arg("mask").none(),
        nb::arg("bias").none(), nb::arg("scale").none(), nb::arg("softcap"));
  m.def("example_ids", &example_ids);
  m.def(
      "example", [](const std::string& id) { return example(id).account; }, nb::arg("id"));
}

}  // namespace fovea::python
