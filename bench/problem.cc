#include "problem.h"

#include <algorithm>

#include "fovea/random.h"
#include "machine/machine.h"

namespace fovea::bench {
namespace {

bool needs_gradient(const Case& c) {
  return c.operation == Operation::backward || c.operation == Operation::forward_backward;
}

bool same_shapes(const Case& a, const Case& b) {
  return a.batch == b.batch && a.heads == b.heads && a.hkv() == b.hkv() && a.queries == b.queries &&
         a.m() == b.m() && a.width == b.width && a.dv() == b.dv();
}

std::shared_ptr<Inputs> inputs_of(const Case& c, bool gradient) {
  Random random(1);
  auto inputs = std::make_shared<Inputs>();
  inputs->q = random.normal({c.batch, c.heads, c.queries, c.width});
  inputs->k = random.normal({c.batch, c.hkv(), c.m(), c.width});
  inputs->v = random.normal({c.batch, c.hkv(), c.m(), c.dv()});
  if (gradient) inputs->doutput = random.normal({c.batch, c.heads, c.queries, c.dv()});
  return inputs;
}

// As many copies as there is memory for in a sixteenth of it: peers make theirs, and caches are theirs,
// too.
void set_copies(CaseInfo& info) {
  info.copies =
      copies_to_read(info.bytes, cache_bytes(3),
                     std::min(available_memory() / 16, 4.0 * static_cast<double>(Index{1} << 30)));
  info.read_from = static_cast<double>(info.copies) * info.bytes > 2.0 * static_cast<double>(cache_bytes(3))
                       ? "memory"
                       : "cache";
}

void add_copies(Inputs& inputs, Index copies) {
  for (Index copy = 1; copy < copies; ++copy) {
    inputs.more_k.push_back(Tensor::copy_of(inputs.k));
    inputs.more_v.push_back(Tensor::copy_of(inputs.v));
  }
}

// A square causal mask counts half the pairs, as everybody counts it; the diagonal makes it a little more.
double counted_share(const Case& c, double visible) {
  return c.mask_id == "causal" && c.queries == c.m() ? 0.5 : visible;
}

}  // namespace

Index copies_to_read(double bytes, Index last_cache, double most_bytes) {
  constexpr Index kMostCopies = 1024;
  const auto needed = static_cast<Index>(2.0 * static_cast<double>(last_cache) / std::max(bytes, 1.0)) + 1;
  return needed > kMostCopies || static_cast<double>(needed) * bytes > most_bytes ? 1 : needed;
}

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
      if (!same_shapes(other.spec, c) || (gradient && other.doutput().empty())) continue;
      problem.inputs = other.inputs;
      problem.info.copies = other.info.copies, problem.info.read_from = other.info.read_from;
      if (c.cache && is_reading(c)) set_copies(problem.info);  // of the cache, which is smaller
    }
    if (!problem.inputs) {
      std::shared_ptr<Inputs> inputs = inputs_of(c, gradient);
      if (is_reading(c)) {
        set_copies(problem.info);
        add_copies(*inputs, problem.info.copies);
      }
      problem.inputs = std::move(inputs);
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace fovea::bench
