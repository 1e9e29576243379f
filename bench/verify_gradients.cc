// Gradients: dq, dk, dv of some key heads, whole; their rows in pieces, so that all threads have work.
#include <algorithm>

#include "core/parallel.h"
#include "reference/attention_backward.h"
#include "verify_sample.h"

namespace fovea::bench {
namespace {

constexpr Index kRows = 128;  // of a piece

// Appends rows [rows, width] that begin at row-major position `at`.
void append(ExpectedValues& to, Index at, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) to.at.push_back(at + static_cast<Index>(i));
  to.values.insert(to.values.end(), values.begin(), values.end());
}

void add(std::vector<double>& to, const std::vector<double>& values) {
  to.resize(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
}

// Dropout goes by number of head and row: the first heads of the first batch entry keep theirs.
Expected expected_with_dropout(const Problem& problem) {
  const Case& c = problem.spec;
  const Index group = c.heads / c.hkv();
  const Index key_heads = std::clamp<Index>(kPairs / 4 / (c.queries * c.m() * group), 1, c.hkv());
  const auto first = [](const Tensor& tensor, Index heads) {
    return reference::DoubleArray(ConstView(tensor.view().slice(0, 0, 1).slice(1, 0, heads)));
  };
  const reference::AttentionGradients want = reference::attention_backward(
      first(problem.q(), key_heads * group), first(problem.k(), key_heads), first(problem.v(), key_heads),
      first(problem.doutput(), key_heads * group), problem.options);
  Expected expected(3);
  append(expected[0], 0, want.dq.values);
  append(expected[1], 0, want.dk.values);
  append(expected[2], 0, want.dv.values);
  return expected;
}

}  // namespace

Expected expected_gradients(const Problem& problem) {
  const Case& c = problem.spec;
  if (c.dropout > 0) return expected_with_dropout(problem);
  const Index group = c.heads / c.hkv();
  std::vector<Sample> pieces;
  const Index most = std::max<Index>(1, kPairs / (c.queries * c.m() * group));
  const std::vector<Index> key_heads = spread(c.batch * c.hkv(), most);
  for (const Index g : key_heads) {
    for (Index h = 0; h < group; ++h) {
      for (Index i = 0; i < c.queries; i += kRows) {
        pieces.push_back({g / c.hkv(), g % c.hkv() * group + h, range(i, std::min(i + kRows, c.queries))});
      }
    }
  }
  std::vector<reference::AttentionGradients> parts(pieces.size());
  parallel_for(static_cast<Index>(pieces.size()), [&](Index p) {
    const Sample& piece = pieces[static_cast<std::size_t>(p)];
    reference::AttentionGradients& part = parts[static_cast<std::size_t>(p)];
    part =
        reference::attention_backward(rows_of(problem.q(), piece), key_head_of(problem.k(), problem, piece),
                                      key_head_of(problem.v(), problem, piece),
                                      rows_of(problem.doutput(), piece), options_of(problem, piece));
    part.dscores = {};
  });
  Expected expected(3);
  std::size_t p = 0;
  for (const Index g : key_heads) {
    std::vector<double> dk, dv;
    for (; p < pieces.size() && pieces[p].batch * c.hkv() + pieces[p].head / group == g; ++p) {
      const Index row = (pieces[p].batch * c.heads + pieces[p].head) * c.queries + pieces[p].rows.front();
      append(expected[0], row * c.width, parts[p].dq.values);
      add(dk, parts[p].dk.values);
      add(dv, parts[p].dv.values);
    }
    append(expected[1], g * c.m() * c.width, dk);
    append(expected[2], g * c.m() * c.dv(), dv);
  }
  return expected;
}

}  // namespace fovea::bench
