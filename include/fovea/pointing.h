// Does a head look from one token at a certain other one, more than at a third? Measured over many texts.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/run.h"
#include "fovea/text_model.h"

namespace fovea {

// Positions of tokens, as the model reads the text: of a pronoun, of the name it stands for, and of another
// name.
struct FOVEA_API PointingCase {
  std::string text;
  Index query = 0;
  Index right = 0;
  Index other = 0;
};

// One head over all cases; weights are those of the query's row.
struct FOVEA_API PointingScore {
  Index cases = 0;
  Index right = 0;          // the right key has more weight than the other one
  Index largest = 0;        // it has more weight than every other key
  double right_weight = 0;  // means over the cases
  double other_weight = 0;
  double even_weight = 0;  // what every key would have if all had the same
  double lean = 0;         // the heavier one's part of what both get: 0.5 undecided, 1 decided

  double right_share() const {
    return cases == 0 ? 0 : static_cast<double>(right) / static_cast<double>(cases);
  }
  double largest_share() const {
    return cases == 0 ? 0 : static_cast<double>(largest) / static_cast<double>(cases);
  }
};

struct FOVEA_API PointingReport {
  Index cases = 0;
  std::vector<std::vector<PointingScore>> heads;  // [layer][head] of the encoder, or of the decoder
  // What the model's output says at the query, where it has one: how often its likeliest token is that of
  // the right key, and the mean probabilities of the two tokens.
  Index named = 0;
  double right_probability = 0, other_probability = 0;

  const PointingScore& at(const HeadChoice& head) const;  // throws Error if it is not there
};

// Throws Error without cases, for positions that a text does not have, and for a query's own position as a
// key.
FOVEA_API PointingReport measure_pointing(const TextModel& model, const std::vector<PointingCase>& cases,
                                          const std::stop_token& stop = {});

// The head with the largest share of right cases; of equal ones that with more weight on the right key.
FOVEA_API HeadChoice best_pointing_head(const PointingReport& report);

}  // namespace fovea
