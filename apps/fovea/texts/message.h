// A text for people. The code says it in English, by tr("english"); a catalogue per language translates it.
//
// scripts/check_texts reads the literals in tr(..), so that no catalogue can miss one or keep one too many.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fovea/language.h"

namespace fovea::command {

// A literal of the program: nothing else can be looked up in a catalogue.
class EnglishLiteral {
 public:
  template <std::size_t N>
  consteval EnglishLiteral(const char (&text)[N]) : text_(text, N - 1) {}  // NOLINT: implicit on purpose
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Made by tr() only.
class Message {
 public:
  // What the text becomes once it is translated: its arguments are put in.
  using Fill = std::function<std::string(std::string_view, Language)>;

  Message() = default;  // says nothing
  std::string in(Language language) const;
  bool empty() const { return english_.empty(); }
  Text text() const { return {in(Language::english), in(Language::chinese)}; }  // as the library takes it

 private:
  explicit Message(std::string_view english, Fill fill = {}) : english_(english), fill_(std::move(fill)) {}
  friend Message tr(EnglishLiteral english);
  template <class First, class... Rest>
  friend Message tr_filled(std::string_view english, First first, Rest... rest);

  std::string_view english_;
  Fill fill_;
};

// An argument as it stands in a text of that language. Lists are joined as the language does it.
template <class T>
const T& argument_in(const T& value, Language) {
  return value;
}
inline std::string argument_in(const Message& value, Language language) { return value.in(language); }
inline std::string argument_in(const Text& value, Language language) { return value.in(language); }
std::string argument_in(const std::vector<std::string>& list, Language language);

template <class T>
using Argument = std::decay_t<decltype(argument_in(std::declval<const T&>(), Language::english))>;

template <class First, class... Rest>
Message tr_filled(std::string_view english, First first, Rest... rest) {
  auto fill = [values = std::tuple(std::move(first), std::move(rest)...)](std::string_view format,
                                                                          Language language) {
    return std::apply(
        [&](const auto&... value) {
          return fmt::format(fmt::runtime(format), argument_in(value, language)...);
        },
        values);
  };
  return Message(english, std::move(fill));
}

// The text as it stands, braces too.
inline Message tr(EnglishLiteral english) { return Message(english.text()); }

// With arguments by number, since another language may have another order: tr("{0} of {1} heads", n, all).
// Checked by the compiler. The arguments are kept by value.
template <class First, class... Rest>
Message tr(fmt::format_string<Argument<std::decay_t<First>>, Argument<std::decay_t<Rest>>...> english,
           const First& first, const Rest&... rest) {
  const fmt::string_view text = english;
  return tr_filled(std::string_view(text.data(), text.size()), std::decay_t<First>(first),
                   std::decay_t<Rest>(rest)...);
}

}  // namespace fovea::command
