#include <algorithm>
#include <set>

#include "core/dropout.h"
#include "core/fail.h"
#include "fovea/coreference.h"
#include "train/coreference_grammar.h"
#include "train/task_batches.h"

namespace fovea {
namespace {

constexpr Index kMostSentences = 100'000;

// The pair decides, whoever comes first: a model that knows a pair by heart gains nothing.
CoreferencePart part_of(Index a, Index b) {
  const Index low = std::min(a, b), high = std::max(a, b);
  if (low == 0 && high == kCoreferenceNames / 2) return CoreferencePart::test;  // 小明, 小红
  const std::uint64_t drawn = mix_bits(static_cast<std::uint64_t>(low * kCoreferenceNames + high) + 1) % 10;
  return drawn == 0   ? CoreferencePart::development
         : drawn == 1 ? CoreferencePart::test
                      : CoreferencePart::training;
}

CoreferenceRoles draw_roles(CoreferencePart part, CoreferencePeople people, Random& random) {
  const bool same =
      people == CoreferencePeople::same || (people == CoreferencePeople::mixed && random.below(5) == 0);
  for (;;) {
    const Index a = random.below(kCoreferenceNames), b = random.below(kCoreferenceNames);
    if (a == b || (is_woman(a) == is_woman(b)) != same || part_of(a, b) != part) continue;
    return {a, b, random.below(2) == 0};
  }
}

class CoreferenceData final : public TrainingData {
 public:
  explicit CoreferenceData(const CoreferenceTask& task) : task_(task) {}

  TrainingBatch batch(std::uint64_t seed, Index number) const override {
    Random random = generator_of(seed, number);
    std::vector<CoreferenceSentence> sentences;
    std::size_t longest = 0;
    for (Index b = 0; b < task_.batch; ++b) {
      sentences.push_back(draw_sentence(draw_roles(task_.part, task_.people, random), random));
      longest = std::max(longest, sentences.back().ids.size());
    }
    const auto tokens = static_cast<Index>(longest);
    TrainingBatch batch = empty_batch(task_.batch, tokens);
    batch.real = Flags::filled({task_.batch, tokens}, 0);
    for (Index b = 0; b < task_.batch; ++b) {
      const CoreferenceSentence& sentence = sentences[static_cast<std::size_t>(b)];
      const auto size = static_cast<Index>(sentence.ids.size());
      for (Index n = 0; n < tokens; ++n) {
        batch.ids(b, n) = n < size ? sentence.ids[static_cast<std::size_t>(n)] : coreference_pad();
        batch.real(b, n) = n < size;
      }
      batch.targets(b, sentence.pronoun) = sentence.ids[static_cast<std::size_t>(sentence.right)];
    }
    return batch;
  }

 private:
  CoreferenceTask task_;
};

}  // namespace

Index coreference_pad() { return static_cast<Index>(coreference_words().size()) + 1; }
Index coreference_vocabulary() { return coreference_pad() + 1; }

std::vector<CoreferenceSentence> coreference_sentences(CoreferencePart part, CoreferencePeople people,
                                                       Index count, std::uint64_t seed) {
  if (count < 0 || count > kMostSentences) {
    fail("[coreference_sentences] got {} sentences, expected 0 to {}", count, kMostSentences);
  }
  Random random = generator_of(seed, 0);
  std::vector<CoreferenceSentence> sentences;
  std::set<std::vector<Index>> seen;
  while (static_cast<Index>(sentences.size()) < count) {
    CoreferenceSentence sentence = draw_sentence(draw_roles(part, people, random), random);
    if (seen.insert(sentence.ids).second) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

CoreferenceSentence with_names_swapped(const CoreferenceSentence& sentence) {
  const auto size = static_cast<Index>(sentence.ids.size());
  for (const Index place : {sentence.pronoun, sentence.right, sentence.other}) {
    if (place < 0 || place >= size)
      fail("[with_names_swapped] got position {} of {} tokens, expected less", place, size);
  }
  const auto words = static_cast<Index>(coreference_words().size());
  for (const Index id : sentence.ids) {
    if (id < 0 || id >= words) fail("[with_names_swapped] got the id {}, expected 0 to {}", id, words - 1);
  }
  CoreferenceSentence swapped = sentence;
  std::swap(swapped.ids[static_cast<std::size_t>(sentence.right)],
            swapped.ids[static_cast<std::size_t>(sentence.other)]);
  std::swap(swapped.right, swapped.other);
  swapped.text = coreference_text(swapped.ids);
  return swapped;
}

std::shared_ptr<const TrainingData> training_data(const CoreferenceTask& task) {
  if (task.batch < 1 || task.batch > 1'000'000) {
    fail("[train] coreference: batches of {}, expected at least one sentence", task.batch);
  }
  return std::make_shared<CoreferenceData>(task);
}

}  // namespace fovea
