#include <cstddef>

#include "fovea/render.h"

namespace fovea {

std::string listed(const std::vector<std::string>& items, std::size_t most, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < most; ++i) {
    if (i > 0) text += separator;
    text += items[i];
  }
  if (items.size() <= most) return text;
  const std::string digits = std::to_string(items.size() - most);
  text.append(separator).append("… and ");
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text + " more";
}

}  // namespace fovea
