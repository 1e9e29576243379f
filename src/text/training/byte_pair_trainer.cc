#include "text/training/byte_pair_trainer.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "text/models/byte_alphabet.h"

namespace fovea {
namespace {

using Pair = std::uint64_t;  // left in the upper half: smaller ids compare smaller

Pair pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<Pair>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}
std::int32_t left_of(Pair pair) { return static_cast<std::int32_t>(pair >> 32); }
std::int32_t right_of(Pair pair) { return static_cast<std::int32_t>(pair & 0xFFFFFFFFu); }

struct Word {
  std::vector<std::int32_t> ids;
  Index count = 0;
};

struct Candidate {
  Index count = 0;
  Pair pair = 0;
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class PairCounter {
 public:
  explicit PairCounter(std::vector<Word> words) : words_(std::move(words)) {
    for (std::size_t w = 0; w < words_.size(); ++w) add_pairs(w, words_[w].count);
    for (const auto& [pair, count] : counts_) queue_.push({count, pair});
  }

  // The most frequent pair; its count is 0 if there is none left.
  Candidate best() {
    while (!queue_.empty()) {
      Candidate top = queue_.top();
      queue_.pop();
      const Index count = counts_[top.pair];
      if (count == top.count) return top;
      if (count > 0) queue_.push({count, top.pair});  // it was told before some of them went
    }
    return {};
  }

  void merge(Pair pair, std::int32_t result) {
    const std::unordered_set<std::size_t> places = std::move(places_[pair]);
    places_.erase(pair);
    for (const std::size_t w : places) {
      add_pairs(w, -words_[w].count);
      join(words_[w].ids, left_of(pair), right_of(pair), result);
      add_pairs(w, words_[w].count);
    }
    for (const Pair changed : grown_) {
      if (const Index count = counts_[changed]; count > 0) queue_.push({count, changed});
    }
    grown_.clear();
  }

 private:
  static void join(std::vector<std::int32_t>& ids, std::int32_t left, std::int32_t right,
                   std::int32_t result) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool here = ids[i] == left && i + 1 < ids.size() && ids[i + 1] == right;
      ids[kept++] = here ? result : ids[i];
      if (here) ++i;
    }
    ids.resize(kept);
  }

  void add_pairs(std::size_t w, Index count) {
    const std::vector<std::int32_t>& ids = words_[w].ids;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const Pair pair = pair_of(ids[i], ids[i + 1]);
      counts_[pair] += count;
      if (count <= 0) continue;
      // A word stays in the list of a pair that it has lost: there is then nothing to join.
      places_[pair].insert(w);
      grown_.insert(pair);
    }
  }

  std::vector<Word> words_;
  std::unordered_map<Pair, Index> counts_;
  std::unordered_map<Pair, std::unordered_set<std::size_t>> places_;  // words that have the pair
  std::unordered_set<Pair> grown_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

BytePairs train_byte_pairs(const std::map<std::string, Index>& words, std::vector<std::string> tokens,
                           std::size_t first_byte, Index vocabulary, Index min_count) {
  std::unordered_map<std::string, std::int32_t> ids;
  for (std::size_t id = 0; id < tokens.size(); ++id) ids.emplace(tokens[id], static_cast<std::int32_t>(id));
  std::vector<std::int32_t> id_of_byte(256);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::string byte = *characters_as_bytes(tokens[first_byte + i]);
    id_of_byte[static_cast<unsigned char>(byte[0])] = static_cast<std::int32_t>(first_byte + i);
  }
  std::vector<Word> spelled;
  for (const auto& [word, count] : words) {
    spelled.push_back({{}, count});
    for (const char byte : word) spelled.back().ids.push_back(id_of_byte[static_cast<unsigned char>(byte)]);
  }
  PairCounter counter(std::move(spelled));
  BytePairs result = {std::move(tokens), {}};
  while (static_cast<Index>(result.tokens.size()) < vocabulary) {
    const Candidate best = counter.best();
    if (best.count < std::max<Index>(1, min_count)) break;
    const std::int32_t left = left_of(best.pair), right = right_of(best.pair);
    const std::string token =
        result.tokens[static_cast<std::size_t>(left)] + result.tokens[static_cast<std::size_t>(right)];
    // Two ways may lead to one token.
    const auto [place, is_new] = ids.emplace(token, static_cast<std::int32_t>(result.tokens.size()));
    if (is_new) result.tokens.push_back(token);
    result.merges.push_back({left, right, place->second});
    counter.merge(best.pair, place->second);
  }
  return result;
}

}  // namespace fovea
