#include "options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "output/output.h"

namespace fovea::command {
namespace {

void check_utf8(const std::string& what, const std::string& text) {
  const std::optional<std::size_t> at = invalid_utf8(text);
  if (!at) return;
  throw UsageError(fmt::format("{}: byte {} (0x{:02x}) is not valid UTF-8: \"{}\"", what, *at + 1,
                               static_cast<unsigned char>(text[*at]), one_line(text)));
}

// The whole of `text` as a number; nothing if it is not one.
template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number number = {};
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

}  // namespace

void OptionList::flag(const std::string& names, bool& target, Message help) {
  options_.push_back({names, "", std::move(help), false, [&target](const std::string&) { target = true; }});
}

void OptionList::text(const std::string& names, const std::string& value,
                      std::optional<std::string>& target, Message help) {
  options_.push_back({names, value, std::move(help), false, [names, &target](const std::string& given) {
                        check_utf8(names, given);
                        target = given;
                      }});
}

void OptionList::texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
                       Message help) {
  const auto set = [names, &target](const std::string& given) {
    check_utf8(names, given);
    target.push_back(given);
  };
  options_.push_back({names, value, std::move(help), false, set, true});
}

void OptionList::optional_text(const std::string& names, const std::string& value,
                               std::optional<std::string>& target, Message help) {
  text(names, "[" + value + "]", target, std::move(help));
}

void OptionList::path(const std::string& names, const std::string& value,
                      std::optional<std::string>& target, Message help) {
  options_.push_back(
      {names, value, std::move(help), false, [&target](const std::string& given) { target = given; }});
  options_.back().file = true;
}

void OptionList::paths(const std::string& names, const std::string& value, std::vector<std::string>& target,
                       Message help) {
  options_.push_back({names, value, std::move(help), false,
                      [&target](const std::string& given) { target.push_back(given); }, true});
  options_.back().file = true;
}

void OptionList::integer(const std::string& names, const std::string& value, std::optional<Index>& target,
                         Index min, Index max, Message help) {
  options_.push_back({names, value, std::move(help), false, [=, &target](const std::string& given) {
                        target = parse_number<Index>(given);
                        if (target && *target >= min && *target <= max) return;
                        throw UsageError(
                            fmt::format("{}: got \"{}\", expected a whole number from {} to {}", names,
                                        one_line(given), min, max));
                      }});
}

void OptionList::number(const std::string& names, const std::string& value, std::optional<double>& target,
                        Message help) {
  options_.push_back({names, value, std::move(help), false, [names, &target](const std::string& given) {
                        target = parse_number<double>(given);
                        if (target && std::isfinite(*target)) return;
                        throw UsageError(
                            fmt::format("{}: got \"{}\", expected a number", names, one_line(given)));
                      }});
}

void OptionList::choice(const std::string& names, const std::vector<std::string>& choices,
                        std::string& target, Message help) {
  const std::string value = fmt::format("{}", fmt::join(choices, "|"));
  options_.push_back({names, value, std::move(help), false, [=, &target](const std::string& given) {
                        if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
                          throw UsageError(fmt::format("{}: got \"{}\", expected {}", names,
                                                       one_line(given), fmt::join(choices, ", ")));
                        }
                        target = given;
                      }});
  options_.back().words = choices;
}

void OptionList::named_choice(const std::string& names, const std::string& value,
                              const std::vector<std::vector<std::string>>& choices,
                              const std::function<void(std::size_t)>& set, Message help) {
  std::vector<std::string> shown;
  for (const std::vector<std::string>& choice : choices) shown.push_back(choice.front());
  options_.push_back({names, value, std::move(help), false, [=](const std::string& given) {
                        for (std::size_t i = 0; i < choices.size(); ++i) {
                          if (std::find(choices[i].begin(), choices[i].end(), given) != choices[i].end()) {
                            return set(i);
                          }
                        }
                        throw UsageError(fmt::format("{}: got \"{}\", expected {}", names, one_line(given),
                                                     fmt::join(shown, ", ")));
                      }});
  options_.back().words = shown;
}

void OptionList::positional_texts(const std::string& name, int min, int max,
                                  std::vector<std::string>& target, Message help) {
  positionals_ = {name, min, max, std::move(help), [name, &target](const std::vector<std::string>& given) {
                    for (const std::string& text : given) check_utf8(name, text);
                    target = given;
                  }};
}

void OptionList::positional_paths(const std::string& name, int min, int max,
                                  std::vector<std::string>& target, Message help) {
  positionals_ = {name, min, max, std::move(help),
                  [&target](const std::vector<std::string>& given) { target = given; }};
  positionals_.file = true;
}

}  // namespace fovea::command
