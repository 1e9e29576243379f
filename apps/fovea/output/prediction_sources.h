// Where a prediction comes from, for people and for programs: what each layer would predict, and what each
// part of the model adds to a logit.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "fovea/attribution.h"
#include "fovea/json_writer.h"
#include "fovea/predict.h"

namespace fovea::command {

// The logit lens of one position, and the token that is followed through the layers.
struct LensAt {
  Index token = 0;
  std::vector<std::vector<TokenPrediction>> top;  // per layer
  std::vector<TokenPrediction> followed;          // `token` in every layer
};
// Of logits [L, V].
LensAt lens_at(const TextModel& model, ConstView logits, Index token, Index count);
void print_lens(const Context& context, const LensAt& lens);
void write_fields(JsonWriter& json, const LensAt& lens);  // "token", "id", "layers": [..]

// The largest parts, what the others add together, and the sum.
void print_parts(const Context& context, const LogitAttribution& attribution, Index most);
// "token", "id", "logit", "sum", "parts": [{"part", "value", ..}]
void write_fields(JsonWriter& json, const std::string& token, Index id,
                  const LogitAttribution& attribution);

}  // namespace fovea::command
