#include "fovea/pointing.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/parallel.h"

namespace fovea {
namespace {

AttentionKind kind_of(const Model& model) {
  return model.config().has_encoder() ? AttentionKind::encoder : AttentionKind::decoder;
}

void check_case(const PointingCase& pointing, Index tokens) {
  for (const Index place : {pointing.query, pointing.right, pointing.other}) {
    if (place >= 0 && place < tokens) continue;
    fail("[measure_pointing] got position {} in a text of {} tokens, expected less", place, tokens);
  }
  if (pointing.query == pointing.right || pointing.query == pointing.other ||
      pointing.right == pointing.other) {
    fail("[measure_pointing] got positions {}, {} and {}, expected three different ones", pointing.query,
         pointing.right, pointing.other);
  }
}

// One row of M weights.
PointingScore score_row(const float* row, Index keys, const PointingCase& pointing) {
  const double right = row[pointing.right], other = row[pointing.other];
  bool largest = true;
  for (Index key = 0; key < keys; ++key)
    largest = largest && (key == pointing.right || row[key] < row[pointing.right]);
  PointingScore score;
  score.cases = 1;
  score.right = right > other;
  score.largest = largest;
  score.right_weight = right;
  score.other_weight = other;
  score.even_weight = 1 / static_cast<double>(keys);
  score.lean = right + other > 0 ? std::max(right, other) / (right + other) : 0.5;
  return score;
}

void score_output(const TextModel& model, const TextRun& read, const PointingCase& pointing,
                  PointingReport& report) {
  const Tensor logits = model.model().run(read.input).logits;
  const Index vocabulary = logits.shape()[2];
  const float* row = logits.data() + pointing.query * vocabulary;
  const double most = *std::max_element(row, row + vocabulary);
  double sum = 0;
  for (Index id = 0; id < vocabulary; ++id) sum += std::exp(row[id] - most);
  const Index right = read.input.ids(0, pointing.right), other = read.input.ids(0, pointing.other);
  report.named = std::max_element(row, row + vocabulary) - row == right;
  report.right_probability = std::exp(row[right] - most) / sum;
  report.other_probability = std::exp(row[other] - most) / sum;
}

PointingReport report_of(const TextModel& model, const PointingCase& pointing) {
  const TextRun read = model.read({pointing.text});
  const AttentionKind kind = kind_of(model.model());
  PointingReport report;
  report.cases = 1;
  for (Index layer = 0; layer < read.run.layers(kind); ++layer) {
    const LayerView& view = read.run.layer(kind, layer);
    const Index keys = view.keys();
    check_case(pointing, std::min(keys, view.queries()));
    const Tensor rows = view.crop({pointing.query, pointing.query + 1, 0, keys});  // [1, H, 1, M]
    auto& scores = report.heads.emplace_back();
    for (Index head = 0; head < view.heads(); ++head)
      scores.push_back(score_row(rows.data() + head * keys, keys, pointing));
  }
  if (model.model().config().has_logits) score_output(model, read, pointing, report);
  return report;
}

// Means are sums until the end.
void add(const PointingReport& one, PointingReport& all) {
  if (all.cases == 0) {
    all = one;
    return;
  }
  all.cases += one.cases;
  all.named += one.named;
  all.right_probability += one.right_probability;
  all.other_probability += one.other_probability;
  for (std::size_t layer = 0; layer < all.heads.size(); ++layer) {
    for (std::size_t head = 0; head < all.heads[layer].size(); ++head) {
      PointingScore& sum = all.heads[layer][head];
      const PointingScore& score = one.heads[layer][head];
      sum.cases += score.cases;
      sum.right += score.right;
      sum.largest += score.largest;
      sum.right_weight += score.right_weight;
      sum.other_weight += score.other_weight;
      sum.even_weight += score.even_weight;
      sum.lean += score.lean;
    }
  }
}

}  // namespace

const PointingScore& PointingReport::at(const HeadChoice& head) const {
  const auto layer = static_cast<std::size_t>(head.layer), number = static_cast<std::size_t>(head.head);
  if (head.layer < 0 || layer >= heads.size() || head.head < 0 || number >= heads[layer].size()) {
    fail("[PointingReport] got {}, expected one of {} layers of {} heads", head.name(), heads.size(),
         heads.empty() ? 0 : heads.front().size());
  }
  return heads[layer][number];
}

PointingReport measure_pointing(const TextModel& model, const std::vector<PointingCase>& cases,
                                const std::stop_token& stop) {
  if (cases.empty()) fail("[measure_pointing] got no cases, expected at least one");
  // One thread per text: the texts are short, and there are many. They are added in order.
  std::vector<PointingReport> each(cases.size());
  parallel_for(static_cast<Index>(cases.size()), stop, "measure_pointing", [&](Index i) {
    each[static_cast<std::size_t>(i)] = report_of(model, cases[static_cast<std::size_t>(i)]);
  });
  PointingReport report;
  for (const PointingReport& one : each) add(one, report);
  const auto count = static_cast<double>(report.cases);
  for (auto& layer : report.heads) {
    for (PointingScore& score : layer) {
      for (double* mean : {&score.right_weight, &score.other_weight, &score.even_weight, &score.lean})
        *mean /= count;
    }
  }
  report.right_probability /= count;
  report.other_probability /= count;
  return report;
}

HeadChoice best_pointing_head(const PointingReport& report) {
  if (report.cases == 0) fail("[best_pointing_head] got an empty report, expected a measured one");
  HeadChoice best;
  for (std::size_t layer = 0; layer < report.heads.size(); ++layer) {
    for (std::size_t head = 0; head < report.heads[layer].size(); ++head) {
      const PointingScore &score = report.heads[layer][head], &so_far = report.at(best);
      const bool better = score.right != so_far.right ? score.right > so_far.right
                                                      : score.right_weight > so_far.right_weight;
      if (better) best.layer = static_cast<Index>(layer), best.head = static_cast<Index>(head);
    }
  }
  return best;
}

}  // namespace fovea
