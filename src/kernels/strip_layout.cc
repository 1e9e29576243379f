#include "kernels/strip_layout.h"

namespace fovea::kernels {

HeadStrips::HeadStrips(const ScoreProblem& problem, Index head_index, Index lanes)
    : plain_rows_(problem.queries()), plain_(plain_rows_, lanes), scattered_(0, lanes) {
  if (problem.mask == nullptr || !problem.mask->may_scatter()) return;
  Row row = problem.row_of(head_index);
  std::vector<Index> scattered;
  order_.reserve(static_cast<std::size_t>(problem.queries()));
  for (; row.query < problem.queries(); ++row.query) {
    (problem.mask->is_scattered(row) ? scattered : order_).push_back(row.query);
  }
  plain_rows_ = static_cast<Index>(order_.size());
  order_.insert(order_.end(), scattered.begin(), scattered.end());
  plain_ = StripCuts(plain_rows_, lanes);
  scattered_ = StripCuts(problem.queries() - plain_rows_, lanes);
}

StripRows HeadStrips::rows(Index strip) const {
  const Index* order = order_.empty() ? nullptr : order_.data();
  if (strip < plain_.strips()) {
    const Index first = plain_.first_row(strip);
    return {first, plain_.first_row(strip + 1) - first, order, false};
  }
  const Index s = strip - plain_.strips();
  const Index first = scattered_.first_row(s);
  return {plain_rows_ + first, scattered_.first_row(s + 1) - first, order, true};
}

}  // namespace fovea::kernels
