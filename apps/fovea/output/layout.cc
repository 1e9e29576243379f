#include "output/layout.h"

#include <fmt/core.h>

#include "command.h"
#include "fovea/render.h"

namespace fovea::command {

std::string bold(std::string_view text, bool color) {
  return color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

void Context::line(std::string_view text) const {
  print(text);
  print("\n");
}

void Context::block(std::string_view text) const {
  while (text.ends_with('\n')) text.remove_suffix(1);
  line(text);
  line();
}

void Context::entry(std::string_view name, std::string_view value, int column) const {
  line(pad_right(name, column) + wrapped(value, width, column, column));
}

void Context::print_heading(const std::string& title) const {
  std::string rest;
  for (int i = display_width(title) + 4; i < text_width(); ++i) rest += "━";
  line(bold(fmt::format("━━ {} {}", title, rest), color));
  line();
}

void Context::print_subheading(const std::string& title) const {
  line(bold(fmt::format("▸ {}", title), color));
  line();
}

void Context::print_paragraph(const std::string& text) const {
  line(wrapped(text, text_width()));
  line();
}

}  // namespace fovea::command
