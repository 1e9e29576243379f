// Who is 她? Sentences with two people and a pronoun, from a small grammar of Chinese: only the gender
// tells who is meant. docs/finds.md describes the grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"
#include "fovea/train.h"

namespace fovea {

// Which pairs of people: eight of ten are learned from, one of ten each is kept for choosing a head and for
// the final test. 小明 and 小红 are a pair of the test.
enum class CoreferencePart { training, development, test };

enum class CoreferencePeople {
  different,  // a man and a woman: the pronoun tells who
  same,       // two men or two women: nothing tells who
  mixed,      // one sentence of five with two of the same gender
};

// "小明把苹果给了小红，她很开心。"
struct FOVEA_API CoreferenceSentence {
  std::vector<Index> ids;  // of coreference_words()
  std::string text;
  Index pronoun = 0;  // the positions of its token,
  Index right = 0;    // of the name that it stands for,
  Index other = 0;    // and of the other name
};

// The vocabulary by id; the 40 names come first.
FOVEA_API const std::vector<std::string>& coreference_words();
inline constexpr Index kCoreferenceNames = 40;
// No sentence has more tokens.
inline constexpr Index kCoreferenceTokens = 32;

// Sentences of a part, drawn one after the other; no two are equal. Throws Error for a number below 0 or
// above 100,000.
FOVEA_API std::vector<CoreferenceSentence> coreference_sentences(CoreferencePart part,
                                                                 CoreferencePeople people, Index count,
                                                                 std::uint64_t seed);

// The same sentence with the two names in each other's place: of two people of different gender the pronoun
// now stands for the other place.
FOVEA_API CoreferenceSentence with_names_swapped(const CoreferenceSentence& sentence);

// The input shows 他 or 她, the target at its position is the name; everywhere else there is none. Shorter
// sentences are filled up with the pad's id.
struct FOVEA_API CoreferenceTask {
  Index batch = 64;
  CoreferencePart part = CoreferencePart::training;
  CoreferencePeople people = CoreferencePeople::mixed;
};
// Ids behind the words, as segmenting_tokenizer numbers them: <unk>, <pad>.
FOVEA_API Index coreference_pad();
FOVEA_API Index coreference_vocabulary();  // all of them

FOVEA_API std::shared_ptr<const TrainingData> training_data(const CoreferenceTask& task);

}  // namespace fovea
