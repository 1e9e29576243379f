#include "fovea/coreference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fovea/tokenizer.h"
#include "fovea/tokenizer_training.h"
#include "support/message_of.h"
#include "train/coreference_grammar.h"

namespace fovea {
namespace {

using Split = CoreferencePart;
using People = CoreferencePeople;

Index at(const CoreferenceSentence& sentence, Index place) {
  return sentence.ids[static_cast<std::size_t>(place)];
}
const std::string& word(Index id) { return coreference_words()[static_cast<std::size_t>(id)]; }
std::set<Index> pair_of(const CoreferenceSentence& s) { return {at(s, s.right), at(s, s.other)}; }

TEST(Coreference, the_vocabulary_has_forty_names_first_and_no_word_twice) {
  const auto& words = coreference_words();
  EXPECT_EQ(words.front(), "小明");
  EXPECT_EQ(words[kCoreferenceNames / 2], "小红");
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
  EXPECT_EQ(words[kCoreferenceNames], "他");
  EXPECT_EQ(coreference_vocabulary(), static_cast<Index>(words.size()) + 2);
}

TEST(Coreference, the_pronoun_has_the_gender_of_the_right_name) {
  for (const People people : {People::different, People::same}) {
    for (const CoreferenceSentence& s : coreference_sentences(Split::training, people, 2000, 1)) {
      ASSERT_LE(static_cast<Index>(s.ids.size()), kCoreferenceTokens);
      ASSERT_LT(at(s, s.right), kCoreferenceNames);
      ASSERT_LT(at(s, s.other), kCoreferenceNames);
      EXPECT_EQ(word(at(s, s.pronoun)), is_woman(at(s, s.right)) ? "她" : "他") << s.text;
      EXPECT_EQ(is_woman(at(s, s.right)) == is_woman(at(s, s.other)), people == People::same) << s.text;
      const auto names =
          std::count_if(s.ids.begin(), s.ids.end(), [](Index id) { return id < kCoreferenceNames; });
      EXPECT_EQ(names, 2) << s.text;
    }
  }
}

// Of everything that can be seen but the gender, each half must say "first" and "second" equally often.
TEST(Coreference, neither_order_nor_place_nor_frame_tells_who_is_meant) {
  const auto sentences = coreference_sentences(Split::training, People::different, 20'000, 2);
  std::map<std::string, std::pair<Index, Index>> first_of;  // clue: (right name comes first, all)
  const auto count = [&](const std::string& clue, bool first) {
    first_of[clue].first += first;
    ++first_of[clue].second;
  };
  for (const CoreferenceSentence& s : sentences) {
    const bool first = s.right < s.other;
    const Index low = std::min(s.right, s.other), high = std::max(s.right, s.other);
    count("all", first);
    count(s.pronoun < low ? "before" : "behind", first);
    count("distance " + std::to_string(high - low), first);
    count("from the pronoun " + std::to_string(s.pronoun - high), first);
    count("the first is " + word(at(s, low)), first);
    count(word(at(s, s.pronoun)), first);
    for (const Index id : s.ids) {
      if (id >= kCoreferenceNames) count("has " + word(id), first);
    }
  }
  EXPECT_GT(first_of.size(), 150u);
  for (const auto& [clue, counts] : first_of) {
    const double all = static_cast<double>(counts.second);
    EXPECT_NEAR(static_cast<double>(counts.first) / all, 0.5, 4.5 * 0.5 / std::sqrt(all)) << clue;
  }
}

TEST(Coreference, the_parts_share_no_pair_of_people) {
  std::map<Split, std::set<std::set<Index>>> pairs;
  for (const Split part : {Split::training, Split::development, Split::test}) {
    for (const auto& s : coreference_sentences(part, People::mixed, 20'000, 3))
      pairs[part].insert(pair_of(s));
  }
  std::size_t all = 0;
  for (const auto& [part, list] : pairs) all += list.size();
  EXPECT_EQ(all, 40u * 39 / 2);  // drawn so often that all of them came, each in one part only
  EXPECT_GT(pairs[Split::development].size(), 60u);
  EXPECT_GT(pairs[Split::test].size(), 60u);
  EXPECT_EQ(pairs[Split::test].count({0, kCoreferenceNames / 2}), 1u);  // 小明, 小红
}

TEST(Coreference, sentences_are_different_and_the_same_for_the_same_seed) {
  const auto some = coreference_sentences(Split::test, People::different, 3000, 4);
  std::set<std::string> texts;
  for (const auto& s : some) texts.insert(s.text);
  EXPECT_EQ(texts.size(), 3000u);
  EXPECT_EQ(coreference_sentences(Split::test, People::different, 3000, 4).back().text, some.back().text);
  EXPECT_NE(coreference_sentences(Split::test, People::different, 3000, 5).back().text, some.back().text);
}

// The saved tokenizer must find the words again, though nothing stands between them.
TEST(Coreference, the_tokenizer_reads_every_sentence_as_it_was_made) {
  const Tokenizer tokenizer = Tokenizer::from_json(segmenting_tokenizer(coreference_words()));
  EXPECT_EQ(tokenizer.size(), coreference_vocabulary());
  EXPECT_EQ(tokenizer.pad_id(), coreference_pad());
  for (const Split part : {Split::training, Split::test}) {
    for (const auto& s : coreference_sentences(part, People::mixed, 5000, 6)) {
      ASSERT_EQ(tokenizer.encode(s.text).ids, s.ids) << s.text;
      ASSERT_EQ(tokenizer.decode(s.ids), s.text);
    }
  }
}

TEST(Coreference, swapped_names_take_each_others_place) {
  for (const auto& s : coreference_sentences(Split::test, People::different, 50, 7)) {
    const CoreferenceSentence swapped = with_names_swapped(s);
    EXPECT_EQ(at(swapped, swapped.right), at(s, s.right));
    EXPECT_EQ(swapped.right, s.other);
    EXPECT_EQ(swapped.other, s.right);
    EXPECT_NE(swapped.text, s.text);
    EXPECT_EQ(with_names_swapped(swapped).text, s.text);
  }
}

TEST(CoreferenceData, the_target_is_the_name_at_the_pronoun) {
  const auto data = training_data(CoreferenceTask{.batch = 300});
  const TrainingBatch batch = data->batch(1, 0);
  const Index tokens = batch.ids.shape()[1];
  EXPECT_EQ(batch.ids, data->batch(1, 0).ids);
  EXPECT_NE(batch.ids, data->batch(1, 1).ids);
  Index same = 0;
  for (Index b = 0; b < 300; ++b) {
    Index targets = 0, names = 0, women = 0;
    bool ended = false, is_named = false;
    for (Index n = 0; n < tokens; ++n) {
      const Index id = batch.ids(b, n), target = batch.targets(b, n);
      ended = ended || id == coreference_pad();
      EXPECT_EQ(batch.real(b, n), ended ? 0 : 1);
      if (id < kCoreferenceNames) ++names, women += is_woman(id);
      if (target == kIgnored) continue;
      ++targets;
      EXPECT_EQ(word(id), is_woman(target) ? "她" : "他");
      for (Index m = 0; m < tokens; ++m) is_named = is_named || batch.ids(b, m) == target;
    }
    EXPECT_EQ(targets, 1);
    EXPECT_EQ(names, 2);
    EXPECT_TRUE(is_named);
    same += women != 1;
  }
  EXPECT_NEAR(static_cast<double>(same), 60, 35);
}

TEST(Coreference, what_makes_no_sense_is_an_error) {
  EXPECT_EQ(testing::message_of([] { coreference_sentences(Split::test, People::same, -1, 1); }),
            "[coreference_sentences] got -1 sentences, expected 0 to 100000");
  EXPECT_THROW(training_data(CoreferenceTask{.batch = 0}), Error);
  EXPECT_THROW(with_names_swapped(CoreferenceSentence{}), Error);
  CoreferenceSentence strange = {{0, 1, 9999}, "", 2, 0, 1};
  EXPECT_THROW(with_names_swapped(strange), Error);
}

}  // namespace
}  // namespace fovea
