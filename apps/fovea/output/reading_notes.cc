#include "output/reading_notes.h"

#include <fmt/core.h>

#include "output/output.h"
#include "texts/message.h"

namespace fovea::command {
namespace {

// What languages a model was made for is not in its files: the notes do not guess.
Message unknown_note(const TextReading& text) {
  const Index some = text.unknown_characters, all = text.characters;
  if (text.unknown_token.empty()) {
    return some == 1 ? tr("{0} of {1} characters is unknown to this model and is ignored", some, all)
                     : tr("{0} of {1} characters are unknown to this model and are ignored", some, all);
  }
  const std::string& token = text.unknown_token;
  return some == 1
             ? tr("{0} of {1} characters is unknown to this model and read as {2}", some, all, token)
             : tr("{0} of {1} characters are unknown to this model and read as {2}", some, all, token);
}

}  // namespace

void print_reading_notes(const std::vector<TextReading>& texts, Language language) {
  const auto print = [&](std::size_t text, const Message& note) {
    const Message whole = texts.size() == 1 ? note : tr("text {0}: {1}", text + 1, note);
    print_message("fovea: " + whole.in(language));
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextReading& text = texts[i];
    if (text.unknown_characters > 0) print(i, unknown_note(text));
    if (text.tokens_read < text.tokens) {
      print(i, tr("text truncated to {0} of {1} tokens; the last {2} did not fit", text.tokens_read,
                  text.tokens, text.tokens - text.tokens_read));
    }
  }
}

}  // namespace fovea::command
