// The pictures of the tutorials, computed as they describe: for `fovea demo visualize` and the gallery.
#pragma once

#include <string>
#include <vector>

#include "output/pictures.h"

namespace fovea::command {

struct TutorialPicture {
  std::string file;  // "five-words.png"
  Message sentence;  // what it shows
  Picture picture;
};

// Five Chinese words (YlOrRd), a sentence of twenty tokens (viridis), eight heads (Blues), the sparse mask.
std::vector<TutorialPicture> tutorial_pictures(Language language);

}  // namespace fovea::command
