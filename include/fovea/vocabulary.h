// A vocabulary of words separated by white space.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

// The words of a text in lower case, split at white space.
FOVEA_API std::vector<std::string> split_words(std::string_view text);

class FOVEA_API Vocabulary;

// Counts words, text after text: a corpus need not be in memory.
class FOVEA_API WordCounter {
 public:
  // The words of the text, numbered in the order of their first appearance; the first `most` of them
  // (negative: all). All are counted.
  std::vector<Index> add(std::string_view text, Index most = -1);

  Index words() const { return total_; }  // read so far
  Index distinct() const { return static_cast<Index>(words_.size()); }

 private:
  friend class Vocabulary;
  std::vector<std::string> words_;
  std::vector<Index> counts_;
  std::unordered_map<std::string, Index> numbers_;
  Index total_ = 0;
};

// <pad> is 0, <unk> is 1, then the words by falling frequency, those as frequent as each other in the order
// of their first appearance.
class FOVEA_API Vocabulary {
 public:
  static constexpr Index kPad = 0, kUnknown = 1;

  // Words rarer than `min_count` are left out; of the others at most `max_size` are kept, <pad> and <unk>
  // included (0: all).
  explicit Vocabulary(const std::vector<std::string>& texts, Index max_size = 0, Index min_count = 1);
  static Vocabulary of(const WordCounter& counter, Index max_size = 0, Index min_count = 1);

  Index size() const { return static_cast<Index>(words_.size()); }
  Index id(std::string_view word) const;    // kUnknown if it is not there
  const std::string& word(Index id) const;  // throws Error if there is no such id
  Index count(Index id) const;              // how often it was seen; 0 for <pad> and <unk>

  // The id of each word of the counter, by its number there.
  std::vector<Index> ids_of(const WordCounter& counter) const;

  // The ids of the words; with a length, cut or padded to it.
  std::vector<Index> encode(std::string_view text) const;
  std::vector<Index> encode(std::string_view text, Index length) const;

 private:
  void fill(const WordCounter& counter, Index max_size, Index min_count);

  std::vector<std::string> words_;
  std::vector<Index> counts_;
  std::unordered_map<std::string, Index> ids_;
};

}  // namespace fovea
