// Not a competitor but the limit of decoding: every key and value is read once, and nothing else is done.
#include "competitors/competitor.h"
#include "machine/read_bandwidth.h"

namespace fovea::bench {
namespace {

class ByRead final : public LocalCompetitor {
 public:
  CompetitorInfo info() const override {
    return {"read", "plain read of K and V", "sum of all floats, all threads", "", false, ""};
  }
  bool concerned(const Problem& problem) const override { return is_reading(problem.spec); }

 protected:
  Call call_for(const Problem& problem, std::string& text) override {
    text = "sum of all floats";
    const Problem* p = &problem;
    return [p, sink = std::make_shared<float>(), turn = Index{0}]() mutable {
      const Tensor &k = p->k(turn), &v = p->v(turn);
      ++turn;
      *sink += sum_of({{k.data(), k.shape().elements()}, {v.data(), v.shape().elements()}});
      return std::vector<Tensor>();
    };
  }
};

}  // namespace

std::unique_ptr<Competitor> make_read() { return std::make_unique<ByRead>(); }

}  // namespace fovea::bench
