#include "distributed/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

std::string_view bytes_of_floats(const Tensor& x) {
  return {reinterpret_cast<const char*>(x.data()),
          static_cast<std::size_t>(x.shape().elements()) * sizeof(float)};
}

Index rows_in(const std::vector<RowRange>& ranges) {
  Index rows = 0;
  for (const RowRange& range : ranges) rows += range.size();
  return rows;
}

// Why this rank's tensors are not its rows of the whole; empty: they are.
void check_own(const char* op, const Ranks& ranks, ConstView q, ConstView k, ConstView v,
               const RingExtents& extents, const AttentionOptions& options) {
  if (options.weights) fail("[{}] weights are not to be had: they would be as many as N × M", op);
  if (options.dropout != 0) fail("[{}] dropout is {}, expected 0 over several ranks", op, options.dropout);
  const auto check = [&](const char* what, ConstView x, Index rows) {
    if (x.shape().rank() < 2)
      fail("[{}] {} is {}, expected [.., rows, width]", op, what, x.shape().to_string());
    const Index expected = rows_in(rows_of_rank(rows, ranks.rank(), ranks.size(), extents.layout));
    if (x.shape().back(1) == expected) return;
    fail("[{}] {} has {} rows, expected {} of {}", op, what, x.shape().back(1), expected, rows);
  };
  check("q", q, extents.queries);
  check("k", k, extents.keys);
  check("v", v, extents.keys);
}

// What must be the same on all ranks, as a text; rows differ.
std::string facts(ConstView q, ConstView k, ConstView v, const RingExtents& extents,
                  const AttentionOptions& options) {
  const auto without_rows = [](const Shape& shape) {
    std::string text = "[";
    for (int axis = 0; axis < shape.rank(); ++axis) {
      text += axis == shape.rank() - 2 ? "rows" : std::to_string(shape[axis]);
      text += axis + 1 < shape.rank() ? ", " : "]";
    }
    return text;
  };
  return fmt::format(
      "q {} of {} rows, k {} and v {} of {} rows, {}, scale {}, softcap {}, precision {}, mask {}, bias {}",
      without_rows(q.shape()), extents.queries, without_rows(k.shape()), without_rows(v.shape()),
      extents.keys, extents.layout == RowLayout::zigzag ? "zigzag" : "contiguous",
      options.scale ? std::to_string(*options.scale) : "as usual", options.softcap,
      to_string(options.precision), options.mask.is_none() ? "none" : "given", options.bias.describe());
}

}  // namespace

Ring::Ring(const char* op, const Ranks& ranks, ConstView q, ConstView k, ConstView v,
           const RingExtents& extents, const AttentionOptions& options)
    : ranks_(ranks), extents_(extents) {
  std::string problem;
  try {
    check_own(op, ranks, q, k, v, extents, options);
    // The border of attention() itself, with nothing to compute: one key of each head, no query.
    const HeldRange none{}, first{{0, 1}, 0};
    attention(rows_of(q, none), rows_of(k, first), rows_of(v, first),
              {.scale = options.scale, .softcap = options.softcap});
  } catch (const Error& error) {
    problem = error.what();
  }
  ranks.agree(problem);
  const std::vector<std::string> all = ranks.gather(facts(q, k, v, extents, options));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw AgreedError(
        fmt::format("[{}] the ranks differ: rank 0 has {}; rank {} has {}", op, all[0], rank, all[rank]));
  }
}

std::vector<HeldRange> Ring::ranges(Index rows, int rank) const {
  std::vector<HeldRange> held;
  Index first = 0;
  for (const RowRange& range : rows_of_rank(rows, rank, size(), extents_.layout)) {
    if (range.size() > 0) held.push_back({range, first});
    first += range.size();
  }
  return held;
}

std::vector<HeldRange> Ring::queries() const { return ranges(extents_.queries, ranks_.rank()); }
std::vector<HeldRange> Ring::keys(int rank) const { return ranges(extents_.keys, rank); }

Index Ring::key_rows(int rank) const {
  return rows_in(rows_of_rank(extents_.keys, rank, size(), extents_.layout));
}

ScorePart Ring::part(const HeldRange& queries, const HeldRange& keys) const {
  return {queries.whole.begin, queries.whole.end, extents_.queries,
          keys.whole.begin,    keys.whole.end,    extents_.keys};
}

ConstView rows_of(ConstView x, const HeldRange& range) {
  return x.slice(x.shape().rank() - 2, range.first, range.first + range.whole.size());
}

Shape with_rows(const Shape& shape, Index rows) {
  std::vector<Index> extents;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    extents.push_back(axis == shape.rank() - 2 ? rows : shape[axis]);
  }
  return Shape(extents);
}

void add_rows(Tensor& sum, Index first, const Tensor& part, int axis_from_end) {
  const int axis = sum.shape().rank() - 1 - axis_from_end;
  Index outer = 1, inner = 1;
  for (int a = 0; a < axis; ++a) outer *= sum.shape()[a];
  for (int a = axis + 1; a < sum.shape().rank(); ++a) inner *= sum.shape()[a];
  const Index all = sum.shape()[axis] * inner, some = part.shape()[axis] * inner;
  for (Index o = 0; o < outer; ++o) {
    float* to = sum.data() + o * all + first * inner;
    const float* from = part.data() + o * some;
    for (Index i = 0; i < some; ++i) to[i] += from[i];
  }
}

void go_round(const Ring& ring, std::vector<Tensor> own,
              const std::function<void(int step, const std::vector<Tensor>& block)>& use) {
  std::vector<Tensor> here = std::move(own), coming;
  for (int step = 0; step < ring.size(); ++step) {
    std::unique_ptr<Transfer> transfer;
    if (step + 1 < ring.size()) {
      std::vector<Outgoing> sent;
      std::vector<Incoming> received;
      coming.clear();
      for (const Tensor& x : here) {
        coming.push_back(Tensor::uninitialized(with_rows(x.shape(), ring.key_rows(ring.origin(step + 1)))));
        sent.push_back({x.data(), x.shape().elements()});
        received.push_back({coming.back().data(), coming.back().shape().elements()});
      }
      transfer =
          ring.group().start(kBlocks, ring.next(), std::move(sent), ring.before(), std::move(received));
    }
    use(step, here);
    if (transfer) transfer->finish();
    std::swap(here, coming);
  }
}

void TravellingSums::add(int step, std::vector<Tensor> parts,
                         const std::function<std::vector<Shape>(int rank)>& shapes_of) {
  if (transfer_) {
    transfer_->finish();  // what the others have added, of this block
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (Index at = 0; at < parts[i].shape().elements(); ++at) {
        parts[i].data()[at] += arriving_[i].data()[at];
      }
    }
  }
  leaving_ = std::move(parts);
  arriving_.clear();
  std::vector<Outgoing> sent;
  std::vector<Incoming> received;
  for (const Shape& shape : shapes_of(ring_.origin(step + 1))) {
    Tensor& x = arriving_.emplace_back(Tensor::uninitialized(shape));
    received.push_back({x.data(), x.shape().elements()});
  }
  for (const Tensor& x : leaving_) sent.push_back({x.data(), x.shape().elements()});
  transfer_ =
      ring_.group().start(kSums, ring_.next(), std::move(sent), ring_.before(), std::move(received));
}

std::vector<Tensor> TravellingSums::own() {
  transfer_->finish();
  return std::move(arriving_);
}

Tensor added_over_ranks(const Ranks& ranks, const Tensor& x) {
  const std::vector<std::string> all = ranks.gather(std::string(bytes_of_floats(x)));
  if (x.shape().rank() == 0) return {};
  std::vector<double> sums(static_cast<std::size_t>(x.shape().elements()), 0.0);
  std::vector<float> values(sums.size());
  for (const std::string& bytes : all) {
    if (bytes.size() != values.size() * sizeof(float))
      fail("[distributed] the ranks' sums have different sizes");
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(values[i]);
  }
  Tensor sum = Tensor::uninitialized(x.shape());
  for (std::size_t i = 0; i < sums.size(); ++i) sum.data()[i] = static_cast<float>(sums[i]);
  return sum;
}

}  // namespace fovea
