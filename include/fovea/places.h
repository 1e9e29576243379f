// Places of a run as people write them: heads, edges, activations, tokens.
//
//   L2H3   L4H*   L*H0   enc.L1H2   dec.L0H*   cross.L1H0          heads; * is all of them
//   L3H*:sat->cat   cross.L1H2:*->5                                edges: query -> key, by token or
//   position L2.resid_post   L2H1.v   dec.L0.q                              activations, in our words, or
//   as people blocks.2.hook_resid_post   blocks.2.attn.hook_v                already write them
//
// Models with one kind of attention need no prefix. Whatever is not understood, is not there, or could be
// two things is an Error that says what was expected.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/intervention.h"
#include "fovea/model.h"
#include "fovea/run.h"
#include "fovea/text_model.h"

namespace fovea {

// One or more of them, separated by commas.
FOVEA_API std::vector<HeadPlace> parse_heads(const std::string& list, const ModelConfig& config);

// The edges as an intervention that hides them; the tokens are those of the run.
FOVEA_API Intervention parse_edges(const std::string& edges, const ModelConfig& config, const Run& run);

FOVEA_API ActivationPlace parse_activation(const std::string& name, const ModelConfig& config);

// "L2.resid_post@5", "L2H1.v@cat,mat": an activation, and where; without @ at all positions.
struct FOVEA_API PatchPlace {
  ActivationPlace place;
  std::vector<Index> positions;
};
FOVEA_API PatchPlace parse_patch(const std::string& patch, const ModelConfig& config, const Run& run);

// Patches of a run, with the activations of another one. Throws Error where that is not as many tokens
// long.
FOVEA_API Intervention parse_patches(const std::vector<std::string>& patches, const TextModel& model,
                                     const TextRun& run, const TextRun& from);

// A position, or a token that occurs once: with its mark ("▁cat", "Ġcat", "##s") or without. A token that
// is a number is written in quotes: "7".
FOVEA_API Index parse_position(const std::string& name, const std::vector<std::string>& tokens);

// The one token that a text is, of those that a model writes: " he" has a space before it, "he" has none.
// Throws Error if it is several.
FOVEA_API Index one_token(const TextModel& model, const std::string& text);

}  // namespace fovea
