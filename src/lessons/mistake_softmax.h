// Softmax, right and wrong.
#pragma once

#include "fovea/matrix.h"
#include "lessons/mistake_slips.h"

namespace fovea {

// scores [N, M]; `raw` are the scores before the mask, which
// rows that see nothing fall back on. Sets `empty_rows` where there are such rows.
Matrix softmax_with(const Matrix& scores, const Matrix& raw, const Slips& slips, bool& empty_rows);

}  // namespace fovea
