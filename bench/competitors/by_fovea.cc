#include <fmt/format.h>

#include <cstdint>

#include "competitors/competitor.h"
#include "core/half.h"
#include "fovea/attention_path.h"
#include "fovea/attention_statistics.h"
#include "fovea/instruction_set.h"
#include "fovea/key_value_cache.h"
#include "fovea/linear_attention.h"
#include "fovea/threads.h"
#include "fovea/typed_view.h"
#include "fovea/version.h"

namespace fovea::bench {
namespace {

std::string path() { return fmt::format("{}, {} threads", instruction_set(), thread_count()); }

std::vector<Tensor> one(Tensor result) {
  std::vector<Tensor> results;
  results.push_back(std::move(result));
  return results;
}

// Tile sizes, mode and tiles skipped are told by the library, call by call.
class ByOurselves : public LocalCompetitor {
 public:
  Checked check(int number) override {
    struct Observer {
      AttentionPath ran;
      Observer() {
        observe_attention([this](const AttentionPath& path) { ran = path; });
      }
      ~Observer() { observe_attention({}); }
    };
    const Observer observer;
    Checked checked = LocalCompetitor::check(number);
    const AttentionPath& ran = observer.ran;
    if (ran.mode.empty()) return checked;  // not by attention()
    checked.path =
        fmt::format("{}, {} threads, {}, {} × {} queries, {} keys; tiles {} hidden, {} full, {} partial",
                    ran.instruction_set, ran.threads, ran.mode, ran.strips_per_block, ran.strip_queries,
                    ran.step_keys, ran.hidden, ran.full, ran.partial);
    return checked;
  }
};

class ByFovea final : public ByOurselves {
 public:
  CompetitorInfo info() const override {
    return {"fovea", "fovea", fmt::format("fovea {}", version()), path(), false, ""};
  }

 protected:
  Call call_for(const Problem& problem, std::string& text) override {
    text = path();
    const Problem* p = &problem;
    switch (problem.spec.operation) {
      case Operation::forward:
        if (p->spec.cache) return decoding(*p);
        return [p, turn = Index{0}]() mutable {
          const Index now = turn++;
          return one(attention(p->q(), p->k(now), p->v(now), p->options).output);
        };
      case Operation::linear:
        return [p] { return one(linear_attention(p->q(), p->k(), p->v(), {.causal = p->spec.causal})); };
      case Operation::backward:
        return [p, forward = std::make_shared<const AttentionResult>(forward_of(*p))] {
          return backward_of(*p, *forward);
        };
      case Operation::forward_backward:
        return [p] { return backward_of(*p, forward_of(*p)); };
      case Operation::statistics:
        return [p] { return statistics_of(*p); };
      case Operation::model:
      case Operation::generation:
      case Operation::product:
      case Operation::multi_head:
      case Operation::training:
        break;
    }
    return {};
  }

 private:
  // From caches of the case's type, filled before; copies of them, used in turn.
  static Call decoding(const Problem& p) {
    KeyValueCacheConfig config;
    config.batch = p.spec.batch, config.kv_heads = p.spec.hkv();
    config.d_k = p.spec.width, config.d_v = p.spec.dv();
    config.type = p.stored();
    auto caches = std::make_shared<std::vector<KeyValueCache>>();
    for (Index copy = 0; copy < p.info.copies; ++copy) {
      caches->emplace_back(config).reserve(p.spec.m());
      caches->back().append(p.k(), p.v());
    }
    return [&p, caches, turn = std::size_t{0}]() mutable {
      return one(attention(p.q(), (*caches)[turn++ % caches->size()], p.options).output);
    };
  }

  static AttentionResult forward_of(const Problem& p) {
    AttentionOptions options = p.options;
    options.logsumexp = true;
    return attention(p.q(), p.k(), p.v(), options);
  }

  static std::vector<Tensor> backward_of(const Problem& p, const AttentionResult& forward) {
    AttentionGradients gradients = attention_backward(p.q(), p.k(), p.v(), forward, p.doutput(), p.options);
    std::vector<Tensor> results = one(std::move(gradients.dq));
    results.push_back(std::move(gradients.dk));
    results.push_back(std::move(gradients.dv));
    return results;
  }

  // Measures of rows and keys, and the picture.
  static std::vector<Tensor> statistics_of(const Problem& p) {
    AttentionStatistics s = attention_statistics(p.q(), p.k(), p.options);
    std::vector<Tensor> results = one(std::move(s.entropy));
    for (Tensor* each : {&s.maximum, &s.logsumexp, &s.diagonal, &s.distance, &s.received, &s.thumbnail}) {
      results.push_back(std::move(*each));
    }
    return results;
  }
};

// Numbers rounded to bfloat16, as a model of 16 bits has them.
struct Bfloat16 {
  std::vector<std::uint16_t> bits;
  Shape shape;

  explicit Bfloat16(const Tensor& tensor) : shape(tensor.shape()) {
    bits.resize(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = float_to_bfloat16(tensor.data()[i]);
  }
  TypedView view() const { return TypedView::bfloat16(bits.data(), shape); }
};

// q, k and v are converted before anything is timed. Decoding has cases of its own, with caches of each
// type.
class ByFoveaBfloat16 final : public ByOurselves {
 public:
  CompetitorInfo info() const override {
    return {"fovea_bf16", "fovea, bfloat16 inputs", fmt::format("fovea {}", version()), path(), false, ""};
  }
  bool concerned(const Problem& problem) const override {
    return problem.spec.operation == Operation::forward && problem.spec.dropout == 0 &&
           !is_reading(problem.spec);
  }
  FloatType inputs() const override { return FloatType::bfloat16; }

 protected:
  Call call_for(const Problem& problem, std::string& text) override {
    text = path();
    const Problem* p = &problem;
    const auto q = std::make_shared<const Bfloat16>(p->q()), k = std::make_shared<const Bfloat16>(p->k()),
               v = std::make_shared<const Bfloat16>(p->v());
    return [p, q, k, v] { return one(attention(q->view(), k->view(), v->view(), p->options).output); };
  }
};

}  // namespace

std::unique_ptr<Competitor> make_fovea() { return std::make_unique<ByFovea>(); }
std::unique_ptr<Competitor> make_fovea_bfloat16() { return std::make_unique<ByFoveaBfloat16>(); }

}  // namespace fovea::bench
