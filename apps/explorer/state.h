// What the page asks first: models, captures, limits, colours, definitions; and the tutorials' examples.
#pragma once

#include <string>
#include <vector>

#include "capture_store.h"
#include "study_store.h"

namespace fovea::explorer {

std::string state_json(const std::vector<ModelState>& models,
                       const std::vector<const StoredCapture*>& captures, const Limits& limits,
                       const FilmStore* film = nullptr, const StudyStore* studies = nullptr);

// {"examples": [..]}: the tutorials' accounts, each with its id and title.
std::string examples_json();

}  // namespace fovea::explorer
