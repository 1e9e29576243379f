// --layer, --heads and --batch: which heads of a run, the same in every command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/run_input.h"
#include "options.h"

namespace fovea::command {

// What to take where nothing was said.
enum class DefaultHeads {
  all,       // every head of every layer
  one_mean,  // the mean of the heads of layer 0
};

class HeadSelection {
 public:
  void declare(OptionList& options);

  bool chosen() const { return layers_ || heads_; }
  // The chosen heads of a run, of the sequence that was chosen. Throws UsageError naming the valid range.
  std::vector<HeadChoice> choose(const OpenRun& open, DefaultHeads otherwise) const;
  Index batch_entry(
      const OpenRun& open) const;  // 0 if not given; throws UsageError if there is no such entry

 private:
  // Layer and head of each, or one per layer if they are merged.
  std::vector<HeadChoice> places(Index layers, Index heads, DefaultHeads otherwise) const;

  std::optional<std::string> layers_, heads_;
  std::optional<Index> batch_;
};

}  // namespace fovea::command
