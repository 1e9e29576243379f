#include "fovea/error.h"

namespace fovea {

Error::~Error() = default;

}  // namespace fovea
