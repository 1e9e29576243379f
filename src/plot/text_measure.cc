#include "plot/text_measure.h"

#include <pango/pango.h>

#include <vector>

#include "core/utf8.h"
#include "plot/pango_text.h"

namespace fovea {
namespace {

PangoLayoutPointer measured_layout(std::string_view text, const scene::Font& font) {
  thread_local const PangoContextPointer context = make_context();
  return make_layout(context.get(), text, font);
}

// Byte offsets between which a cursor may stand: before, between and after whole characters.
std::vector<std::size_t> cut_positions(std::string_view text, const scene::Font& font) {
  const PangoLayoutPointer layout = measured_layout(text, font);
  int count = 0;
  const PangoLogAttr* attributes = pango_layout_get_log_attrs_readonly(layout.get(), &count);
  std::vector<std::size_t> cuts;
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) {
    if (attributes[i].is_cursor_position) cuts.push_back(at);
    if (at < text.size()) at += decode_utf8(text, at).bytes;
  }
  return cuts;
}

}  // namespace

TextExtent measure_text(std::string_view text, const scene::Font& font) {
  const PangoLayoutPointer layout = measured_layout(text, font);
  PangoRectangle logical;
  pango_layout_get_extents(layout.get(), nullptr, &logical);
  const double top_to_baseline = pango_units_to_double(pango_layout_get_baseline(layout.get()));
  return {pango_units_to_double(logical.width), top_to_baseline,
          pango_units_to_double(logical.height) - top_to_baseline};
}

std::string shorten_middle(std::string_view text, const scene::Font& font, double width) {
  if (measure_text(text, font).width <= width) return std::string(text);
  const std::vector<std::size_t> cuts = cut_positions(text, font);
  if (cuts.size() < 3) return std::string(text);
  // The beginning says more than the end: of an odd number of characters it gets the larger half.
  const auto shortened = [&](std::size_t kept) {
    const std::size_t head = (kept + 1) / 2, tail = kept / 2;
    return std::string(text.substr(0, cuts[head])) + "…" +
           std::string(text.substr(cuts[cuts.size() - 1 - tail]));
  };
  std::size_t fits = 1, too_many = cuts.size() - 1;
  while (too_many - fits > 1) {
    const std::size_t middle = (fits + too_many) / 2;
    (measure_text(shortened(middle), font).width <= width ? fits : too_many) = middle;
  }
  return shortened(fits);
}

}  // namespace fovea
