#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/attention_lines.h"
#include "fovea/colormap.h"
#include "fovea/figure.h"
#include "fovea/head_grid.h"
#include "fovea/heatmap.h"
#include "options.h"

namespace fovea::python {
namespace {

using Names = std::vector<std::string>;

ColorRange range_of(nb::handle range) {
  if (nb::isinstance<nb::str>(range)) {
    const auto name = nb::cast<std::string>(range);
    if (name == "unit") return ColorRange::unit();
    if (name == "row") return ColorRange::row_maximum();
    if (name == "data") return ColorRange::data();
    if (name == "log") return ColorRange::logarithm();
    throw nb::value_error(
        ("range: got \"" + name + "\", expected \"unit\", \"row\", \"data\", \"log\" or (low, high)")
            .c_str());
  }
  std::pair<double, double> bounds;
  if (!nb::try_cast(range, bounds))
    throw nb::type_error("range: expected a name or two numbers, (low, high)");
  return ColorRange::fixed(bounds.first, bounds.second);
}

Theme theme_of(const std::string& name) {
  if (name == "light") return Theme::light;
  if (name == "dark") return Theme::dark;
  throw nb::value_error(("theme: got \"" + name + "\", expected \"light\" or \"dark\"").c_str());
}

HeatmapOptions heatmap_options(Names queries, Names keys, std::optional<std::string> title, nb::handle mask,
                               const std::string& colormap, nb::handle range, const std::string& theme,
                               const std::string& lang) {
  HeatmapOptions options;
  options.queries = std::move(queries);
  options.keys = std::move(keys);
  options.title = std::move(title);
  options.mask = mask_of(mask);
  options.colormap = colormap;
  if (!range.is_none()) options.range = range_of(range);
  options.theme = theme_of(theme);
  options.language = language_of(lang);
  return options;
}

std::string heatmap_svg(nb::handle weights, Names queries, Names keys, std::optional<std::string> title,
                        nb::handle mask, const std::string& colormap, nb::handle range,
                        const std::string& theme, const std::string& lang) {
  Input input(weights, "weights");
  const HeatmapOptions options = heatmap_options(std::move(queries), std::move(keys), std::move(title),
                                                 mask, colormap, range, theme, lang);
  return to_svg(heatmap(input.view(), options));
}

std::string grid_svg(nb::handle weights, Names queries, Names keys, std::optional<std::string> title,
                     nb::handle mask, const std::string& colormap, nb::handle range,
                     const std::string& theme, const std::string& lang) {
  Input input(weights, "weights");
  HeadGridOptions options;
  options.heatmap = heatmap_options(std::move(queries), std::move(keys), std::move(title), mask, colormap,
                                    range, theme, lang);
  return to_svg(head_grid(input.view(), options));
}

std::string lines_svg(nb::handle weights, Names queries, Names keys, Names heads,
                      std::optional<std::string> title, double mass, std::optional<Index> query,
                      const std::string& theme, const std::string& lang) {
  Input input(weights, "weights");
  AttentionLinesOptions options;
  options.queries = std::move(queries);
  options.keys = std::move(keys);
  options.head_names = std::move(heads);
  options.title = std::move(title);
  options.mass = mass;
  options.query = query;
  options.theme = theme_of(theme);
  options.language = language_of(lang);
  return to_svg(attention_lines(input.view(), options));
}

}  // namespace

void bind_pictures(nb::module_& m) {
  m.def("heatmap_svg", &heatmap_svg, nb::arg("weights"), nb::arg("queries"), nb::arg("keys"),
        nb::arg("title").none(), nb::arg("mask").none(), nb::arg("colormap"), nb::arg("range").none(),
        nb::arg("theme"), nb::arg("lang"));
  m.def("grid_svg", &grid_svg, nb::arg("weights"), nb::arg("queries"), nb::arg("keys"),
        nb::arg("title").none(), nb::arg("mask").none(), nb::arg("colormap"), nb::arg("range").none(),
        nb::arg("theme"), nb::arg("lang"));
  m.def("lines_svg", &lines_svg, nb::arg("weights"), nb::arg("queries"), nb::arg("keys"), nb::arg("heads"),
        nb::arg("title").none(), nb::arg("mass"), nb::arg("query").none(), nb::arg("theme"),
        nb::arg("lang"));
  m.def("colormap_names", &Colormap::names);
  m.def(
      "colormap",
      [](const std::string& name) {
        const Colormap map(name);
        std::vector<std::string> colours;
        for (const Color& colour : map.table()) colours.push_back(to_hex(colour));
        return colours;
      },
      nb::arg("name"));
}

}  // namespace fovea::python
