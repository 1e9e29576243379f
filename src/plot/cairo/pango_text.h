// One line of text as a pango layout.
#pragma once

#include <pango/pango.h>

#include <memory>
#include <string_view>

#include "plot/scene.h"

namespace fovea {

struct ObjectRelease {
  void operator()(void* object) const { g_object_unref(object); }
};
using PangoContextPointer = std::unique_ptr<PangoContext, ObjectRelease>;
using PangoLayoutPointer = std::unique_ptr<PangoLayout, ObjectRelease>;

// Families in the order in which characters are looked up, as pango and CSS read it.
const char* font_families(scene::Family family);

// One point of the font is one unit; glyphs stand where the measures say, whatever the resolution, so the
// same text has the same place in every format. Contexts and layouts belong to the calling thread.
PangoContextPointer make_context();
PangoLayoutPointer make_layout(PangoContext* context, std::string_view text, const scene::Font& font);

}  // namespace fovea
