// Predictions for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "fovea/json_writer.h"
#include "fovea/predict.h"

namespace fovea::command {

// Aligned columns under a rule; the first one stands left, the others right, `bars` (if any) at the end.
// Tokens in the first column are shown in letters.
std::string table_with_bars(std::vector<std::vector<std::string>> rows,
                            const std::vector<std::string>& bars);
// A bar of up to 20 columns for a share of 0 to 1, in eighths.
std::string share_bar(double share);

// Where a prediction belongs: "after ▁time (position 4)", or of a masked token "at [MASK] (position 4)".
std::string place_of_prediction(const Context& context, const TextModel& model,
                                const std::vector<std::string>& tokens, Index position);
void print_predictions(const Context& context, const std::vector<TokenPrediction>& top);
void write_json(JsonWriter& json, const std::vector<TokenPrediction>& top);

// The tokens that predictions belong to: of an encoder-decoder model, those that its decoder reads.
std::vector<std::string> predicted_tokens(const TextModel& model, const TextRun& run);

// --position: "3", "3,5" or "all", by position or token; nothing: where the model predicts by itself.
std::vector<Index> positions_of(const std::optional<std::string>& list, const TextModel& model,
                                const TextRun& run);

}  // namespace fovea::command
