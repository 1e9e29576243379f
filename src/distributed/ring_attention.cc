// Attention and its gradients over a ring of ranks.
#include "distributed/ring.h"
#include "fovea/attention_merge.h"
#include "ops/joined.h"

namespace fovea {
namespace {

std::vector<const Tensor*> pointers(const std::vector<AttentionResult>& results,
                                    Tensor AttentionResult::*member) {
  std::vector<const Tensor*> all;
  for (const AttentionResult& result : results) all.push_back(&(result.*member));
  return all;
}

// The forward result of one range of this rank's queries.
AttentionResult rows_of_result(const AttentionResult& all, const HeldRange& range) {
  AttentionResult rows;
  rows.output = Tensor::copy_of(rows_of(all.output, range));
  const ConstView sums = all.logsumexp;
  rows.logsumexp =
      Tensor::copy_of(sums.slice(sums.shape().rank() - 1, range.first, range.first + range.whole.size()));
  return rows;
}

void check_forward(const Ranks& ranks, ConstView q, ConstView v, const AttentionResult& forward,
                   ConstView doutput) {
  std::string problem;
  const int rank = q.shape().rank();
  const auto rows = [&](const Shape& shape, int axis) {
    return shape.rank() > axis ? shape.back(axis) : -1;
  };
  if (forward.logsumexp.empty()) {
    problem =
        "[ring_attention_backward] the forward result has no log-sum-exp: request it from "
        "ring_attention() with {.logsumexp = true}";
  } else if (!(forward.output.shape() == doutput.shape()) || forward.output.shape().rank() != rank ||
             rows(forward.output.shape(), 1) != q.shape().back(1) ||
             forward.output.shape().back() != v.shape().back()) {
    problem = "[ring_attention_backward] the output is " + forward.output.shape().to_string() +
              " and its gradient " + doutput.shape().to_string() + ", expected both for queries " +
              q.shape().to_string() + " and values " + v.shape().to_string();
  }
  ranks.agree(problem);
}

// What this rank's queries give to one block of keys, and take from it.
class BackwardStep {
 public:
  BackwardStep(const Ring& ring, ConstView q, const AttentionResult& forward, ConstView doutput,
               const AttentionOptions& options)
      : ring_(ring), q_(q), doutput_(doutput), options_(options), dq(q.shape()) {
    for (const HeldRange& range : ring.queries()) forward_.push_back(rows_of_result(forward, range));
  }

  // The parts of dk and dv of the block that is here.
  std::vector<Tensor> run(int step, const Tensor& k, const Tensor& v) {
    std::vector<Tensor> sums;
    sums.emplace_back(k.shape());
    sums.emplace_back(v.shape());
    const std::vector<HeldRange> queries = ring_.queries();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (const HeldRange& keys : ring_.keys(ring_.origin(step))) {
        const AttentionGradients part = attention_backward(
            rows_of(q_, queries[i]), rows_of(k, keys), rows_of(v, keys), forward_[i],
            rows_of(doutput_, queries[i]), part_options(options_, ring_.part(queries[i], keys)));
        add_rows(dq, queries[i].first, part.dq, 1);
        add_rows(sums[0], keys.first, part.dk, 1);
        add_rows(sums[1], keys.first, part.dv, 1);
        if (dbias.shape().rank() == 0 && part.dbias.shape().rank() > 0) {
          dbias = part.dbias;
        } else if (part.dbias.shape().rank() > 0) {
          for (Index at = 0; at < dbias.shape().elements(); ++at) dbias.data()[at] += part.dbias.data()[at];
        }
      }
    }
    return sums;
  }

 private:
  const Ring& ring_;
  ConstView q_, doutput_;
  const AttentionOptions& options_;
  std::vector<AttentionResult> forward_;

 public:
  Tensor dq, dbias;
};

}  // namespace

AttentionResult ring_attention(const Ranks& ranks, ConstView q, ConstView k, ConstView v,
                               const RingExtents& extents, const AttentionOptions& options) {
  const Ring ring("ring_attention", ranks, q, k, v, extents, options);
  const std::vector<HeldRange> queries = ring.queries();
  AttentionOptions with_sums = options;
  with_sums.logsumexp = true;
  std::vector<AttentionResult> results(queries.size());
  std::vector<Tensor> own;
  own.push_back(Tensor::copy_of(k));
  own.push_back(Tensor::copy_of(v));
  go_round(ring, std::move(own), [&](int step, const std::vector<Tensor>& block) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (const HeldRange& keys : ring.keys(ring.origin(step))) {
        AttentionResult part =
            attention(rows_of(q, queries[i]), rows_of(block[0], keys), rows_of(block[1], keys),
                      part_options(with_sums, ring.part(queries[i], keys)));
        if (results[i].output.empty()) {
          results[i] = std::move(part);
        } else {
          merge_attention_into(results[i], part);
        }
      }
    }
  });
  AttentionResult all;
  all.output = joined("[ring_attention] output", pointers(results, &AttentionResult::output), 1);
  if (options.logsumexp) {
    all.logsumexp = joined("[ring_attention] logsumexp", pointers(results, &AttentionResult::logsumexp), 0);
  }
  return all;
}

AttentionGradients ring_attention_backward(const Ranks& ranks, ConstView q, ConstView k, ConstView v,
                                           const AttentionResult& forward, ConstView doutput,
                                           const RingExtents& extents, const AttentionOptions& options) {
  const Ring ring("ring_attention_backward", ranks, q, k, v, extents, options);
  check_forward(ranks, q, v, forward, doutput);
  BackwardStep queries(ring, q, forward, doutput, options);
  TravellingSums sums(ring);
  const auto shapes_of = [&](int rank) {
    const Index rows = ring.key_rows(rank);
    return std::vector<Shape>{with_rows(k.shape(), rows), with_rows(v.shape(), rows)};
  };
  std::vector<Tensor> own;
  own.push_back(Tensor::copy_of(k));
  own.push_back(Tensor::copy_of(v));
  go_round(ring, std::move(own), [&](int step, const std::vector<Tensor>& block) {
    sums.add(step, queries.run(step, block[0], block[1]), shapes_of);
  });
  std::vector<Tensor> gradients = sums.own();
  AttentionGradients all;
  all.dq = std::move(queries.dq);
  all.dk = std::move(gradients[0]);
  all.dv = std::move(gradients[1]);
  if (!options.bias.is_none()) all.dbias = added_over_ranks(ranks, queries.dbias);
  return all;
}

}  // namespace fovea
