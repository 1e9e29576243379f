#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/bias.h"
#include "fovea/figure.h"
#include "fovea/mask.h"
#include "fovea/mask_picture.h"
#include "options.h"

namespace fovea::python {
namespace {

Align align_of(const std::string& name) {
  if (name == "bottom_right") return Align::bottom_right;
  if (name == "top_left") return Align::top_left;
  throw nb::value_error(("align: got \"" + name + "\", expected \"bottom_right\" or \"top_left\"").c_str());
}

// The number of keys, where it is not named.
Index keys_or(std::optional<Index> m, Index n) { return m.value_or(n); }

std::string mask_svg(const Mask& mask, Index n, std::optional<Index> m,
                     const std::optional<std::string>& title, const std::string& lang) {
  MaskPictureOptions options;
  options.title = title;
  options.language = language_of(lang);
  return to_svg(mask_picture(mask, n, keys_or(m, n), options));
}

// For a notebook: of a rule 16 x 16, of a mask that knows its keys, those. None where queries and keys
// differ.
std::optional<std::string> mask_display(const Mask& mask) {
  constexpr Index kRule = 16, kMostKeys = 512;
  for (Index keys = 0; keys <= kMostKeys; ++keys) {
    const Index n = keys == 0 ? kRule : keys;
    try {
      static_cast<void>(mask.density(n, n));
    } catch (const Error&) {
      continue;  // it is of another size
    }
    return mask_svg(mask, n, {}, {}, "en");
  }
  return std::nullopt;
}

void bind_mask(nb::module_& module) {
  nb::class_<Mask> mask(module, "Mask",
                        "Who may see whom. A value: combine masks with & | ~. Query i stands at position\n"
                        "p = i + M - N, so that the last query stands at the last key.");
  mask.def(nb::init<>(), "Hides nothing.")
      .def_static("none", &Mask::none, "Hides nothing.")
      .def_static(
          "causal", [](const std::string& align) { return Mask::causal(align_of(align)); },
          nb::arg("align") = "bottom_right",
          "Keys 0..p. align=\"top_left\": query i sees keys 0..i, also where N and M differ (torch's is_causal).")
      .def_static(
          "padding",
          [](nb::handle ids, std::optional<std::int64_t> pad) {
            return pad ? Mask::padding(ids_of(ids, "ids"), *pad) : Mask::padding(flags_of(ids, "real"));
          },
          nb::arg("real"), nb::arg("pad") = nb::none(),
          "real [B, M]: true where a key is a real token. With pad=: token ids, real where id != pad.")
      .def_static("lengths", &Mask::lengths, nb::arg("lengths"),
                  "B lengths: keys 0..length-1 of each sequence.")
      .def_static(
          "window",
          [](Index before, std::optional<Index> after) {
            return Mask::sliding_window(before, after.value_or(before));
          },
          nb::arg("before"), nb::arg("after") = nb::none(), "Keys p-before..p+after (after: as before).")
      .def_static("sparse", &Mask::sparse, nb::arg("stride"),
                  "|p-j| <= stride, or p or j a multiple of stride.")
      .def_static(
          "documents", [](nb::handle ids) { return Mask::documents(ids_of(ids, "ids")); }, nb::arg("ids"),
          "ids [M] or [B, M]: keys of the same document as position p.")
      .def_static("prefix", &Mask::prefix, nb::arg("n"),
                  "j < n, or j <= p: a prefix that all see, then causal.")
      .def_static(
          "dense", [](nb::handle visible) { return Mask::dense(flags_of(visible, "visible")); },
          nb::arg("visible"),
          "Truth values [N, M] .. [A, B, H, N, M], true: visible; extents of 1 broadcast. Copied.")
      .def_static(
          "additive", [](nb::handle values) { return Mask::additive(Input(values, "values").view()); },
          nb::arg("values"), "Numbers [N, M] .. [A, B, H, N, M], added to the scores; -inf hides. Copied.")
      .def_static(
          "parse", [](const std::string& expression) { return parse_mask(expression); },
          nb::arg("expression"),
          "From its text: \"causal & window(64)\", \"~sparse(4) | padding([1,2,3,0,0])\".\n"
          "none causal causal(top_left) window(w) window(before, after) sparse(s) prefix(n)\n"
          "padding(ids) padding(ids, pad) lengths(3, 2) documents(ids)");
  mask.def(
          "__and__", [](const Mask& a, const Mask& b) { return a & b; }, nb::is_operator())
      .def(
          "__or__", [](const Mask& a, const Mask& b) { return a | b; }, nb::is_operator())
      .def(
          "__invert__", [](const Mask& a) { return !a; }, nb::is_operator())
      .def_prop_ro("is_none", &Mask::is_none, "Does it hide nothing at all?")
      .def_prop_ro("is_additive", &Mask::is_additive, "Does it carry values to add to the scores?")
      .def_prop_ro("expression", &Mask::expression,
                   "What Mask.parse makes this mask of; None for dense ones.")
      .def(
          "to_numpy",
          [](const Mask& self, Index n, std::optional<Index> m) {
            return to_python(self.to_bool(n, keys_or(m, n)));
          },
          nb::arg("n"), nb::arg("m") = nb::none(),
          "Truth values for n queries and m keys (m: as n), in the smallest shape that broadcasts over\n"
          "[B, H, N, M]: [N, M]; [B, 1, M] for padding alone; [B, N, M]; [B, H, N, M].")
      .def(
          "to_additive",
          [](const Mask& self, Index n, std::optional<Index> m) {
            return to_python(self.to_additive(n, keys_or(m, n)));
          },
          nb::arg("n"), nb::arg("m") = nb::none(), "As to_numpy, but 0 and -inf, or the values themselves.")
      .def(
          "density",
          [](const Mask& self, Index n, std::optional<Index> m) { return self.density(n, keys_or(m, n)); },
          nb::arg("n"), nb::arg("m") = nb::none(), "Share of visible pairs.")
      .def(
          "describe",
          [](const Mask& self, Index n, std::optional<Index> m) { return self.describe(n, keys_or(m, n)); },
          nb::arg("n"), nb::arg("m") = nb::none(), "In words: \"causal: 62.5 % visible\".")
      .def("to_svg", &mask_svg, nb::arg("n"), nb::arg("m") = nb::none(), nb::arg("title") = nb::none(),
           nb::arg("lang") = "en", "A picture of the mask, as the text of an SVG.")
      .def("_repr_svg_", &mask_display)
      .def("__repr__",
           [](const Mask& self) { return "<fovea.Mask " + self.expression().value_or("of values") + ">"; });
}

void bind_bias(nb::module_& module) {
  nb::class_<Bias> bias(
      module, "Bias",
      "Values added to the scores before softmax, by position. Query i stands at p = i + M - N;\n"
      "the relative position of key j is j - p.");
  bias.def(nb::init<>(), "Adds nothing.")
      .def_static("none", &Bias::none, "Adds nothing.")
      .def_static(
          "relative", [](nb::handle table) { return Bias::relative(Input(table, "table").view()); },
          nb::arg("table"), "table [2*max+1, H]: row clamp(j - p, -max, max) + max.")
      .def_static(
          "t5",
          [](nb::handle table, Index buckets, Index max_distance, bool bidirectional) {
            return Bias::t5(Input(table, "table").view(), buckets, max_distance, bidirectional);
          },
          nb::arg("table"), nb::arg("buckets") = 32, nb::arg("max_distance") = 128,
          nb::arg("bidirectional") = true, "table [buckets, H], T5's logarithmic buckets.")
      .def_static("alibi", &Bias::alibi, nb::arg("slopes"), "H slopes: -slope * |j - p|.")
      .def_static(
          "dense", [](nb::handle values) { return Bias::dense(Input(values, "values").view()); },
          nb::arg("values"), "[N, M] .. [A, B, H, N, M]; extents of 1 broadcast. Copied.")
      .def_prop_ro("is_none", &Bias::is_none)
      .def("describe", &Bias::describe, "In words.")
      .def(
          "to_numpy",
          [](const Bias& self, Index heads, Index n, std::optional<Index> m) {
            return to_python(self.to_dense(heads, n, keys_or(m, n)));
          },
          nb::arg("heads"), nb::arg("n"), nb::arg("m") = nb::none(),
          "The values, [H, N, M] ([B, H, N, M] if they depend on the sequence).")
      .def("__repr__", [](const Bias& self) { return "<fovea.Bias " + self.describe() + ">"; });
  module.def("alibi_slopes", &alibi_slopes, nb::arg("heads"),
             "The slopes of the ALiBi paper for any number of heads.");
}

}  // namespace

void bind_masks(nb::module_& module) {
  bind_mask(module);
  bind_bias(module);
}

}  // namespace fovea::python
