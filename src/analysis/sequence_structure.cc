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

// Tokens, and which of them stand for text that the model does not know.
struct Tokens {
  const Names& names;
  std::vector<bool> unknown;

  bool is_special(Index i) const { return !unknown[at(i)] && is_special_token(names[at(i)]); }
};

Tokens tokens_of(const Names& names, const std::vector<Index>& unknown) {
  Tokens tokens{names, std::vector<bool>(names.size())};
  const auto count = static_cast<Index>(names.size());
  for (Index i = 0; i < count; ++i) tokens.unknown[at(i)] = is_unknown_token(names[at(i)]);
  for (const Index i : unknown) {
    if (i < 0 || i >= count)
      fail("[measures] unknown token at index {}, but there are only {} tokens", i, count);
    tokens.unknown[at(i)] = true;
  }
  return tokens;
}

// Returns the group of each key.
std::vector<Index> group_same_tokens(const Tokens& queries, const Tokens& keys,
                                     SequenceStructure& structure) {
  std::unordered_map<std::string, Index> known;
  const auto new_group = [&] {
    structure.groups.emplace_back();
    return static_cast<Index>(structure.groups.size()) - 1;
  };
  const auto group_of = [&](const Tokens& tokens, std::size_t i) {
    if (tokens.unknown[i]) return new_group();
    const auto [place, is_new] = known.emplace(tokens.names[i], 0);
    if (is_new) place->second = new_group();
    return place->second;
  };
  std::vector<Index> group_of_key;
  for (std::size_t j = 0; j < keys.names.size(); ++j) {
    group_of_key.push_back(group_of(keys, j));
    structure.groups[at(group_of_key.back())].push_back(static_cast<Index>(j));
  }
  for (std::size_t i = 0; i < queries.names.size(); ++i)
    structure.group_of_query.push_back(group_of(queries, i));
  return group_of_key;
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
Index shortest_period(const std::vector<Index>& keys, Index begin, Index end) {
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
  const bool same = options.key_tokens.empty() && n == m;
  const Tokens queries = tokens_of(options.tokens, options.unknown);
  const Tokens keys = same ? queries : tokens_of(options.key_tokens, options.unknown_keys);
  SequenceStructure structure;
  structure.repeats_until = m;
  structure.self = !options.cross && is_self_attention(queries.names, keys.names);
  structure.block_of_key = blocks_of(options, keys.names, m);
  structure.period = options.period;
  if (m > 0) structure.resting.push_back(0);
  if (keys.names.empty()) return structure;

  structure.has_key_tokens = true;
  for (Index j = 0; j < m; ++j) {
    if (keys.is_special(j)) structure.special.push_back(j);
    if (j > 0 && keys.is_special(j)) structure.resting.push_back(j);
    if (!keys.unknown[at(j)] && is_punctuation_token(keys.names[at(j)])) structure.punctuation.push_back(j);
  }
  Index &first = structure.repeats_from, &last = structure.repeats_until;
  while (first < m && keys.is_special(first)) ++first;
  while (last > first && keys.is_special(last - 1)) --last;
  const std::vector<Index> group_of_key = group_same_tokens(queries, keys, structure);
  if (options.period == 0 && structure.self) structure.period = shortest_period(group_of_key, first, last);
  return structure;
}

}  // namespace fovea
