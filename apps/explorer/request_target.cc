#include "request_target.h"

#include <charconv>

namespace fovea::explorer {
namespace {

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return decoded;
}

}  // namespace

RequestTarget parse_target(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  RequestTarget parsed{percent_decoded(target.substr(0, mark), false), {}};
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : one.size());
    const std::size_t equal = one.find('=');
    const std::string name = percent_decoded(one.substr(0, equal), true);
    const std::string_view value = equal == std::string_view::npos ? "" : one.substr(equal + 1);
    if (!name.empty()) parsed.parameters.emplace(name, percent_decoded(value, true));
  }
  return parsed;
}

}  // namespace fovea::explorer
