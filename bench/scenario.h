// What is measured: a scenario is made of cases, a case knows how to make its mask and bias.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "benchmark.h"
#include "fovea/attention.h"
#include "fovea/float_type.h"

namespace fovea::bench {

struct Case {
  Operation operation = Operation::forward;
  Index batch = 1, heads = 1, queries = 0, width = 0;
  Index key_heads = 0, keys = 0, value_width = 0;  // 0: heads, queries, width
  std::string mask_id;                             // "causal"
  Text mask_text;
  std::function<Mask(const Case&)> mask;
  std::string bias_id;
  Text bias_text;
  std::function<Bias(const Case&)> bias;
  float dropout = 0;
  bool causal = false;                   // of linear attention
  std::optional<FloatType> cache;        // keys and values lie in a KeyValueCache of this type
  int base = -1;                         // told relative to this case of the scenario
  std::vector<std::string> competitors;  // empty: everybody

  Index hkv() const { return key_heads == 0 ? heads : key_heads; }
  Index m() const { return keys == 0 ? queries : keys; }
  Index dv() const { return value_width == 0 ? width : value_width; }
};

struct Scenario {
  std::string group;
  std::vector<Case> cases;
  int rounds = 9;
  bool in_show = false;  // listed by "show" as well
};

CaseInfo info_of(const Case& c);  // without the visible share, which takes a while for large masks
double flops_of(const Case& c, double visible);

const std::vector<Scenario>& all_scenarios();
std::vector<Scenario> chosen_scenarios(const std::vector<std::string>& wanted);

}  // namespace fovea::bench
