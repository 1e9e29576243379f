// The page with one capture inside: one file that needs no server.
#pragma once

#include <string>
#include <vector>

#include "capture_store.h"
#include "fovea/live.h"
#include "page.h"

namespace fovea::explorer {

inline constexpr Index kHalfTokens = 128;       // up to here weights are stored as float16 ..
inline constexpr Index kStoredTokens = 512;     // .. and up to here as 8 bits; beyond they are left out
inline constexpr Index kStoredStepTokens = 64;  // rows and keys of the steps

struct StepsChoice {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0, head = 0;
};

struct PageFile {
  std::string html;
  std::string weights;  // how they are stored: "F16", "U8", or "" if they were left out
  double loss = 0;      // the largest error of a stored weight, measured
};

// The page with these bytes, base64, in their place. Throws Error if it has none.
std::string with_data(const std::string& html, const std::string& data);

// The tutorials' examples, and the lessons with our own models (lessons_page.cc).
PageFile page_file(const Page& page, const ModelFinder& lesson_models);
// Throws Error for heads that are not there, for steps of a run without its model, and for a page without a
// place for the data.
PageFile page_file(const Page& page, const StoredCapture& stored, const std::vector<StepsChoice>& steps);

}  // namespace fovea::explorer
