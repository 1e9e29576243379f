// Measurements of `fovea bench`, as ratios.
#include <algorithm>
#include <map>

#include "core/fail.h"
#include "fovea/shape.h"
#include "fovea/speed_chart.h"
#include "io/json.h"

namespace fovea {
namespace {

// A text, or one per language: {"en": .., "zh": ..}.
std::string spoken(const Json& json, Language language) {
  if (json.is_string()) return json.get<std::string>();
  return json.at(language == Language::chinese ? "zh" : "en").get<std::string>();
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values.at(half) : (values.at(half - 1) + values.at(half)) / 2;
}

// Nothing where the result has no time, or fovea has none.
std::optional<double> times_of(const Json& result, std::optional<double> own) {
  if (result.contains("times_of_fovea")) {
    const auto runs = result.at("times_of_fovea").get<std::vector<double>>();
    if (runs.empty()) return std::nullopt;
    return middle_of(runs);
  }
  if (!own || !(*own > 0)) return std::nullopt;
  return result.at("median_seconds").get<double>() / *own;
}

SpeedScenario scenario_of(const Json& each, const std::map<std::string, std::string>& names,
                          Language language) {
  SpeedScenario scenario{spoken(each.at("label"), language), {}};
  std::optional<double> own;
  for (const Json& result : each.at("results")) {
    if (result.at("competitor") == "fovea" && result.at("status") == "measured") {
      own = result.at("median_seconds").get<double>();
    }
  }
  for (const Json& result : each.at("results")) {
    const auto id = result.at("competitor").get<std::string>();
    if (id == "fovea" || result.at("status") != "measured") continue;
    const std::optional<double> times = times_of(result, own);
    const auto name = names.find(id);
    if (times) scenario.results.push_back({name == names.end() ? id : name->second, *times});
  }
  return scenario;
}

std::string note_of(const Json& document, Language language) {
  if (document.contains("note")) return spoken(document.at("note"), language);
  if (!document.contains("machine")) return "";
  const Json& machine = document.at("machine");
  const std::string form = Text{"{}, {} threads; medians", "{}，{} 线程；中位数"}.in(language);
  return fmt::format(fmt::runtime(form), machine.at("processor").get<std::string>(),
                     machine.at("threads").get<Index>());
}

}  // namespace

SpeedData load_speed(const std::string& path, Language language) {
  const Json document = load_json(path);
  SpeedData data;
  try {
    std::map<std::string, std::string> names;
    if (document.contains("competitors")) {
      for (const Json& each : document.at("competitors")) {
        names[each.at("id").get<std::string>()] = each.at("name").get<std::string>();
      }
    }
    for (const Json& scenario : document.at("scenarios")) {
      for (const Json& each : scenario.at("cases")) {
        data.scenarios.push_back(scenario_of(each, names, language));
      }
    }
    data.note = note_of(document, language);
  } catch (const Json::exception&) {
    fail("[speed] {}: not a file from fovea bench --json: expected scenarios with cases and results", path);
  }
  std::erase_if(data.scenarios, [](const SpeedScenario& each) { return each.results.empty(); });
  if (data.scenarios.empty()) fail("[speed] {}: no measurements of others beside fovea's found", path);
  return data;
}

}  // namespace fovea
