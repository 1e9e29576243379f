#include "output/mask_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fovea/render.h"
#include "texts/message.h"

namespace fovea::command {
namespace {

std::string cell_text(double value) {
  if (value == 0) return "0";
  if (value < -1e300) return "-inf";
  return fmt::format("{:g}", value);
}

}  // namespace

std::vector<std::vector<double>> mask_rows(const Mask& mask, Index batch, Index n, Index m, bool additive) {
  std::vector<double> values;
  Shape shape;
  if (additive) {
    const Tensor all = mask.to_additive(n, m);
    shape = all.shape();
    values.assign(all.data(), all.data() + shape.elements());
  } else {
    const Flags all = mask.to_bool(n, m);
    shape = all.shape();
    values.assign(all.values().begin(), all.values().end());
  }
  const Index rows = shape.back(1);
  const Index begin = shape.rank() == 2 ? 0 : batch * rows * m * (shape.rank() == 4 ? shape[1] : 1);
  std::vector<std::vector<double>> result;
  for (Index i = 0; i < rows; ++i) {
    const auto row = values.begin() + begin + i * m;
    result.emplace_back(row, row + m);
  }
  return result;
}

std::string mask_table(const Mask& mask, Index batch, Index n, Index m, bool additive) {
  const std::vector<std::vector<double>> rows = mask_rows(mask, batch, n, m, additive);
  int width = 1;
  for (const auto& row : rows) {
    for (const double value : row) width = std::max(width, display_width(cell_text(value)));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j > 0) text += ' ';
      text += pad_left(cell_text(row[j]), width);
    }
    text += '\n';
  }
  return text;
}

std::string mask_blocks(const Mask& mask, Index batch, Index n, Index m, int width, Language language) {
  // Two columns per block: as wide as a line is high.
  const Index most = std::max(1, width / 2);
  const Index tile = (std::max(n, m) + most - 1) / most;
  bool some_partial = false;
  std::string text;
  for (Index i = 0; i < n; i += tile) {
    for (const TileClass kind :
         mask.classify_band({batch, 0, i, std::min(n, i + tile), 0, m}, tile, n, m)) {
      text += kind == TileClass::full ? "██" : kind == TileClass::hidden ? " ·" : "▒▒";
      some_partial = some_partial || kind == TileClass::partial;
    }
    text += '\n';
  }
  text += '\n';
  text += tr("██ visible   · hidden").in(language);
  if (some_partial) text += tr("   ▒▒ partly visible").in(language);
  if (tile > 1) {
    text += tr("   (one block: {0} × {0} pairs)", tile).in(language);
  }
  return text + "\n";
}

double density_of(const Mask& mask, Index n, Index m, const Batch& batch) {
  if (!batch || mask.batch() <= 1) return mask.density(n, m);
  // Hide the other sequences, so that all visible pairs are of this one.
  std::vector<Index> lengths(static_cast<std::size_t>(mask.batch()), 0);
  lengths[static_cast<std::size_t>(*batch)] = m;
  const double pairs = static_cast<double>(n) * static_cast<double>(m * std::max<Index>(mask.heads(), 1));
  const double share = (mask & Mask::lengths(lengths)).density(n, m);
  return std::round(share * pairs * static_cast<double>(mask.batch())) / pairs;
}

Shape smallest_shape(const Mask& mask, Index n, Index m, const Batch& batch) {
  const Index sequences = batch ? 1 : std::max<Index>(mask.batch(), 1);
  if (mask.heads() > 0) return {sequences, mask.heads(), n, m};
  if (mask.batch() == 0) return {n, m};
  return {sequences, mask.to_bool(n, m).shape()[1], m};
}

std::string describe_visible(const Mask& mask, Index n, Index m, Language language, const Batch& batch) {
  if (language == Language::english && !batch) return mask.describe(n, m);
  const std::string description = mask.describe(n, m), name = description.substr(0, description.find(':'));
  return tr("{0}: {1:.1f} % visible", name, 100 * density_of(mask, n, m, batch)).in(language);
}

std::string describe_mask(const Mask& mask, Index n, Index m, Language language, const Batch& batch) {
  const std::string shape =
      std::max(n, m) <= 4096 ? smallest_shape(mask, n, m, batch).to_string() : Shape{n, m}.to_string();
  return tr("{0}, shape {1}", describe_visible(mask, n, m, language, batch), shape).in(language);
}

}  // namespace fovea::command
