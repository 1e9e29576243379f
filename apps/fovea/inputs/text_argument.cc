#include "inputs/text_argument.h"

#include <filesystem>

#include "fovea/file.h"

namespace fovea::command {

std::string text_of_argument(const std::string& argument) {
  if (argument == "-") return read_file("/dev/stdin");
  std::error_code ignored;
  return std::filesystem::is_regular_file(argument, ignored) ? read_file(argument) : argument;
}

std::vector<std::string> texts_of_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> texts;
  for (const std::string& argument : arguments) texts.push_back(text_of_argument(argument));
  return texts;
}

}  // namespace fovea::command
