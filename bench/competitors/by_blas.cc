// The textbook: per head Q·Kᵀ by OpenBLAS into an N×M matrix, mask and softmax of its rows, times V by
// OpenBLAS.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "competitors/competitor.h"
#include "competitors/openblas.h"
#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/softmax.h"
#include "machine/machine.h"

namespace fovea::bench {
namespace {

// Adds values [rows or 1, M] to scores [rows, M].
void add_rows(float* scores, Index rows, Index m, const float* values, Index stride) {
  parallel_for(rows, [&](Index i) {
    for (Index j = 0; j < m; ++j) scores[i * m + j] += values[i * stride + j];
  });
}

// A mask or bias as the user of a BLAS has it: an array that broadcasts over [B, H, N, M], made beforehand.
struct Added {
  Tensor values;
  Index batch_stride = 0, head_stride = 0, row_stride = 0;

  Added() = default;
  explicit Added(Tensor tensor) : values(std::move(tensor)) {  // [N, M], [B, 1 or N, M] or [B, H, N, M]
    const Shape& shape = values.shape();
    const ConstView view = values;
    const auto stride = [&](int axis) { return shape[axis] > 1 ? view.stride(axis) : 0; };
    const int rank = shape.rank();
    row_stride = stride(rank - 2);
    if (rank == 4) head_stride = stride(1);
    if (rank >= 3) batch_stride = stride(0);
  }
  const float* head(Index b, Index h) const { return values.data() + b * batch_stride + h * head_stride; }
};

class Solver {
 public:
  Solver(const OpenBlas& blas, const Problem& problem) : blas_(&blas), p_(&problem) {
    const Case& c = problem.spec;
    causal_ = c.mask_id == "causal" && c.queries == c.m();
    if (!causal_ && !problem.options.mask.is_none()) {
      mask_ = std::make_shared<Added>(problem.options.mask.to_additive(c.queries, c.m()));
    }
    if (!problem.options.bias.is_none()) {
      Tensor bias = problem.options.bias.to_dense(c.heads, c.queries, c.m());
      const Shape shape = bias.shape();
      bias_ = std::make_shared<Added>(shape.rank() == 3
                                          ? std::move(bias).reshaped({1, shape[0], shape[1], shape[2]})
                                          : std::move(bias));
    }
  }

  std::vector<Tensor> operator()() {
    const Case& c = p_->spec;
    const Index turn = turn_++;
    // Few queries of a group go into one product: their rows lie one after the other.
    const Index group = c.queries <= 16 && !mask_ && !bias_ && !causal_ ? c.heads / c.hkv() : 1;
    const Index rows = group * c.queries;
    Tensor scores = Tensor::uninitialized({rows, c.m()});
    std::vector<Tensor> results;
    results.push_back(Tensor::uninitialized({c.batch, c.heads, c.queries, c.dv()}));
    for (Index b = 0; b < c.batch; ++b) {
      for (Index h = 0; h < c.heads; h += group) head(b, h, rows, turn, scores, results.front());
    }
    return results;
  }

 private:
  void head(Index b, Index h, Index rows, Index turn, Tensor& scores, Tensor& output) const {
    const Case& c = p_->spec;
    const Index m = c.m(), d = c.width, dv = c.dv(), hkv = b * c.hkv() + h / (c.heads / c.hkv());
    const Index at = b * c.heads + h;
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    blas_->multiply(rows, d, m, scale, {p_->q().data() + at * c.queries * d, d},
                    {p_->k(turn).data() + hkv * m * d, d, true}, scores.data());
    for (const auto& added : {bias_, mask_}) {
      if (added) add_rows(scores.data(), rows, m, added->head(b, h), added->row_stride);
    }
    for (Index i = 0; causal_ && i < rows; ++i) {
      std::fill(&scores(i, 0) + i + 1, &scores(i, 0) + m, -std::numeric_limits<float>::infinity());
    }
    kernels::softmax_rows(scores.data(), rows, m, 1);
    blas_->multiply(rows, m, dv, 1, {scores.data(), m}, {p_->v(turn).data() + hkv * m * dv, dv},
                    output.data() + at * c.queries * dv);
  }

  const OpenBlas* blas_;
  const Problem* p_;
  bool causal_ = false;
  Index turn_ = 0;
  std::shared_ptr<const Added> mask_, bias_;
};

class ByBlas final : public LocalCompetitor {
 public:
  explicit ByBlas(const OpenBlas& blas) : blas_(blas) {  // buffers that OpenBLAS makes with its first call
    const Tensor x = Tensor::filled({64, 64}, 1);
    Tensor y({64, 64});
    blas.multiply(64, 64, 64, 1, {x.data(), 64}, {x.data(), 64}, y.data());
  }
  CompetitorInfo info() const override {
    return {"blas", "BLAS + softmax", blas_.version(), blas_.detail(), false, ""};
  }

 protected:
  Call call_for(const Problem& problem, std::string& text) override {
    const Case& c = problem.spec;
    text = c.operation != Operation::forward ? "computes the forward only"
           : c.dropout > 0                   ? "has no dropout"
                                             : "";
    if (!text.empty()) return {};
    const double needed = 4.0 * static_cast<double>(c.queries * c.m()) * (c.mask || c.bias ? 2 : 1);
    if (needed > 0.5 * available_memory()) {
      text = fmt::format("the N×M matrix takes {:.1f} GB", needed / 1e9);
      return {};
    }
    text = fmt::format("sgemm, N×M matrix, {} threads", thread_count());
    return Solver(blas_, problem);
  }

 private:
  const OpenBlas& blas_;
};

}  // namespace

std::unique_ptr<Competitor> make_blas(std::string& reason) {
  const OpenBlas* blas = OpenBlas::get(reason);
  if (blas == nullptr) return nullptr;
  return std::make_unique<ByBlas>(*blas);
}

}  // namespace fovea::bench
