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

// <pad> is 0, <unk> is 1, then the words by falling frequency, those as frequent as each other in the order
// of their first appearance.
class FOVEA_API Vocabulary {
 public:
  static constexpr Index kPad = 0, kUnknown = 1;

  // Words rarer than `min_count` are left out; of the others at most `max_size` are kept, <pad> and <unk>
  // included (0: all).
  explicit Vocabulary(const std::vector<std::string>& texts, Index max_size = 0, Index min_count = 1);

  Index size() const { return static_cast<Index>(words_.size()); }
  Index id(std::string_view word) const;    // kUnknown if it is not there
  const std::string& word(Index id) const;  // throws Error if there is no such id
  Index count(Index id) const;              // how often it was seen; 0 for <pad> and <unk>

  // The ids of the words; with a length, cut or padded to it.
  std::vector<Index> encode(std::string_view text) const;
  std::vector<Index> encode(std::string_view text, Index length) const;

 private:
  std::vector<std::string> words_;
  std::vector<Index> counts_;
  std::unordered_map<std::string, Index> ids_;
};

}  // namespace fovea
