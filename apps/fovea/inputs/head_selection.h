// --layer, --heads and --batch: which heads of a run, the same in every command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/attention_weights.h"
#include "options.h"

namespace fovea::command {

// Counted from 0. Head −1 stands for all heads of the layer in one.
struct HeadPlace {
  Index layer = 0;
  Index head = 0;
  friend bool operator==(const HeadPlace& a, const HeadPlace& b) {
    return a.layer == b.layer && a.head == b.head;
  }
};

enum class CombineHeads { no, mean, max };

// What to take where nothing was said.
enum class DefaultHeads {
  all,       // every head of every layer
  one_mean,  // the mean of the heads of layer 0
};

struct ChosenHeads {
  std::vector<HeadPlace> places;
  CombineHeads combine = CombineHeads::no;  // how places with head −1 come about

  std::string name(std::size_t i) const;  // "L5H0", "L5 mean"
};

struct SelectedWeights {
  ChosenHeads heads;
  Tensor values;  // [K, N, M], one per place
};

class HeadSelection {
 public:
  void declare(OptionList& options);

  bool chosen() const { return layers_ || heads_; }
  // For a run with that many layers and heads. Throws UsageError naming the valid range.
  ChosenHeads choose(Index layers, Index heads, DefaultHeads otherwise) const;
  Index batch_entry(Index batch) const;  // 0 if not given; throws UsageError if there is no such entry

  SelectedWeights select(const AttentionWeights& weights, DefaultHeads otherwise) const;

 private:
  std::optional<std::string> layers_, heads_;
  std::optional<Index> batch_;
};

}  // namespace fovea::command
