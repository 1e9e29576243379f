#include "text/steps/splitting.h"

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {

SplitBehavior read_split_behavior(const JsonField& json) {
  const std::string& name = json.text();
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  fail("{}: got {}, expected Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous",
       json.where(), in_quotes(name));
}

void append_pieces(const std::vector<Stretch>& stretches, SplitBehavior behavior,
                   std::vector<ByteSpan>& pieces) {
  const std::size_t first = pieces.size();
  bool after_match = false;  // the stretch before this one is a match
  for (const auto& [span, is_match] : stretches) {
    const bool has_previous = pieces.size() > first;
    bool joined = false;  // to the piece before
    switch (behavior) {
      case SplitBehavior::removed:
        if (!is_match) pieces.push_back(span);
        continue;
      case SplitBehavior::isolated:
        break;
      case SplitBehavior::contiguous:
        joined = has_previous && is_match == after_match;
        break;
      case SplitBehavior::merged_with_previous:
        joined = has_previous && is_match && !after_match;
        break;
      case SplitBehavior::merged_with_next:
        joined = has_previous && !is_match && after_match;
        break;
    }
    if (joined) {
      pieces.back().end = span.end;
    } else {
      pieces.push_back(span);
    }
    after_match = is_match;
  }
}

}  // namespace fovea
