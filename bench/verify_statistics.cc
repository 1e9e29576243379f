// Statistics, in the order of by_fovea.cc: entropy, maximum, log-sum-exp; and diagonal, distance, received,
// thumbnail.
#include "core/parallel.h"
#include "fovea/attention_statistics.h"
#include "reference/attention_statistics.h"
#include "verify_sample.h"

namespace fovea::bench {
namespace {

// All of them, of everything.
Expected expected_whole(const Problem& problem) {
  const auto want = reference::attention_statistics(problem.q(), problem.k(), problem.options,
                                                    StatisticsOptions{}.thumbnail);
  Expected expected;
  for (const auto* values : {&want.entropy, &want.maximum, &want.logsumexp, &want.diagonal, &want.distance,
                             &want.received, &want.thumbnail}) {
    expected.push_back({range(0, static_cast<Index>(values->size())), *values});
  }
  return expected;
}

}  // namespace

// Of a large problem the measures of single rows that do not depend on the row's position.
Expected expected_statistics(const Problem& problem) {
  const Case& c = problem.spec;
  if (c.batch * c.heads * c.queries * c.m() <= kPairs) return expected_whole(problem);
  const std::vector<Sample> samples = samples_of(c);
  std::vector<Expected> parts(samples.size(), Expected(3));
  parallel_for(static_cast<Index>(samples.size()), [&](Index s) {
    const Sample& sample = samples[static_cast<std::size_t>(s)];
    const auto want = reference::attention_statistics(rows_of(problem.q(), sample),
                                                      key_head_of(problem.k(), problem, sample),
                                                      options_of(problem, sample), 1);
    Expected& part = parts[static_cast<std::size_t>(s)];
    part[0].values = want.entropy, part[1].values = want.maximum, part[2].values = want.logsumexp;
    for (ExpectedValues& measure : part) {
      for (const Index i : sample.rows)
        measure.at.push_back((sample.batch * c.heads + sample.head) * c.queries + i);
    }
  });
  Expected expected(3);
  for (const Expected& part : parts) {
    for (std::size_t i = 0; i < 3; ++i) {
      expected[i].at.insert(expected[i].at.end(), part[i].at.begin(), part[i].at.end());
      expected[i].values.insert(expected[i].values.end(), part[i].values.begin(), part[i].values.end());
    }
  }
  return expected;
}

}  // namespace fovea::bench
