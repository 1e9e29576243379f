// Pictures of masks, for `fovea mask` and `fovea demo masks`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/language.h"
#include "fovea/mask.h"

namespace fovea::command {

// The rows of one batch entry in the mask's smallest form: N of them, or one if every query sees the same.
std::vector<std::vector<double>> mask_rows(const Mask& mask, Index batch, Index n, Index m, bool additive);

// "1 0 0\n1 1 0\n1 1 1\n", or the additive form, columns aligned.
std::string mask_table(const Mask& mask, Index batch, Index n, Index m, bool additive);

// "█" visible, "·" hidden; where one block stands for a tile of many pairs, "▒" if it is partly visible.
std::string mask_blocks(const Mask& mask, Index batch, Index n, Index m, int width, Language language);

// What follows is of the whole batch, or of one sequence of it alone.
using Batch = std::optional<Index>;

double density_of(const Mask& mask, Index n, Index m, const Batch& batch = {});  // share of visible pairs
Shape smallest_shape(const Mask& mask, Index n, Index m, const Batch& batch = {});  // of mask.to_bool(n, m)

// "causal and padding: 48.0 % visible", and the same with ", shape [1, 5, 5]".
std::string describe_visible(const Mask& mask, Index n, Index m, Language language,
                             const Batch& batch = {});
std::string describe_mask(const Mask& mask, Index n, Index m, Language language, const Batch& batch = {});

}  // namespace fovea::command
