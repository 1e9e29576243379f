#include "fovea/vocabulary.h"

#include <algorithm>

#include "core/fail.h"
#include "core/utf8.h"
#include "text/unicode/aligned_text.h"
#include "text/unicode/unicode.h"
#include "text/unicode/valid_text.h"

namespace fovea {

std::vector<std::string> split_words(std::string_view text) {
  const ValidText valid(text);
  AlignedCharacters characters = AlignedText(valid.text(), 0).characters();
  make_lower_case(characters);
  std::vector<std::string> words;
  bool inside = false;
  for (const AlignedCharacter& each : characters) {
    const bool space = is_white_space(each.value);
    if (!space && !inside) words.emplace_back();
    if (!space) words.back() += encode_utf8(each.value);
    inside = !space;
  }
  return words;
}

std::vector<Index> WordCounter::add(std::string_view text, Index most) {
  std::vector<Index> numbers;
  for (std::string& word : split_words(text)) {
    const auto [place, is_new] = numbers_.try_emplace(word, distinct());
    if (is_new) {
      words_.push_back(std::move(word));
      counts_.push_back(0);
    }
    ++counts_[static_cast<std::size_t>(place->second)];
    ++total_;
    if (most < 0 || static_cast<Index>(numbers.size()) < most) numbers.push_back(place->second);
  }
  return numbers;
}

Vocabulary::Vocabulary(const std::vector<std::string>& texts, Index max_size, Index min_count) {
  WordCounter counter;
  for (const std::string& text : texts) counter.add(text, 0);
  fill(counter, max_size, min_count);
}

Vocabulary Vocabulary::of(const WordCounter& counter, Index max_size, Index min_count) {
  Vocabulary vocabulary(std::vector<std::string>{});
  vocabulary.fill(counter, max_size, min_count);
  return vocabulary;
}

void Vocabulary::fill(const WordCounter& counter, Index max_size, Index min_count) {
  if (max_size < 0 || min_count < 0) {
    fail("[vocabulary] the sizes {} and {} must not be negative", max_size, min_count);
  }
  const std::vector<Index>& counts = counter.counts_;
  std::vector<std::size_t> order(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  const auto put = [&](const std::string& word, Index count) {
    ids_.emplace(word, size());
    words_.push_back(word);
    counts_.push_back(count);
  };
  words_.clear(), counts_.clear(), ids_.clear();
  put("<pad>", 0);
  put("<unk>", 0);
  for (const std::size_t i : order) {
    if (counts[i] < min_count || (max_size > 0 && size() >= max_size)) break;
    if (ids_.count(counter.words_[i]) == 0) put(counter.words_[i], counts[i]);
  }
}

std::vector<Index> Vocabulary::ids_of(const WordCounter& counter) const {
  std::vector<Index> ids;
  ids.reserve(counter.words_.size());
  for (const std::string& word : counter.words_) ids.push_back(id(word));
  return ids;
}

Index Vocabulary::id(std::string_view word) const {
  const auto found = ids_.find(std::string(word));
  return found == ids_.end() ? kUnknown : found->second;
}

const std::string& Vocabulary::word(Index id) const {
  if (id < 0 || id >= size()) fail("[vocabulary] no word has the id {}, of {}", id, size());
  return words_[static_cast<std::size_t>(id)];
}

Index Vocabulary::count(Index id) const {
  word(id);  // checks
  return counts_[static_cast<std::size_t>(id)];
}

std::vector<Index> Vocabulary::encode(std::string_view text) const {
  std::vector<Index> ids;
  for (const std::string& word : split_words(text)) ids.push_back(id(word));
  return ids;
}

std::vector<Index> Vocabulary::encode(std::string_view text, Index length) const {
  if (length < 0) fail("[vocabulary] the length {} must not be negative", length);
  std::vector<Index> ids = encode(text);
  ids.resize(static_cast<std::size_t>(length), kPad);
  return ids;
}

}  // namespace fovea
