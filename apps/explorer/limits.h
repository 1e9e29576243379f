// What the server takes on: enough for a person, and an end for everything.
#pragma once

#include <chrono>
#include <cstddef>

#include "fovea/shape.h"

namespace fovea::explorer {

struct Limits {
  std::size_t text_bytes = 200'000;            // of each text of a capture
  std::size_t body_bytes = 2'500'000;          // two texts, each byte written as \u00xx
  std::size_t all_body_bytes = 10'000'000;     // of all bodies that are held at once
  std::size_t all_answer_bytes = 500'000'000;  // of all answers that clients have not fetched yet
  std::size_t connections = 512;               // at once, each with kConnectionBytes
  Index tokens = 8192;                         // that a model reads at once
  std::size_t captures = 16;                   // kept; the oldest are forgotten
  std::size_t capture_bytes = 3'000'000'000;   // that all of them may take: queries, keys, values
  std::size_t film_bytes = 1'000'000'000;      // that a film may take: queries and keys
  std::size_t film_frames = 64;                // whose answers are kept, over all its texts
  std::size_t waiting_runs = 4;                // beside the one that runs
  std::size_t waiting_changes = 16;            // requests about changed runs, beside the one at work
  std::size_t changed_runs = 12;               // kept beside the captures
  std::size_t changed_bytes = 1'000'000'000;   // that they may take
  // For the line of a request, counted from the answer before, and then for its headers and body.
  std::chrono::milliseconds request_time = std::chrono::seconds(30);
  std::chrono::milliseconds answer_time = std::chrono::minutes(5);  // to fetch an answer
};

inline constexpr std::size_t kConnectionBytes = 32'768;  // for the line and the headers of a request
inline constexpr std::size_t kMostTargetBytes = 8'192;   // of the address that it asks for
inline constexpr std::ptrdiff_t kMostParameters = 64;    // in that

inline constexpr Index kMostCells = 4'194'304;    // weights in one answer
inline constexpr Index kMostStepTokens = 512;     // rows, and keys, of one answer about steps
inline constexpr Index kStepTokens = 128;         // unless asked for more
inline constexpr Index kMostRolloutTokens = 512;  // of a whole rollout
inline constexpr Index kThumbnailCells = 48;
inline constexpr Index kMostThumbnailCells = 256;
inline constexpr Index kMostMaskTokens = 16'384;  // of a mask that is looked at
inline constexpr Index kMostMaskWork = 4 * kMostMaskTokens * kMostMaskTokens;  // pairs × masks joined
inline constexpr Index kMostMaskBits = 1'048'576;                              // whose every bit is told
inline constexpr Index kMostPredictions = 100;                                 // tokens of one position
inline constexpr Index kMostPassedWeights = 33'554'432;  // of all heads, for what they pass on
inline constexpr std::size_t kMostAnswerBytes = 65'536;  // that a learner types, or pastes

}  // namespace fovea::explorer
