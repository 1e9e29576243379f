// The mistakes as values, and sets of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fovea {

enum class Slip : std::uint8_t {
  no_scaling,
  scaled_by_d_model,
  scaled_by_d,
  multiplied_by_sqrt_d,
  softmax_over_queries,
  softmax_over_all,
  no_softmax,
  global_maximum,
  maximum_not_subtracted,
  denominator_forgotten,
  mask_after_softmax,
  mask_inverted,
  mask_as_one_and_zero,
  causal_forgotten,
  causal_off_by_one,
  causal_reversed,
  padding_ignored,
  padding_of_queries,
  keys_not_transposed,
  query_key_swapped,
  values_forgotten,
  values_are_keys,
  memory_not_used,
  heads_not_split,
  heads_split_by_rows,
  heads_averaged,
  output_projection_forgotten,
  rounded_early,
  dropout_at_inference,
  feature_map_forgotten,
  linear_scaled,
  softmax_instead,
};
inline constexpr std::size_t kSlips = 32;

// Two mistakes of the same step exclude each other.
enum class SlipStep : std::uint8_t {
  inputs,
  heads,
  scores,
  scale,
  rounding,
  mask,
  causal,
  padding,
  softmax,
  values,
  projection,
  dropout,
  linear,
};

struct SlipFacts {
  Slip slip;
  std::string_view id;
  SlipStep step;
  int forms;  // ways to make it; mistake_variants.cc says which
};

const std::array<SlipFacts, kSlips>& slip_facts();
const SlipFacts& facts_of(Slip slip);
const SlipFacts& facts_of(std::string_view id);  // throws Error naming those there are

// What a program makes of a row that sees nothing: 0/0; the scores, where −1e9 was added to all of them; an
// even share, where −1e9 took their place; zeros, where somebody thought of it.
enum class EmptyRows : std::uint8_t { nan, scores, even, zero };
inline constexpr std::array kEmptyRows = {EmptyRows::nan, EmptyRows::scores, EmptyRows::even,
                                          EmptyRows::zero};

// Mistakes made together, each in one of its forms.
class Slips {
 public:
  Slips() { form_.fill(-1); }
  void add(Slip slip, int form) { form_[static_cast<std::size_t>(slip)] = static_cast<std::int8_t>(form); }
  bool has(Slip slip) const { return form(slip) >= 0; }
  int form(Slip slip) const { return form_[static_cast<std::size_t>(slip)]; }
  bool is(Slip slip, int form) const { return this->form(slip) == form; }

  EmptyRows empty_rows = EmptyRows::nan;

 private:
  std::array<std::int8_t, kSlips> form_{};
};

}  // namespace fovea
