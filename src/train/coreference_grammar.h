// The grammar behind the coreference task: words by class, and the shapes of sentences.
#pragma once

#include "fovea/coreference.h"
#include "fovea/random.h"

namespace fovea {

// Who stands in a sentence: A and B by their names' ids, and whether the pronoun is A.
struct CoreferenceRoles {
  Index a = 0, b = 0;
  bool is_a = false;
};

// Names are numbered men first.
inline bool is_woman(Index name) { return name >= kCoreferenceNames / 2; }

// A sentence with these people; everything else is drawn.
CoreferenceSentence draw_sentence(const CoreferenceRoles& roles, Random& random);

// The text of ids, without spaces.
std::string coreference_text(const std::vector<Index>& ids);

}  // namespace fovea
