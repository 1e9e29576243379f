// The measures by their definitions, one plain double loop each, to compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fovea/measures.h"

namespace fovea::testing {

// One head: weights and who may see whom.
struct PlainHead {
  std::vector<std::vector<double>> w;      // [N][M]
  std::vector<std::vector<bool>> visible;  // [N][M]
  std::vector<std::string> tokens, keys;   // N and M, or none
  std::vector<bool> special, punctuation;  // [M], told by the test
  std::vector<Index> block;                // [M], or none
  Index period = 0, repeats_from = 0, repeats_until = 0;

  Index n() const { return static_cast<Index>(w.size()); }
  Index m() const { return w.empty() ? 0 : static_cast<Index>(w[0].size()); }
  double at(Index i, Index j) const { return w[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }
  bool sees(Index i, Index j) const {
    return j >= 0 && j < m() && visible[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  double sum(Index i) const {
    double total = 0;
    for (Index j = 0; j < m(); ++j) total += at(i, j);
    return total;
  }
};

// The mean of value(i, p) over rows with weight; NaN where value is NaN does not count.
inline double mean_over_rows(const PlainHead& head, const std::function<double(Index, Index)>& value) {
  double total = 0;
  int count = 0;
  for (Index i = 0; i < head.n(); ++i) {
    if (head.sum(i) == 0) continue;
    const double v = value(i, i + head.m() - head.n());
    if (std::isnan(v)) continue;
    total += v;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : total / count;
}

inline double plain_measure(const PlainHead& head, Measure measure) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto entropy = [&](Index i) {
    double h = 0;
    for (Index j = 0; j < head.m(); ++j)
      h += head.at(i, j) > 0 ? -head.at(i, j) * std::log(head.at(i, j)) : 0;
    return h;
  };
  const auto mass = [&](const std::function<bool(Index, Index, Index)>& belongs) {
    return mean_over_rows(head, [&](Index i, Index p) {
      double total = 0;
      for (Index j = 0; j < head.m(); ++j) total += belongs(i, j, p) ? head.at(i, j) : 0;
      return total;
    });
  };
  const auto offset = [&](Index by) {
    return mean_over_rows(
        head, [&, by](Index i, Index p) { return head.sees(i, p + by) ? head.at(i, p + by) : none; });
  };
  const auto largest_column = [&](bool share) {
    double most = 0, all = 0;
    for (Index j = 0; j < head.m(); ++j) {
      double column = 0;
      for (Index i = 0; i < head.n(); ++i) column += head.at(i, j);
      most = std::max(most, column);
      all += column;
    }
    return share ? (all > 0 ? most / all : none) : most;
  };
  const auto u = [](Index index) { return static_cast<std::size_t>(index); };
  switch (measure) {
    case Measure::entropy:
      return mean_over_rows(head, [&](Index i, Index) { return entropy(i); });
    case Measure::normalised_entropy:
      return mean_over_rows(head, [&](Index i, Index) {
        const auto seen = std::count(head.visible[u(i)].begin(), head.visible[u(i)].end(), true);
        return seen < 2 ? none : entropy(i) / std::log(static_cast<double>(seen));
      });
    case Measure::effective_keys:
      return mean_over_rows(head, [&](Index i, Index) { return std::exp(entropy(i)); });
    case Measure::keys_90:
      return mean_over_rows(head, [&](Index i, Index) {
        std::vector<double> row = head.w[u(i)];
        std::sort(row.rbegin(), row.rend());
        double held = 0, keys = 0;
        for (const double weight : row) {
          if (held >= 0.9 * (1 - 1e-6) * head.sum(i)) break;
          held += weight;
          ++keys;
        }
        return keys;
      });
    case Measure::confidence:
      return mean_over_rows(head, [&](Index i, Index) {
        return *std::max_element(head.w[u(i)].begin(), head.w[u(i)].end());
      });
    case Measure::received:
      return largest_column(false);
    case Measure::outgoing: {
      double total = 0;
      for (Index i = 0; i < head.n(); ++i) total += head.sum(i);
      return total / static_cast<double>(head.n());
    }
    case Measure::diagonal:
      return offset(0);
    case Measure::previous_token:
      return offset(-1);
    case Measure::next_token:
      return offset(1);
    case Measure::first_token:
      return mean_over_rows(head, [&](Index i, Index) { return head.sees(i, 0) ? head.at(i, 0) : none; });
    case Measure::special_tokens:
      return head.keys.empty() ? none : mass([&](Index, Index j, Index) { return head.special[u(j)]; });
    case Measure::punctuation:
      return head.keys.empty() ? none : mass([&](Index, Index j, Index) { return head.punctuation[u(j)]; });
    case Measure::same_token:
      return head.tokens.empty() ? none : mean_over_rows(head, [&](Index i, Index p) {
        double total = 0;
        bool any = false;
        for (Index j = 0; j < head.m(); ++j) {
          if (j == p || !head.sees(i, j) || head.keys[u(j)] != head.tokens[u(i)]) continue;
          total += head.at(i, j);
          any = true;
        }
        return any ? total : none;
      });
    case Measure::distance:
      return mean_over_rows(head, [&](Index i, Index p) {
        double total = 0;
        for (Index j = 0; j < head.m(); ++j) total += head.at(i, j) * std::abs(static_cast<double>(j - p));
        return total;
      });
    case Measure::sink_share:
      return largest_column(true);
    case Measure::block_diagonal:
      return head.block.empty()
                 ? none
                 : mass([&](Index, Index j, Index p) { return head.block[u(j)] == head.block[u(p)]; });
    case Measure::induction:
      return head.period == 0 ? none : mean_over_rows(head, [&](Index i, Index p) {
        const Index key = p - head.period + 1;
        const bool counts = p >= head.repeats_from + head.period && p < head.repeats_until;
        return counts && head.sees(i, key) ? head.at(i, key) : none;
      });
    case Measure::induction_lift: {
      if (head.period == 0) return none;
      const auto rests = [&](Index j) { return j == 0 || (!head.keys.empty() && head.special[u(j)]); };
      double induced = 0, even = 0;
      for (Index i = 0; i < head.n(); ++i) {
        const Index p = i + head.m() - head.n(), key = p - head.period + 1;
        const bool counts = p >= head.repeats_from + head.period && p < head.repeats_until;
        if (head.sum(i) == 0 || !counts || !head.sees(i, key) || rests(key)) continue;
        double left = 0, keys = 0;
        for (Index j = 0; j < head.m(); ++j) {
          if (!head.sees(i, j) || rests(j)) continue;
          left += head.at(i, j);
          ++keys;
        }
        induced += head.at(i, key);
        even += left / keys;
      }
      return even > 0 ? induced / even : none;
    }
    case Measure::passed_on:  // not from weights alone: passed_on_test.cc
    case Measure::sink_passed_on:
      return none;
  }
  return none;
}

}  // namespace fovea::testing
