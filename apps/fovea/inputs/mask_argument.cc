#include "inputs/mask_argument.h"

#include "fovea/error.h"

namespace fovea::command {

void declare_mask(OptionList& options, std::optional<std::string>& target) {
  options.text("--mask", "EXPR", target,
               {"who may see whom: 'causal & window(2)' (fovea mask --help lists the words)",
                "谁能看见谁：如 'causal & window(2)'（词汇见 fovea mask --help）"});
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
