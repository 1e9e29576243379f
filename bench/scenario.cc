#include "scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/fail.h"
#include "products/cases.h"
#include "train/cases.h"

namespace fovea::bench {

namespace {

Text operation_text(Operation operation) {
  switch (operation) {
    case Operation::forward:
      return {"", ""};
    case Operation::backward:
      return {"backward", "反向"};
    case Operation::forward_backward:
      return {"forward + backward", "前向 + 反向"};
    case Operation::linear:
      return {"linear", "线性"};
    case Operation::statistics:
      return {"statistics", "统计量"};
    case Operation::model:
    case Operation::generation:
    case Operation::product:
    case Operation::multi_head:
    case Operation::training:
      break;  // made by run_models, run_products and run_training
  }
  return {};
}

// (1,16,4096,64); (1,32/8,1×8192,128); (1,8,1024,192/128).
std::string shape_text(const Case& c) {
  const auto pair = [](Index a, const char* sign, Index b) {
    return a == b ? fmt::format("{}", a) : fmt::format("{}{}{}", a, sign, b);
  };
  return fmt::format("({},{},{},{})", c.batch, pair(c.heads, "/", c.hkv()), pair(c.queries, "×", c.m()),
                     pair(c.width, "/", c.dv()));
}

std::string id_of(const Case& c) {
  std::string id = fmt::format("{}-{}x{}", name_of(c.operation), c.batch, c.heads);
  if (c.hkv() != c.heads) id += fmt::format("over{}", c.hkv());
  id += fmt::format("x{}", c.queries);
  if (c.m() != c.queries) id += fmt::format("by{}", c.m());
  id += fmt::format("x{}", c.width);
  if (c.dv() != c.width) id += fmt::format("to{}", c.dv());
  if (c.causal) id += "-causal";
  if (!c.mask_id.empty()) id += "-" + c.mask_id;
  if (!c.bias_id.empty()) id += "-" + c.bias_id;
  if (c.dropout > 0) id += fmt::format("-dropout{}", c.dropout);
  if (c.cache) id += fmt::format("-cache-{}", to_string(*c.cache));
  return id;
}

Text label_of(const Case& c) {
  const auto in = [&](Language language) {
    std::string label = shape_text(c);
    const Text dropout{"dropout", "随机失活"}, causal{"causal", "因果"}, cache{"cache", "缓存"};
    for (const Text& part :
         {operation_text(c.operation), c.causal ? causal : Text{}, c.mask_text, c.bias_text}) {
      if (!part.in(language).empty()) label += " " + part.in(language);
    }
    if (c.dropout > 0) label += fmt::format(" {} {}", dropout.in(language), c.dropout);
    if (c.cache) label += fmt::format(" {} {}", cache.in(language), to_string(*c.cache));
    return label;
  };
  return {in(Language::english), in(Language::chinese)};
}

// Of a row of so many numbers; one of int8 has a scale.
double row_bytes(Index width, std::optional<FloatType> type) {
  const auto numbers = static_cast<double>(width);
  switch (type.value_or(FloatType::float32)) {
    case FloatType::float32:
      break;
    case FloatType::float16:
    case FloatType::bfloat16:
      return 2 * numbers;
    case FloatType::int8:
      return numbers + 4;
  }
  return 4 * numbers;
}

bool is_group(const std::string& word) {
  const auto all = groups();
  return std::any_of(all.begin(), all.end(), [&](const GroupInfo& group) { return group.name == word; });
}

bool matches(const Scenario& scenario, const std::string& word) {
  if (is_group(word)) return word == scenario.group || (word == "show" && scenario.in_show);
  return std::any_of(scenario.cases.begin(), scenario.cases.end(),
                     [&](const Case& c) { return id_of(c).find(word) != std::string::npos; });
}

}  // namespace

CaseInfo info_of(const Case& c) {
  CaseInfo info;
  info.id = id_of(c);
  info.label = label_of(c);
  info.operation = c.operation;
  info.batch = c.batch, info.heads = c.heads, info.key_heads = c.hkv();
  info.queries = c.queries, info.keys = c.m(), info.width = c.width, info.value_width = c.dv();
  info.mask = c.causal ? "causal" : c.mask_id;
  info.bias = c.bias_id;
  info.dropout = static_cast<double>(c.dropout);
  info.base = c.base;
  if (c.cache) info.cache = to_string(*c.cache);
  info.bytes = static_cast<double>(c.batch * c.hkv() * c.m()) *
               (row_bytes(c.width, c.cache) + row_bytes(c.dv(), c.cache));
  info.flops = flops_of(c, 1);
  return info;
}

// Products only: q·k and weights·v; backward takes five of them, dq, dk and the scores of width D, dv and
// the gradient of the weights of width Dv.
double flops_of(const Case& c, double visible) {
  const auto of = [](Index x) { return static_cast<double>(x); };
  const double heads = of(c.batch * c.heads), pairs = heads * of(c.queries) * of(c.m()) * visible;
  const double d = of(c.width), dv = of(c.dv());
  switch (c.operation) {
    case Operation::forward:
      return 2 * pairs * (d + dv);
    case Operation::backward:
      return 2 * pairs * (3 * d + 2 * dv);
    case Operation::forward_backward:
      return 2 * pairs * (4 * d + 3 * dv);
    case Operation::linear:
      return 2 * heads * of(c.queries + c.m()) * d * dv;
    case Operation::statistics:
      return 2 * pairs * d;
    case Operation::model:
    case Operation::generation:
    case Operation::product:
    case Operation::multi_head:
    case Operation::training:
      break;
  }
  return 0;
}

std::vector<Scenario> chosen_scenarios(const std::vector<std::string>& wanted) {
  const std::vector<std::string> words = wanted.empty() ? std::vector<std::string>{"show"} : wanted;
  std::vector<Scenario> chosen;
  std::vector<bool> taken(all_scenarios().size(), false);
  for (const std::string& word : words) {
    bool found = false;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const Scenario& scenario = all_scenarios()[i];
      if (word != "all" && !matches(scenario, word)) continue;
      found = true;
      if (!taken[i]) chosen.push_back(scenario);
      taken[i] = true;
    }
    if (found || word == "models") continue;  // those are run_models'
    std::vector<std::string> names;
    for (const GroupInfo& group : groups()) names.push_back(group.name);
    fail("[bench] no group and no scenario matches \"{}\"; the groups are {}, all", word,
         fmt::join(names, ", "));
  }
  return chosen;
}

std::vector<ScenarioInfo> list(const std::vector<std::string>& wanted) {
  if (std::find(wanted.begin(), wanted.end(), "products") != wanted.end()) return list_products(wanted);
  if (std::find(wanted.begin(), wanted.end(), "train") != wanted.end()) return list_training(wanted);
  std::vector<ScenarioInfo> infos;
  for (const Scenario& scenario : chosen_scenarios(wanted)) {
    ScenarioInfo info{scenario.group, {}};
    for (const Case& c : scenario.cases) info.cases.push_back(info_of(c));
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace fovea::bench
