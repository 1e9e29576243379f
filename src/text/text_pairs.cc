#include "fovea/text_pairs.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/file.h"
#include "fovea/random.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

constexpr std::size_t kMostTogether = 8;  // pairs of a group that may be held out

std::string_view without_white_space(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\r' || c == '\v' || c == '\f'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Letters and digits alone, in lower case: "It's you!" and "its you" are one.
std::string core_of(const std::string& text) {
  std::string core;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_letter(c) || is_number(c)) core += encode_utf8(lower_case(c));
  }
  return core.empty() ? text : core;
}

// Which pairs hang together by a side they share: a forest in which each points to another of its group.
class PairGroups {
 public:
  explicit PairGroups(const std::vector<TextPair>& pairs) : parents_(pairs.size()) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    std::unordered_map<std::string, std::size_t> sources, targets;  // a pair that has this side
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      join(i, sources.try_emplace(core_of(pairs[i].source), i).first->second);
      join(i, targets.try_emplace(core_of(pairs[i].target), i).first->second);
    }
  }

  // The members of each group, in the order of their first pair.
  std::vector<std::vector<std::size_t>> groups() {
    std::vector<std::vector<std::size_t>> list;
    std::unordered_map<std::size_t, std::size_t> places;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      const auto [place, is_new] = places.try_emplace(root(i), list.size());
      if (is_new) list.emplace_back();
      list[place->second].push_back(i);
    }
    return list;
  }

 private:
  std::size_t root(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }

  std::vector<std::size_t> parents_;
};

}  // namespace

TextPairs parse_text_pairs(std::string_view text) {
  TextPairs result;
  Index number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (without_white_space(line).empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || !is_utf8(line)) {
      result.broken.push_back(number);
      continue;
    }
    const std::string_view rest = line.substr(tab + 1);
    const std::string_view source = without_white_space(line.substr(0, tab)),
                           target = without_white_space(rest.substr(0, rest.find('\t')));
    if (source.empty() || target.empty()) {
      result.broken.push_back(number);
    } else {
      result.pairs.push_back({std::string(source), std::string(target)});
      result.lines.push_back(number);
    }
  }
  result.line_count = number;
  return result;
}

TextPairs load_text_pairs(const std::string& path) { return parse_text_pairs(read_file(path)); }

PairParts split_pairs(const std::vector<TextPair>& pairs, Index held_out, std::uint64_t seed) {
  if (held_out < 1) fail("[train] {} pairs held out, expected at least one", held_out);
  std::vector<std::vector<std::size_t>> groups = PairGroups(pairs).groups();
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
  }
  PairParts parts;
  std::vector<bool> taken(pairs.size(), false);
  const auto wanted = static_cast<std::size_t>(held_out);
  for (const std::size_t each : order) {
    const std::vector<std::size_t>& group = groups[each];
    std::vector<TextPair>& part = parts.development.size() < wanted ? parts.development : parts.test;
    if (group.size() > kMostTogether || part.size() >= wanted) continue;
    for (const std::size_t i : group) {
      part.push_back(pairs[i]);
      taken[i] = true;
    }
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!taken[i]) parts.learned.push_back(pairs[i]);
  }
  if (parts.test.size() < wanted || parts.learned.empty()) {
    fail(
        "[train] {} pairs are too few, or hang together: expected some to learn from, and twice {} that "
        "share no side with them",
        pairs.size(), held_out);
  }
  return parts;
}

}  // namespace fovea
