#include "inputs/mask_argument.h"

#include "fovea/error.h"

namespace fovea::command {

void declare_mask(OptionList& options, std::optional<std::string>& target) {
  options.text("--mask", "EXPR", target,
               tr("who may see whom: 'causal & window(2)' (fovea mask --help lists the words)"));
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
