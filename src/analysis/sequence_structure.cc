#include "analysis/sequence_structure.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/token_kinds.h"
#include "core/at.h"
#include "core/fail.h"

namespace fovea {
namespace {

using Names = std::vector<std::string>;

void check_count(const char* what, std::size_t got, Index expected, const char* per) {
  if (got == 0 || static_cast<Index>(got) == expected) return;
  fail("[measures] got {} {}, expected {}, one per {}", got, what, expected, per);
}

// Are the queries the last of the keys, as far as the names tell?
bool is_self_attention(const Names& queries, const Names& keys) {
  if (queries.empty() || keys.empty()) return true;
  return queries.size() <= keys.size() && std::equal(queries.rbegin(), queries.rend(), keys.rbegin());
}

void group_same_tokens(const Names& queries, const Names& keys, SequenceStructure& structure) {
  std::unordered_map<std::string, Index> groups;
  const auto group_of = [&](const std::string& token) {
    const auto [place, is_new] = groups.emplace(token, static_cast<Index>(structure.groups.size()));
    if (is_new) structure.groups.emplace_back();
    return place->second;
  };
  for (std::size_t j = 0; j < keys.size(); ++j)
    structure.groups[at(group_of(keys[j]))].push_back(static_cast<Index>(j));
  for (const std::string& token : queries) structure.group_of_query.push_back(group_of(token));
}

std::vector<Index> blocks_at_special_tokens(const Names& keys) {
  std::vector<Index> blocks;
  Index block = 0;
  for (std::size_t j = 0; j < keys.size(); ++j) {
    if (j > 0 && (ends_block(keys[j - 1]) || begins_block(keys[j]))) ++block;
    blocks.push_back(block);
  }
  return blocks;
}

std::vector<Index> blocks_of(const MeasureOptions& options, const Names& keys, Index m) {
  std::vector<Index> blocks = options.segments;
  if (blocks.empty() && options.block_size > 0) {
    for (Index j = 0; j < m; ++j) blocks.push_back(j / options.block_size);
  } else if (blocks.empty()) {
    blocks = blocks_at_special_tokens(keys);
  }
  const bool several =
      std::adjacent_find(blocks.begin(), blocks.end(), std::not_equal_to<>()) != blocks.end();
  return several ? blocks : std::vector<Index>{};
}

// The shortest period of keys[begin, end) that fits at least twice; 0 if there is none, or the tokens are
// all the same. O(end − begin): the failure function of Knuth, Morris and Pratt.
Index shortest_period(const Names& keys, Index begin, Index end) {
  std::vector<Index> border(at(end - begin), 0);  // the longest proper prefix that is a suffix as well
  for (Index j = 1; j < end - begin; ++j) {
    Index length = border[at(j - 1)];
    while (length > 0 && keys[at(begin + j)] != keys[at(begin + length)]) length = border[at(length - 1)];
    border[at(j)] = keys[at(begin + j)] == keys[at(begin + length)] ? length + 1 : 0;
  }
  const Index period = border.empty() ? 0 : end - begin - border.back();
  return period > 1 && 2 * period <= end - begin ? period : 0;
}

}  // namespace

SequenceStructure sequence_structure(const MeasureOptions& options, Index n, Index m) {
  check_count("tokens", options.tokens.size(), n, "query");
  check_count("key tokens", options.key_tokens.size(), m, "key");
  check_count("segments", options.segments.size(), m, "key");
  if (options.block_size < 0) fail("[measures] block_size is {}, expected ≥ 0", options.block_size);
  if (options.period < 0 || options.period == 1) {
    fail("[measures] period is {}, expected ≥ 2, or 0 to find it in the tokens", options.period);
  }
  const Names& keys = options.key_tokens.empty() && n == m ? options.tokens : options.key_tokens;
  SequenceStructure structure;
  structure.has_key_tokens = !keys.empty();
  for (std::size_t j = 0; j < keys.size(); ++j) {
    if (is_special_token(keys[j])) structure.special.push_back(static_cast<Index>(j));
    if (is_punctuation_token(keys[j])) structure.punctuation.push_back(static_cast<Index>(j));
  }
  structure.self = is_self_attention(options.tokens, keys);
  if (!keys.empty()) group_same_tokens(options.tokens, keys, structure);
  structure.block_of_key = blocks_of(options, keys, m);

  const auto special = [](const std::string& token) { return is_special_token(token); };
  const auto first = std::find_if_not(keys.begin(), keys.end(), special);
  const auto last = std::find_if_not(keys.rbegin(), std::make_reverse_iterator(first), special).base();
  structure.repeats_from = keys.empty() ? 0 : first - keys.begin();
  structure.repeats_until = keys.empty() ? m : last - keys.begin();
  structure.period = options.period;
  if (options.period == 0 && structure.self && !keys.empty())
    structure.period = shortest_period(keys, structure.repeats_from, structure.repeats_until);
  return structure;
}

}  // namespace fovea
