#include "json_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>

#include "output.h"

namespace fovea::command {

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t valid = invalid_utf8(text).value_or(text.size());
    for (const char c : text.substr(0, valid)) {
      if (c == '"' || c == '\\') {
        quoted += '\\';
        quoted += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      } else {
        quoted += c;
      }
    }
    text.remove_prefix(valid);
    if (!text.empty()) {
      quoted += "\uFFFD";
      text.remove_prefix(1);
    }
  }
  return quoted + "\"";
}

std::string json_array(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_quoted(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string json_numbers(const std::vector<double>& values) {
  std::vector<std::string> numbers;
  for (const double value : values) {
    if (std::isfinite(value)) {
      numbers.push_back(fmt::format("{}", value));
    } else {
      numbers.push_back(std::isnan(value) ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"");
    }
  }
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string json_object(const std::vector<std::pair<std::string, std::string>>& members) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : members)
    lines.push_back(fmt::format("  {}: {}", json_quoted(name), value));
  return fmt::format("{{\n{}\n}}\n", fmt::join(lines, ",\n"));
}

}  // namespace fovea::command
