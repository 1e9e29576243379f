#include "lessons/mistake_slips.h"

#include <string>
#include <vector>

#include "core/fail.h"
#include "fovea/render.h"

namespace fovea {

const std::array<SlipFacts, kSlips>& slip_facts() {
  static constexpr std::array<SlipFacts, kSlips> kFacts = {{
      {Slip::no_scaling, "no_scaling", SlipStep::scale, 1},
      {Slip::scaled_by_d_model, "scaled_by_d_model", SlipStep::scale, 1},
      {Slip::scaled_by_d, "scaled_by_d", SlipStep::scale, 1},
      {Slip::multiplied_by_sqrt_d, "multiplied_by_sqrt_d", SlipStep::scale, 1},
      {Slip::softmax_over_queries, "softmax_over_queries", SlipStep::softmax, 1},
      {Slip::softmax_over_all, "softmax_over_all", SlipStep::softmax, 1},
      {Slip::no_softmax, "no_softmax", SlipStep::softmax, 2},          // hidden scores are 0, or −inf
      {Slip::global_maximum, "global_maximum", SlipStep::softmax, 2},  // in float64, in float32
      {Slip::maximum_not_subtracted, "maximum_not_subtracted", SlipStep::softmax, 2},  // as above
      {Slip::denominator_forgotten, "denominator_forgotten", SlipStep::softmax,
       2},  // with maximum, without
      {Slip::mask_after_softmax, "mask_after_softmax", SlipStep::mask, 1},
      {Slip::mask_inverted, "mask_inverted", SlipStep::mask, 1},
      {Slip::mask_as_one_and_zero, "mask_as_one_and_zero", SlipStep::mask, 2},  // added, multiplied
      {Slip::causal_forgotten, "causal_forgotten", SlipStep::causal, 1},
      {Slip::causal_off_by_one, "causal_off_by_one", SlipStep::causal, 2},  // one too many, one too few
      {Slip::causal_reversed, "causal_reversed", SlipStep::causal, 1},
      {Slip::padding_ignored, "padding_ignored", SlipStep::padding, 1},
      {Slip::padding_of_queries, "padding_of_queries", SlipStep::padding, 1},
      {Slip::keys_not_transposed, "keys_not_transposed", SlipStep::scores, 1},
      {Slip::query_key_swapped, "query_key_swapped", SlipStep::scores, 1},
      {Slip::values_forgotten, "values_forgotten", SlipStep::values, 1},
      {Slip::values_are_keys, "values_are_keys", SlipStep::values, 1},
      {Slip::memory_not_used, "memory_not_used", SlipStep::inputs, 1},
      {Slip::heads_not_split, "heads_not_split", SlipStep::heads, 2},          // scaled by √E, by √d_k
      {Slip::heads_split_by_rows, "heads_split_by_rows", SlipStep::heads, 3},  // both, splitting, joining
      {Slip::heads_averaged, "heads_averaged", SlipStep::heads, 2},            // outputs, weights
      {Slip::output_projection_forgotten, "output_projection_forgotten", SlipStep::projection, 1},
      {Slip::rounded_early, "rounded_early", SlipStep::rounding, 1},
      {Slip::dropout_at_inference, "dropout_at_inference", SlipStep::dropout, 1},
      {Slip::feature_map_forgotten, "feature_map_forgotten", SlipStep::linear, 3},  // none, ELU, ReLU
      {Slip::linear_scaled, "linear_scaled", SlipStep::linear, 1},
      {Slip::softmax_instead, "softmax_instead", SlipStep::linear, 1},
  }};
  return kFacts;
}

const SlipFacts& facts_of(Slip slip) { return slip_facts()[static_cast<std::size_t>(slip)]; }

const SlipFacts& facts_of(std::string_view id) {
  std::vector<std::string> ids;
  for (const SlipFacts& facts : slip_facts()) {
    if (facts.id == id) return facts;
    ids.emplace_back(facts.id);
  }
  fail("[mistake] got \"{}\", expected one of {}", id, listed(ids, kSlips));
}

}  // namespace fovea
