// Tables of vectors, looked up by id, and back.
#pragma once

#include <vector>

#include "fovea/tensor.h"

namespace fovea {

struct EmbeddingTable {
  ConstView rows = ConstView(nullptr, {0, 0});  // [V, E]
  View drows = View(nullptr, {0, 0});           // [V, E], added to

  // x [ids, E] = the rows of the ids, all of them within the table; or += them.
  void forward(const std::vector<Index>& ids, View x) const;
  void add_forward(const std::vector<Index>& ids, View x) const;

  // drows[id] += dx, id after id, whatever the number of threads: tasks own columns. A table that is the
  // output layer, too, gets both gradients into the same place.
  void backward(const std::vector<Index>& ids, ConstView dx) const;
};

}  // namespace fovea
