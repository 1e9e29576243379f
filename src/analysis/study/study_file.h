// A study, or a part of one, as a file.
#pragma once

#include <string>

#include "analysis/study/study_state.h"

namespace fovea {
inline namespace internal {

// How far a study had come in its corpus. A finished one says nothing of it.
struct StudyPosition {
  Index texts = 0;         // of the corpus, read
  std::uint64_t hash = 0;  // of all of them, in order
};

void save_state(const std::string& path, const StudyState& state, const StudyPosition* position);
std::unique_ptr<StudyState> load_state(const std::string& path, StudyPosition* position);

}  // namespace internal
}  // namespace fovea
