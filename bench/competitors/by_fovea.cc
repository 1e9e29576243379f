#include <fmt/format.h>

#include "competitors/competitor.h"
#include "fovea/attention_path.h"
#include "fovea/attention_statistics.h"
#include "fovea/instruction_set.h"
#include "fovea/linear_attention.h"
#include "fovea/threads.h"
#include "fovea/version.h"

namespace fovea::bench {
namespace {

class ByFovea final : public LocalCompetitor {
 public:
  CompetitorInfo info() const override {
    return {"fovea", "fovea", fmt::format("fovea {}", version()), path(), false, ""};
  }

  // Tile sizes, mode and tiles skipped are told by the library, call by call.
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

 protected:
  Call call_for(const Problem& problem, std::string& text) override {
    text = path();
    const Problem* p = &problem;
    switch (problem.spec.operation) {
      case Operation::forward:
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
  static std::vector<Tensor> one(Tensor result) {
    std::vector<Tensor> results;
    results.push_back(std::move(result));
    return results;
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

  static std::string path() { return fmt::format("{}, {} threads", instruction_set(), thread_count()); }
};

}  // namespace

std::unique_ptr<Competitor> make_fovea() { return std::make_unique<ByFovea>(); }

}  // namespace fovea::bench
