// Single parts of a tokenizer against small direct computations.
#include <gtest/gtest.h>

#include <random>

#include "fovea/tokenizer.h"
#include "text/models/byte_alphabet.h"
#include "text/models/byte_pair.h"
#include "text/models/trie.h"
#include "text/models/unigram.h"
#include "text/steps/split_pattern.h"
#include "text/unicode/normal_form.h"
#include "text/unicode/valid_text.h"
#include "tokenizer_testing.h"

namespace fovea {
namespace {

using testing::SmallTokenizer;
using Strings = std::vector<std::string>;

Strings words_of(SplitPattern next, const std::string& text) {
  Strings words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next(text, at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

TEST(SplitPattern, gpt2) {
  EXPECT_EQ(words_of(next_gpt2_word, "It's  a 3rd_x!\n\n end "),
            (Strings{"It", "'s", " ", " a", " 3", "rd", "_", "x", "!", "\n\n", " end", " "}));
  EXPECT_EQ(words_of(next_gpt2_word, "I'M we'll'"), (Strings{"I", "'", "M", " we", "'ll", "'"}));
}

TEST(SplitPattern, llama3) {
  const auto next = find_split_pattern(
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)");
  ASSERT_TRUE(next);
  EXPECT_EQ(words_of(*next, "I'M 12345 (x)\r\n  \n  y   "),
            (Strings{"I", "'M", " ", "123", "45", " (", "x", ")\r\n", "  \n", " ", " y", "   "}));
  EXPECT_FALSE(find_split_pattern(R"(\s+)"));
}

TEST(Trie, finds_what_a_map_finds) {
  std::mt19937 random(1);
  Strings keys;
  for (int i = 0; i < 300; ++i) {
    std::string key;
    for (std::size_t k = random() % 6; k-- > 0;) key += static_cast<char>('a' + random() % 3);
    keys.push_back(key);
  }
  std::vector<Trie::Key> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) entries.push_back({keys[i], static_cast<std::int32_t>(i)});
  const Trie trie(entries);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int k = 0; k < 8; ++k) text += static_cast<char>('a' + random() % 3);
    std::vector<std::pair<std::size_t, std::int32_t>> found, expected;
    trie.for_each_prefix(
        text, [&](std::size_t length, std::int32_t value) { found.emplace_back(length, value); });
    for (std::size_t length = 1; length <= text.size(); ++length) {
      for (std::size_t k = keys.size(); k-- > 0;) {
        if (keys[k] != text.substr(0, length)) continue;
        expected.emplace_back(length, static_cast<std::int32_t>(k));
        break;
      }
    }
    EXPECT_EQ(found, expected) << text;
  }
}

// All merges of a random vocabulary, one by one, as the definition says.
std::vector<TokenId> merged_naively(std::vector<TokenId> ids, const std::vector<MergeRule>& merges) {
  for (;;) {
    std::size_t best_rank = merges.size(), best_place = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      for (std::size_t rank = 0; rank < best_rank; ++rank) {
        if (merges[rank].left != ids[i] || merges[rank].right != ids[i + 1]) continue;
        best_rank = rank;
        best_place = i;
      }
    }
    if (best_rank == merges.size()) return ids;
    ids[best_place] = merges[best_rank].result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best_place) + 1);
  }
}

TEST(BytePair, merges_like_the_definition_whatever_the_length) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    TokenTable tokens;
    Strings names = {"a", "b", "c"};
    for (std::size_t i = 0; i < names.size(); ++i) tokens.add(names[i], static_cast<TokenId>(i));
    std::vector<MergeRule> merges;
    for (int k = 0; k < 30; ++k) {
      const auto left = static_cast<TokenId>(random() % names.size());
      const auto right = static_cast<TokenId>(random() % names.size());
      const std::string name =
          names[static_cast<std::size_t>(left)] + names[static_cast<std::size_t>(right)];
      if (name.size() > 8 || tokens.find(name) != kNoToken) continue;
      merges.push_back({left, right, static_cast<TokenId>(names.size())});
      tokens.add(name, static_cast<TokenId>(names.size()));
      names.push_back(name);
    }
    const auto model = make_byte_pair(tokens, merges, {.byte_level = round % 2 == 0});
    Workspace work;
    for (const std::size_t length : {1u, 2u, 3u, 7u, 20u, 40u, 41u, 90u}) {
      std::string word;
      std::vector<TokenId> letters;
      for (std::size_t i = 0; i < length; ++i) {
        letters.push_back(static_cast<TokenId>(random() % 3));
        word += static_cast<char>('a' + letters.back());
      }
      for (int again = 0; again < 2; ++again) {  // the second time what was learned counts
        std::vector<Token> found;
        model->tokenize(word, work, found);
        std::vector<TokenId> ids;
        std::uint32_t end = 0;
        for (const Token& token : found) {
          ids.push_back(token.id);
          EXPECT_EQ(token.begin, end);
          end = token.end;
        }
        EXPECT_EQ(end, word.size());
        EXPECT_EQ(ids, merged_naively(letters, merges)) << word;
      }
    }
  }
}

// The best sum over all ways to spell a word.
double best_score(std::string_view word, const Strings& names, const std::vector<double>& scores) {
  if (word.empty()) return 0;
  double best = -1e9;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (word.starts_with(names[i]))
      best = std::max(best, scores[i] + best_score(word.substr(names[i].size()), names, scores));
  }
  return best;
}

TEST(Unigram, finds_the_best_sum) {
  std::mt19937 random(3);
  const Strings names = {"a", "b", "ab", "ba", "aab", "bba", "abab"};
  TokenTable tokens;
  std::vector<double> scores;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tokens.add(names[i], static_cast<TokenId>(i));
    scores.push_back(-static_cast<double>(random() % 1000) / 100);
  }
  const auto model = make_unigram(tokens, scores, {});
  Workspace work;
  for (int round = 0; round < 200; ++round) {
    std::string word;
    for (std::size_t k = 1 + random() % 10; k-- > 0;) word += static_cast<char>('a' + random() % 2);
    std::vector<Token> found;
    model->tokenize(word, work, found);
    double sum = 0;
    std::string spelled;
    for (const Token& token : found) {
      sum += scores[static_cast<std::size_t>(token.id)];
      spelled += names[static_cast<std::size_t>(token.id)];
    }
    EXPECT_EQ(spelled, word);
    EXPECT_NEAR(sum, best_score(word, names, scores), 1e-9) << word;
  }
}

TEST(WordPiece, longest_first_and_unknown_words) {
  SmallTokenizer small;
  small.model = R"({"type": "WordPiece", "unk_token": "[UNK]", "max_input_chars_per_word": 5,
    "vocab": {"[UNK]": 0, "un": 1, "una": 2, "##able": 3, "##ble": 4, "##b": 5}})";
  small.pre_tokenizer = R"({"type": "WhitespaceSplit"})";
  const Tokenizer tokenizer = small.make();
  EXPECT_EQ(tokenizer.encode("unab unabl unable un").tokens,
            (Strings{"una", "##b", "[UNK]", "[UNK]", "un"}));
  EXPECT_EQ(tokenizer.encode("éééééé un").tokens, (Strings{"[UNK]", "un"}));
}

TEST(NormalForm, compositions_keep_their_place) {
  const auto applied = [](std::string_view source, NormalForm form) {
    AlignedText text(source, 0);
    apply_normal_form(text, form);
    return text;
  };
  const AlignedText composed = applied("xe\u0301y", {.compose = true});
  EXPECT_EQ(composed.bytes(), "x\u00E9y");
  EXPECT_EQ(composed.origin(3, 4).begin, 4u);
  const AlignedText decomposed = applied("\u1E69z", {});  // ṩ has two marks
  EXPECT_EQ(decomposed.bytes(), "s\u0323\u0307z");
  EXPECT_EQ(decomposed.origin(0, 5).end, 3u);
  EXPECT_EQ(applied("\u1100\u1161\u11A8", {.compose = true}).bytes(), "\uAC01");
  EXPECT_EQ(applied("\uFB01\u00BD", {.compose = true, .compatibility = true}).bytes(), "fi1\u20442");
  EXPECT_EQ(applied("a\u0301\u0323", {.compose = true}).bytes(),
            "\u1EA1\u0301");                                                // the dot below comes first
  EXPECT_EQ(applied("\u0958", {.compose = true}).bytes(), "\u0915\u093C");  // excluded from composition
}

TEST(ByteAlphabet, every_byte_has_a_character) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(characters_as_bytes(bytes_as_characters(all)), all);
  EXPECT_EQ(bytes_as_characters(" \n"), "ĠĊ");
  EXPECT_EQ(characters_as_bytes("中"), std::nullopt);
}

TEST(ByteAlphabet, tokens_in_letters) {
  EXPECT_EQ(token_in_letters("ä½ł"), "你");
  EXPECT_EQ(token_in_letters("ĠçĪ±"), "Ġ爱");
  EXPECT_EQ(token_in_letters("ä½łĊa"), "你Ċa");
  EXPECT_EQ(token_in_letters("ä½"), "ä½") << "ends within a letter";
  for (const char* same : {"", "cat", "Ġcat", "▁cat", "##ing", "é", "你", "</s>", "a b"}) {
    EXPECT_EQ(token_in_letters(same), same);
  }
}

TEST(ValidText, replaces_as_python_does) {
  EXPECT_EQ(repair_utf8("plain é 😀"), "plain é 😀");
  EXPECT_EQ(repair_utf8("\xC0\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(repair_utf8("\xE2\x82"), "\uFFFD");
  EXPECT_EQ(repair_utf8("\xF0\x9F\x98x"), "\uFFFDx");
  EXPECT_EQ(repair_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(repair_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(AddedTokens, kinds) {
  SmallTokenizer small;
  small.model = R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "A": 2, " ": 3}, "merges": []})";
  small.normalizer = R"({"type": "Lowercase"})";
  small.added_tokens = R"([
    {"id": 10, "content": "<m>", "lstrip": true, "rstrip": true, "special": true, "normalized": false},
    {"id": 11, "content": "AB", "normalized": true, "special": false},
    {"id": 12, "content": "<mm>", "special": true, "normalized": false},
    {"id": 13, "content": "<w>", "single_word": true, "special": true, "normalized": false}])";
  const Tokenizer tokenizer = small.make();
  EXPECT_EQ(tokenizer.encode("a <m> b").tokens, (Strings{"a", "<m>", "b"}));
  EXPECT_EQ(tokenizer.encode("a <m> b").bytes[1], (TextSpan{1, 6}));
  EXPECT_EQ(tokenizer.encode("aab").tokens, (Strings{"a", "AB"}));  // found in lower case
  EXPECT_EQ(tokenizer.encode("<mm><m>").tokens, (Strings{"<mm>", "<m>"}));
  EXPECT_EQ(tokenizer.encode("a<w>").tokens,
            (Strings{"a"}));  // not a word of its own; < w > are unknown here
  EXPECT_EQ(tokenizer.encode("<w>").tokens, (Strings{"<w>"}));
  EXPECT_EQ(tokenizer.size(), 8);
  EXPECT_EQ(tokenizer.decode({0, 10, 1}), "a b");
}

// Found by fuzzing: the second id had no name, and its name was read from somewhere in memory.
TEST(AddedTokens, of_one_name_have_one_id) {
  SmallTokenizer small;
  small.model = R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []})";
  small.normalizer = R"({"type": "Lowercase"})";
  small.added_tokens = R"([
    {"id": 10, "content": "ab", "special": true, "normalized": false},
    {"id": 4000, "content": "ab", "special": true, "normalized": true},
    {"id": 5000, "content": "c", "special": false, "normalized": true}])";
  const Tokenizer tokenizer = small.make();
  const Encoding encoding = tokenizer.encode("abABcC");
  EXPECT_EQ(encoding.ids, (std::vector<Index>{10, 10, 2, 2}));  // raw, then in lower case
  EXPECT_EQ(encoding.tokens, (Strings{"ab", "ab", "c", "c"}));
  EXPECT_EQ(tokenizer.size(), 4);
}

}  // namespace
}  // namespace fovea
