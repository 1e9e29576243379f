#include "texts/catalogue.h"

#include <map>
#include <unordered_map>

#include "texts/message.h"
#include "texts/zh/texts.h"

namespace fovea::command {
namespace {

using Catalogue = std::unordered_map<std::string_view, std::string_view>;

Catalogue catalogue_of(const SpokenLanguage& spoken) {
  Catalogue catalogue;
  if (spoken.texts == nullptr) return catalogue;
  for (const Translations& subject : spoken.texts()) {
    for (const Translation& text : subject) catalogue.emplace(text.english, text.translated);
  }
  return catalogue;
}

std::map<Language, Catalogue> all_catalogues() {
  std::map<Language, Catalogue> all;
  for (const SpokenLanguage& spoken : spoken_languages()) all[spoken.language] = catalogue_of(spoken);
  return all;
}

}  // namespace

const std::vector<SpokenLanguage>& spoken_languages() {
  static const std::vector<SpokenLanguage> languages = {
      {Language::english, "en", nullptr},
      {Language::chinese, "zh", zh::texts},
  };
  return languages;
}

std::string_view translated(std::string_view english, Language language) {
  static const std::map<Language, Catalogue> catalogues = all_catalogues();
  const Catalogue& catalogue = catalogues.at(language);
  const auto found = catalogue.find(english);
  return found == catalogue.end() ? english : found->second;
}

std::string Message::in(Language language) const {
  const std::string_view text = translated(english_, language);
  return fill_ ? fill_(text, language) : std::string(text);
}

std::string argument_in(const std::vector<std::string>& list, Language language) {
  const std::string separator = tr(", ").in(language);
  std::string joined;
  for (std::size_t i = 0; i < list.size(); ++i) joined += (i == 0 ? "" : separator) + list[i];
  return joined;
}

}  // namespace fovea::command
