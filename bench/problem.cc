#include "problem.h"

#include "fovea/random.h"

namespace fovea::bench {
namespace {

bool needs_gradient(const Case& c) {
  return c.operation == Operation::backward || c.operation == Operation::forward_backward;
}

bool same_shapes(const Case& a, const Case& b) {
  return a.batch == b.batch && a.heads == b.heads && a.hkv() == b.hkv() && a.queries == b.queries &&
         a.m() == b.m() && a.width == b.width && a.dv() == b.dv();
}

std::shared_ptr<const Inputs> inputs_of(const Case& c, bool gradient) {
  Random random(1);
  auto inputs = std::make_shared<Inputs>();
  inputs->q = random.normal({c.batch, c.heads, c.queries, c.width});
  inputs->k = random.normal({c.batch, c.hkv(), c.m(), c.width});
  inputs->v = random.normal({c.batch, c.hkv(), c.m(), c.dv()});
  if (gradient) inputs->doutput = random.normal({c.batch, c.heads, c.queries, c.dv()});
  return inputs;
}

// A square causal mask counts half the pairs, as everybody counts it; the diagonal makes it a little more.
double counted_share(const Case& c, double visible) {
  return c.mask_id == "causal" && c.queries == c.m() ? 0.5 : visible;
}

}  // namespace

std::vector<Problem> problems_of(const Scenario& scenario) {
  std::vector<Problem> problems;
  for (const Case& c : scenario.cases) {
    Problem problem{c, info_of(c), {}, nullptr};
    if (c.mask) problem.options.mask = c.mask(c);
    if (c.bias) problem.options.bias = c.bias(c);
    problem.options.dropout = c.dropout;
    problem.options.seed = 3;
    problem.info.visible = problem.options.mask.density(c.queries, c.m());
    problem.info.flops = flops_of(c, counted_share(c, problem.info.visible));
    bool gradient = needs_gradient(c);
    for (const Problem& other : problems) {
      if (same_shapes(other.spec, c) && (!gradient || !other.doutput().empty()))
        problem.inputs = other.inputs;
    }
    if (!problem.inputs) problem.inputs = inputs_of(c, gradient);
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace fovea::bench
