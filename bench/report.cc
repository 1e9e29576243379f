// What a report can be asked, and its two files.
#include <fmt/format.h>

#include "benchmark.h"
#include "fovea/json_writer.h"

namespace fovea::bench {

const Measurement* CaseResult::by(const std::string& competitor) const {
  for (const Measurement& measurement : measurements) {
    if (measurement.competitor == competitor) return &measurement;
  }
  return nullptr;
}

const CompetitorInfo* Report::competitor(const std::string& id) const {
  for (const CompetitorInfo& info : competitors) {
    if (info.id == id) return &info;
  }
  return nullptr;
}

namespace {

std::optional<double> median_of(const CaseResult& result, const std::string& competitor) {
  const Measurement* measurement = result.by(competitor);
  if (measurement == nullptr || measurement->status != Status::measured || measurement->times.rounds == 0) {
    return std::nullopt;
  }
  return measurement->times.median;
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b <= 0) return std::nullopt;
  return *a / *b;
}

// The figures that follow from a median.
struct Derived {
  double gflops, share_of_peak, gbytes, share_of_bandwidth;
  Derived(const CaseInfo& info, const Measurement& measurement, double seconds, const Machine& machine)
      : gflops(info.flops / seconds / 1e9),
        share_of_peak(gflops / (info.peak > 0 ? info.peak : machine.peak)),
        gbytes(info.bytes * (measurement.inputs == "bfloat16" ? 0.5 : 1) / seconds / 1e9),
        share_of_bandwidth(gbytes / machine.bandwidth) {}
};

class JsonReport {
 public:
  explicit JsonReport(const Report& report) : report_(report) {}

  std::string text() {
    json_.begin_object();
    string("version", report_.version);
    string("compiler", report_.compiler);
    string("python", report_.python);
    integer("rounds", report_.rounds);
    machine();
    json_.key("competitors").begin_array();
    for (const CompetitorInfo& info : report_.competitors) competitor(info);
    json_.end_array();
    json_.key("scenarios").begin_array();
    for (const ScenarioResult& each : report_.scenarios) scenario(each);
    json_.end_array();
    json_.key("mistakes").strings(report_.mistakes);
    json_.end_object();
    return json_.take();
  }

 private:
  void string(std::string_view name, const std::string& value) { json_.key(name).string(value); }
  void integer(std::string_view name, Index value) { json_.key(name).integer(value); }
  void number(std::string_view name, std::optional<double> value) {
    if (!value) return;
    json_.key(name).number(*value);
  }

  void machine() {
    const Machine& machine = report_.machine;
    json_.key("machine").begin_object();
    string("processor", machine.processor);
    string("system", machine.system);
    string("instruction_set", machine.instruction_set);
    integer("processors", machine.processors);
    integer("threads", machine.threads);
    integer("l1_bytes", machine.l1);
    integer("l2_bytes", machine.l2);
    integer("l3_bytes", machine.l3);
    number("load_before", machine.load);
    number("memory_bytes", machine.memory);
    number("fma_peak_gflops", machine.peak);
    number("read_bandwidth_gbytes", machine.bandwidth);
    number("clock_gigahertz", machine.clock);
    json_.end_object();
  }

  void competitor(const CompetitorInfo& info) {
    json_.begin_object();
    string("id", info.id);
    string("name", info.name);
    json_.key("absent").boolean(info.absent);
    if (info.absent) {
      string("reason", info.reason);
    } else {
      string("version", info.version);
      string("detail", info.detail);
    }
    json_.end_object();
  }

  void scenario(const ScenarioResult& scenario) {
    json_.begin_object();
    string("group", scenario.group);
    string("processor", report_.machine.processor);
    json_.key("cases").begin_array();
    for (std::size_t i = 0; i < scenario.cases.size(); ++i) one_case(scenario, i);
    json_.end_array();
    json_.end_object();
  }

  void one_case(const ScenarioResult& scenario, std::size_t which) {
    const CaseResult& result = scenario.cases[which];
    const CaseInfo& info = result.info;
    json_.begin_object();
    string("id", info.id);
    json_.key("label").text(info.label);
    string("operation", name_of(info.operation));
    integer("batch", info.batch);
    integer("heads", info.heads);
    integer("key_heads", info.key_heads);
    integer("queries", info.queries);
    integer("keys", info.keys);
    integer("width", info.width);
    integer("value_width", info.value_width);
    string("mask", info.mask);
    string("bias", info.bias);
    number("dropout", info.dropout);
    number("visible", info.visible);
    number("flops", info.flops);
    if (info.threads > 0) integer("threads", info.threads);
    if (info.peak > 0) number("fma_peak_gflops", info.peak);
    number("key_value_bytes", info.bytes);
    if (!info.read_from.empty()) {
      string("read_from", info.read_from);
      integer("copies", info.copies);
    }
    if (!info.cache.empty()) string("cache", info.cache);
    if (info.base >= 0) string("base", scenario.cases[static_cast<std::size_t>(info.base)].info.id);
    number("relative_to_base", ratio_to_base(scenario, which));
    json_.key("results").begin_array();
    for (const Measurement& each : result.measurements) measurement(result, each);
    json_.end_array();
    json_.end_object();
  }

  void measurement(const CaseResult& result, const Measurement& each) {
    json_.begin_object();
    string("competitor", each.competitor);
    string("inputs", each.inputs);
    string("status", name_of(each.status));
    if (!each.death.empty()) string("death", each.death);
    if (!each.message.empty()) string("message", each.message);
    if (!each.path.empty()) string("path", each.path);
    if (each.times.rounds > 0) {
      const Derived derived(result.info, each, each.times.median, report_.machine);
      integer("rounds", each.times.rounds);
      number("median_seconds", each.times.median);
      number("mean_seconds", each.times.mean);
      number("first_quartile_seconds", each.times.first_quartile);
      number("third_quartile_seconds", each.times.third_quartile);
      number("min_seconds", each.times.min);
      if (each.competitor != "read") {
        number("gflops", derived.gflops);
        number("share_of_peak", derived.share_of_peak);
        number("cycles_per_16_scores", cycles_per_16_scores(result.info, each, report_.machine));
      }
      number("key_value_gbytes", derived.gbytes);
      number("share_of_bandwidth", derived.share_of_bandwidth);
      number("times_fovea", ratio_to_fovea(result, each.competitor));
    }
    if (each.errors) {
      number("max_error", each.errors->max);
      number("relative_l2_error", each.errors->relative_l2);
      number("max_error_allowed", each.tolerance.max);
      number("relative_l2_error_allowed", each.tolerance.relative_l2);
    }
    number("extra_memory_bytes", each.extra_memory);
    json_.end_object();
  }

  const Report& report_;
  JsonWriter json_;
};

// A field of CSV: quoted where it must be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string field(std::optional<double> value, double unit = 1) {
  return value ? fmt::format("{:.6g}", *value / unit) : "";
}

}  // namespace

std::optional<double> cycles_per_16_scores(const CaseInfo& info, const Measurement& measurement,
                                           const Machine& machine) {
  switch (info.operation) {
    case Operation::forward:
    case Operation::backward:
    case Operation::forward_backward:
    case Operation::statistics:
      break;
    default:
      return std::nullopt;
  }
  const double scores = static_cast<double>(info.batch * info.heads * info.queries) *
                        static_cast<double>(info.keys) * info.visible;
  if (machine.clock <= 0 || scores <= 0 || measurement.times.rounds == 0) return std::nullopt;
  return measurement.times.median * machine.clock * 1e9 * machine.threads / (scores / 16);
}

std::optional<double> ratio_to_fovea(const CaseResult& result, const std::string& competitor) {
  return ratio(median_of(result, competitor), median_of(result, "fovea"));
}

std::optional<double> ratio_to_base(const ScenarioResult& scenario, std::size_t which) {
  const int base = scenario.cases[which].info.base;
  if (base < 0) return std::nullopt;
  return ratio(median_of(scenario.cases[which], "fovea"),
               median_of(scenario.cases[static_cast<std::size_t>(base)], "fovea"));
}

std::string to_json(const Report& report) { return JsonReport(report).text(); }

std::string to_csv(const Report& report) {
  std::string csv =
      "group,case,operation,batch,heads,key_heads,queries,keys,width,value_width,mask,bias,dropout,visible,"
      "base,"
      "competitor,status,rounds,median_ms,first_quartile_ms,third_quartile_ms,min_ms,mean_ms,gflops,share_"
      "of_peak,"
      "key_value_gbytes,times_fovea,relative_to_base,max_error,relative_l2_error,extra_memory_mb,path,"
      "inputs,cycles_per_16_scores,processor,instruction_set,threads,clock_ghz\n";
  for (const ScenarioResult& scenario : report.scenarios) {
    for (std::size_t i = 0; i < scenario.cases.size(); ++i) {
      const CaseResult& result = scenario.cases[i];
      const CaseInfo& info = result.info;
      for (const Measurement& each : result.measurements) {
        const Times& t = each.times;
        const bool timed = t.rounds > 0, computes = timed && each.competitor != "read";
        const Derived derived(info, each, timed ? t.median : 1, report.machine);
        const auto when = [](bool known, double value) {
          return known ? std::optional(value) : std::nullopt;
        };
        csv += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6g},{},", scenario.group, field(info.id),
            name_of(info.operation), info.batch, info.heads, info.key_heads, info.queries, info.keys,
            info.width, info.value_width, info.mask, info.bias, field(info.dropout), info.visible,
            info.base < 0 ? "" : scenario.cases[static_cast<std::size_t>(info.base)].info.id);
        csv += fmt::format("{},{},{},{},{},{},{},{},", each.competitor, name_of(each.status), t.rounds,
                           field(when(timed, t.median), 1e-3), field(when(timed, t.first_quartile), 1e-3),
                           field(when(timed, t.third_quartile), 1e-3), field(when(timed, t.min), 1e-3),
                           field(when(timed, t.mean), 1e-3));
        csv += fmt::format("{},{},{},{},{},{},{},{},{},", field(when(computes, derived.gflops)),
                           field(when(computes, derived.share_of_peak)), field(when(timed, derived.gbytes)),
                           field(ratio_to_fovea(result, each.competitor)),
                           field(each.competitor == "fovea" ? ratio_to_base(scenario, i) : std::nullopt),
                           field(when(each.errors.has_value(), each.errors.value_or(Errors{}).max)),
                           field(when(each.errors.has_value(), each.errors.value_or(Errors{}).relative_l2)),
                           field(each.extra_memory, 1e6), field(each.path));
        csv +=
            fmt::format("{},{},{},{},{},{}\n", each.inputs,
                        field(computes ? cycles_per_16_scores(info, each, report.machine) : std::nullopt),
                        field(report.machine.processor), field(report.machine.instruction_set),
                        info.threads > 0 ? info.threads : report.machine.threads,
                        field(when(report.machine.clock > 0, report.machine.clock)));
      }
    }
  }
  return csv;
}

}  // namespace fovea::bench
