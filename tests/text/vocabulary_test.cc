#include "fovea/vocabulary.h"

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;
using Strings = std::vector<std::string>;

TEST(Vocabulary, words_are_lower_case_and_split_at_white_space) {
  EXPECT_EQ(split_words("  The cat,\tTHE\u3000Élan\nend. "),
            (Strings{"the", "cat,", "the", "élan", "end."}));
  EXPECT_EQ(split_words(" \n"), Strings{});
}

TEST(Vocabulary, by_frequency_then_first_appearance) {
  const Vocabulary vocabulary({"b a c a", "C b A d"});
  Strings words;
  for (Index id = 0; id < vocabulary.size(); ++id) words.push_back(vocabulary.word(id));
  EXPECT_EQ(words, (Strings{"<pad>", "<unk>", "a", "b", "c", "d"}));
  EXPECT_EQ(vocabulary.count(2), 3);
  EXPECT_EQ(vocabulary.id("b"), 3);
  EXPECT_EQ(vocabulary.id("zebra"), Vocabulary::kUnknown);
}

TEST(Vocabulary, cut_or_padded_to_a_length) {
  const Vocabulary vocabulary({"a b c"});
  EXPECT_EQ(vocabulary.encode("c X a"), (std::vector<Index>{4, 1, 2}));
  EXPECT_EQ(vocabulary.encode("c X a", 5), (std::vector<Index>{4, 1, 2, 0, 0}));
  EXPECT_EQ(vocabulary.encode("c X a", 2), (std::vector<Index>{4, 1}));
}

TEST(Vocabulary, limits) {
  EXPECT_EQ(Vocabulary({"a a b b c"}, 0, 2).size(), 4);
  EXPECT_EQ(Vocabulary({"a b c d"}, 3).size(), 3);
  EXPECT_EQ(Vocabulary({"<pad> <unk> x"}).size(), 3);
  EXPECT_EQ(Vocabulary({}).size(), 2);
  EXPECT_EQ(message_of([] { Vocabulary({"a"}).word(9); }), "[vocabulary] no word has the id 9, of 3");
  EXPECT_EQ(message_of([] { Vocabulary({"a"}).encode("a", -1); }),
            "[vocabulary] the length -1 must not be negative");
}

}  // namespace
}  // namespace fovea
