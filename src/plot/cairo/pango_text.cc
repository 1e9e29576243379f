#include "plot/cairo/pango_text.h"

#include <cairo.h>
#include <pango/pangocairo.h>
#include <cmath>

namespace fovea {

PangoContextPointer make_context() {
  PangoContextPointer context(pango_font_map_create_context(pango_cairo_font_map_get_default()));
  pango_cairo_context_set_resolution(context.get(), 72);
  pango_context_set_round_glyph_positions(context.get(), FALSE);
  pango_context_set_base_dir(context.get(), PANGO_DIRECTION_LTR);
  // The user's desktop must not decide how a figure looks.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context.get(), options);
  cairo_font_options_destroy(options);
  return context;
}

const char* font_families(scene::Family family) {
  // Emoji are not listed: pango asks fontconfig for the font of emoji by itself, and a listed one would
  // give digits and spaces as well, because they begin key cap emoji.
  return family == scene::Family::mono ? "DejaVu Sans Mono, WenQuanYi Micro Hei Mono, monospace"
                                       : "DejaVu Sans, WenQuanYi Micro Hei, sans-serif";
}

PangoLayoutPointer make_layout(PangoContext* context, std::string_view text, const scene::Font& font) {
  PangoLayoutPointer layout(pango_layout_new(context));
  PangoFontDescription* description = pango_font_description_new();
  pango_font_description_set_family_static(description, font_families(font.family));
  pango_font_description_set_size(description, static_cast<int>(std::lround(font.size * PANGO_SCALE)));
  pango_font_description_set_weight(description, font.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description(layout.get(), description);
  pango_font_description_free(description);
  pango_layout_set_auto_dir(layout.get(), FALSE);
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  return layout;
}

}  // namespace fovea
