// Measurements of `fovea bench`, read again.
#include <algorithm>
#include <charconv>
#include <map>

#include "core/fail.h"
#include "core/lines.h"
#include "fovea/file.h"
#include "fovea/growth_chart.h"
#include "io/json.h"

namespace fovea {
namespace {

struct Case {
  std::string operation, mask, competitor;
  double batch = 0, heads = 0, width = 0, queries = 0, seconds = 0;
};

std::vector<Case> cases_of_json(const std::string& path) {
  const std::string where = "[growth] " + path;
  const Json document = load_json(path);
  std::vector<Case> cases;
  try {
    for (const Json& scenario : document.at("scenarios")) {
      for (const Json& each : scenario.at("cases")) {
        for (const Json& result : each.at("results")) {
          if (result.at("status") != "measured") continue;
          cases.push_back({each.at("operation").get<std::string>(), each.at("mask").get<std::string>(),
                           result.at("competitor").get<std::string>(), each.at("batch").get<double>(),
                           each.at("heads").get<double>(), each.at("width").get<double>(),
                           each.at("queries").get<double>(), result.at("median_seconds").get<double>()});
        }
      }
    }
  } catch (const Json::exception&) {
    fail("{}: not a file from fovea bench --json: expected scenarios with cases and results", where);
  }
  return cases;
}

// One line of CSV; quotes may hold commas, and doubled quotes quotes.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

std::vector<Case> cases_of_csv(const std::string& path) {
  const std::string text = read_file(path), where = "[growth] " + path;
  std::vector<std::string> names;
  std::vector<Case> cases;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.empty()) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    const auto field = [&](const char* name) -> const std::string& {
      const auto found = std::find(names.begin(), names.end(), name);
      const auto column = static_cast<std::size_t>(found - names.begin());
      if (found == names.end() || column >= fields.size()) {
        fail("{}: line {} has no column {}; is it from fovea bench --csv?", where, number, name);
      }
      return fields[column];
    };
    const auto value = [&](const char* name) {
      const std::string& digits = field(name);
      double result = 0;
      const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
      if (error != std::errc{} || rest != digits.data() + digits.size()) {
        fail("{}: line {}: {} is \"{}\", expected a number", where, number, name, digits);
      }
      return result;
    };
    if (field("status") != "measured") continue;
    cases.push_back({field("operation"), field("mask"), field("competitor"), value("batch"), value("heads"),
                     value("width"), value("queries"), value("median_ms") / 1e3});
  }
  return cases;
}

std::string series_name(const Case& each, Language language) {
  std::string name = each.operation;
  if (name == "forward") name = Text{"standard", "标准注意力"}.in(language);
  if (name == "linear") name = Text{"linear", "线性注意力"}.in(language);
  if (!each.mask.empty()) name += ", " + each.mask;
  return each.competitor == "fovea" ? name : name + ", " + each.competitor;
}

}  // namespace

GrowthData load_growth(const std::string& path, Language language) {
  const bool csv = path.ends_with(".csv") || path.ends_with(".CSV");
  const std::vector<Case> cases = csv ? cases_of_csv(path) : cases_of_json(path);
  if (cases.empty()) fail("[growth] {}: no measurements found", path);
  const Case& first = cases.front();
  GrowthData data;
  for (const Case& each : cases) {
    const bool alike = each.batch == first.batch && each.heads == first.heads && each.width == first.width;
    if (!alike || !(each.queries >= 1 && each.queries <= 1e15)) continue;
    const std::string name = series_name(each, language);
    auto series = std::find_if(data.series.begin(), data.series.end(),
                               [&](const GrowthSeries& s) { return s.name == name; });
    if (series == data.series.end()) series = data.series.insert(series, {name, {}});
    series->points.push_back({static_cast<Index>(each.queries), each.seconds});
  }
  std::erase_if(data.series, [](const GrowthSeries& s) {
    return std::all_of(s.points.begin(), s.points.end(),
                       [&](const GrowthPoint& p) { return p.n == s.points[0].n; });
  });
  if (data.series.empty()) fail("[growth] {}: no operation was measured at two different n", path);
  const std::string form =
      Text{"batch {}, heads {}, width {}; medians", "批次 {}，头数 {}，宽度 {}；中位数"}.in(language);
  data.note = fmt::format(fmt::runtime(form), first.batch, first.heads, first.width);
  return data;
}

}  // namespace fovea
