#include <fmt/format.h>

#include "competitors/competitor.h"
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

 protected:
  Call call_for(const Problem& problem, std::string& text) override {
    text = path();
    const Problem* p = &problem;
    switch (problem.spec.operation) {
      case Operation::forward:
        return [p] {
          std::vector<Tensor> results;
          results.push_back(attention(p->q(), p->k(), p->v(), p->options).output);
          return results;
        };
      case Operation::linear:
        return [p] {
          std::vector<Tensor> results;
          results.push_back(linear_attention(p->q(), p->k(), p->v(), {.causal = p->spec.causal}));
          return results;
        };
      default:
        text = "not in this version";
        return {};
    }
  }

 private:
  static std::string path() { return fmt::format("{}, {} threads", instruction_set(), thread_count()); }
};

}  // namespace

std::unique_ptr<Competitor> make_fovea() { return std::make_unique<ByFovea>(); }

}  // namespace fovea::bench
