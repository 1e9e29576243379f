// The languages that the command speaks, and what each of them says for an English text.
#pragma once

#include <string_view>
#include <vector>

#include "fovea/language.h"

namespace fovea::command {

struct Translation {
  std::string_view english;
  std::string_view translated;
};
using Translations = std::vector<Translation>;

struct SpokenLanguage {
  Language language;
  std::string_view code;                 // of --lang, and the beginning of LANG
  std::vector<Translations> (*texts)();  // by subject; null: English, which needs none
};

// English first. A further language is a value of Language, a folder beside this file and a line here.
const std::vector<SpokenLanguage>& spoken_languages();

// The text itself if the catalogue does not have it.
std::string_view translated(std::string_view english, Language language);

}  // namespace fovea::command
