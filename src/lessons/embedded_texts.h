// The files of src/lessons/texts, embedded by cmake/EmbedTexts.cmake.
#pragma once

#include <string_view>
#include <vector>

namespace fovea {

struct EmbeddedText {
  std::string_view path;  // "en/softmax.md"
  std::string_view text;
};
const std::vector<EmbeddedText>& embedded_texts();  // sorted by path

}  // namespace fovea
