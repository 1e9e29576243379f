// The pictures of the tutorials.
#include <fmt/core.h>

#include <filesystem>

#include "commands/demo/demos.h"
#include "output/tutorial_pictures.h"

namespace fovea::command {

void demo_visualize(const Context& context, const std::optional<std::string>& folder) {
  const TerminalOptions terminal{
      .colors = terminal_colors(context.color), .width = context.width, .language = context.language};
  for (const TutorialPicture& each : tutorial_pictures(context.language)) {
    context.paragraph(each.sentence);
    context.block(each.picture.terminal(terminal));
    if (!folder) continue;
    const std::string path = (std::filesystem::path(*folder) / each.file).string();
    save_figure(path, each.picture.figure(), {.png = {.dpi = 150, .scale = 1}});
    print_message(fmt::format("→ {}", path));
  }
}

}  // namespace fovea::command
