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
    // Of a cache of 16 or 8 bits: a half or a quarter of the floats, another one each time (without the
    // scales of int8, 3 % of its bytes at a width of 128).
    const FloatType type = problem.stored();
    const Index parts = type == FloatType::float32 ? 1 : type == FloatType::int8 ? 4 : 2;
    return [p, parts, sink = std::make_shared<float>(), turn = Index{0}]() mutable {
      const Tensor &k = p->k(turn / parts), &v = p->v(turn / parts);
      const auto part = [&](const Tensor& x) {
        const Index count = x.shape().elements() / parts;
        return Floats{x.data() + turn % parts * count, count};
      };
      *sink += sum_of({part(k), part(v)});
      ++turn;
      return std::vector<Tensor>();
    };
  }
};

}  // namespace

std::unique_ptr<Competitor> make_read() { return std::make_unique<ByRead>(); }

}  // namespace fovea::bench
