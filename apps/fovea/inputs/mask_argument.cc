#include "inputs/mask_argument.h"

#include "fovea/error.h"

namespace fovea::command {

void declare_mask(OptionList& options, std::optional<std::string>& target) {
  options.text("--mask", "EXPR", target,
               tr("which keys each query may see: 'causal & window(2)' (syntax: fovea mask --help)"));
}

Mask mask_of(const std::optional<std::string>& expression) {
  if (!expression) return {};
  try {
    return parse_mask(*expression);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace fovea::command
