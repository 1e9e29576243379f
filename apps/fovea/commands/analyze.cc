// fovea analyze: measures of attention, from weights or from q and k.
#include <fmt/core.h>

#include <algorithm>

#include "command.h"
#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/head_roles.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures_report.h"
#include "inputs/analyzed_run.h"
#include "inputs/head_selection.h"
#include "output/analyze_views.h"
#include "output/progress.h"
#include "words.h"

namespace fovea::command {
namespace {

const MeasureDefinition& definition_named(const std::string& option, const std::string& name) {
  try {
    return measure_definition(name);
  } catch (const Error& error) {
    const std::string message = error.what();
    throw UsageError(option + ":" +
                     message.substr(message.find(']') + 1));  // without the library's [measures]
  }
}

Measure measure_named(const std::string& option, const std::string& name) {
  const MeasureDefinition& definition = definition_named(option, name);
  if (definition.measure) return *definition.measure;
  throw UsageError(
      fmt::format("{}: {} is not one number per head; see fovea analyze --explain {}", option, name, name));
}

class AnalyzeCommand final : public Command {
 public:
  std::string name() const override { return "analyze"; }
  Message summary() const override {
    return tr("measure attention: entropy, attention received, head roles, similarity, rollout");
  }
  Message description() const override {
    return tr(
        "FILE holds weights [N, M] to [L, B, H, N, M] (rows are queries; .npy, .npz, .safetensors, "
        ".json); or --q and --k give queries and keys, without ever building the weights; or --model runs "
        "a model on a text. Per head: entropy, attention received by the most attended key, role and, "
        "with --measures, any measure that --explain lists. For a single layer also per token, averaged "
        "over the heads: entropy, row sum, diagonal, attention received.");
  }
  std::vector<HelpExample> examples() const override;
  void declare(OptionList& options) override;
  void run(const Context& context) override;

 private:
  void check_command_line() const;
  void explain(const Context& context) const;
  AnalyzedRun open(Language language) const;
  MeasureOptions measure_options(const AnalyzedRun& source) const;
  MeasuresReport report(const AnalyzedRun& source, const std::stop_token& stop) const;
  void print_report(const Context& context, const MeasuresReport& measured) const;
  bool wants_passed_on() const;

  RenderOptions render(const Context& context) const {
    return context.render(static_cast<int>(digits_.value_or(4)));
  }
  bool csv() const { return format_ == "csv" || csv_; }
  bool json() const { return format_ == "json" || json_; }

  std::vector<std::string> words_;
  RunInput input_;
  HeadSelection selection_;
  AnalyzeViews views_;
  std::optional<std::string> explain_, measures_, sort_;
  std::optional<Index> top_, block_size_, period_, digits_;
  std::string format_ = "table";
  bool example_ = false, json_ = false, csv_ = false, no_rows_ = false;
};

std::vector<HelpExample> AnalyzeCommand::examples() const {
  return {
      {"fovea analyze --example", tr("\"I love AI\" through four heads")},
      {"fovea analyze weights.npy --tokens \"I love AI\"",
       tr("one row per head, with the words as labels")},
      {"fovea analyze --model minilm \"The quick brown fox jumps over the lazy dog.\" --layer 5",
       tr("what the heads of a real model do with a sentence")},
      {"fovea analyze bert.npz --measures entropy,distance,role --sort entropy --top 10",
       tr("the ten most spread-out heads of all layers")},
      {"fovea analyze --q q.npy --k k.npy --mask causal --csv",
       tr("long inputs, as CSV for a spreadsheet")},
      {"fovea analyze bert.npz --similarity", tr("which heads look alike")},
      {"fovea analyze bert.npz --rollout 0",
       tr("how much of each token reaches position 0 of the last layer")},
      {"fovea analyze --model minilm \"The cat sat.\" --measures sink_share,sink_passed_on --top 5 --sort "
       "passed_on",
       tr("which heads pass on most, and whether it comes from where they look")},
      {"fovea analyze --explain sink_share", tr("what a measure means")}};
}

void AnalyzeCommand::declare(OptionList& options) {
  options.positional_paths(
      "FILE", 0, 2, words_,
      tr("a .npy, .npz, .safetensors or .json file; with --model: a text, or a pair of texts"));
  options.flag("--example", example_, tr("instead of a file: \"I love AI\", three tokens, four heads"));
  input_.declare(options);
  selection_.declare(options);
  options.optional_text("--explain", "MEASURE", explain_,
                        tr("what a measure means, its range and its caveat; without a name: lists all "
                           "measures"));
  options.text("--measures", "LIST", measures_, tr("columns to show: entropy,distance,role; or all"));
  options.text("--sort", "MEASURE", sort_, tr("sort heads by this measure, largest first"));
  options.integer("--top", "N", top_, 1, INT64_MAX, tr("only the first N heads"));
  options.integer("--block", "SIZE", block_size_, 1, INT64_MAX,
                  tr("block size in tokens for block_diagonal; default: sentences, split at special "
                     "tokens"));
  options.integer("--period", "T", period_, 2, INT64_MAX,
                  tr("the period of a repeated sequence, for induction; default: found in the tokens"));
  views_.declare(options);
  options.integer("--digits", "D", digits_, 0, 17, tr("decimals; default: 4"));
  options.choice("--format", {"table", "json", "csv"}, format_, tr("default: table"));
  options.flag("--json", json_, tr("machine-readable: same as --format json"));
  options.flag("--csv", csv_, tr("one line per head: same as --format csv"));
  options.flag("--no-rows", no_rows_, tr("JSON without the per-query values"));
}

void AnalyzeCommand::check_command_line() const {
  input_.check(words_.size());
  const std::size_t files = input_.takes_texts() ? 0 : words_.size();
  const std::size_t inputs = files + (example_ ? 1 : 0) + (input_.computed() ? 1 : 0);
  if (inputs == 0) throw UsageError("FILE is missing (or --model and a text, --q and --k, or --example)");
  if (inputs > 1)
    throw UsageError("got several of FILE, --model, --capture, --q and --example, expected one");
  if (json() && csv()) throw UsageError("--json and --csv: choose one of them");
  if (views_.any() && csv()) throw UsageError("--csv only covers the table of heads; use --json");
  views_.check();
  if (sort_) measure_named("--sort", *sort_);
  for (const std::string& name : split_list(measures_.value_or("all"))) {
    if (name != "all" && name != "role") measure_named("--measures", name);
  }
}

AnalyzedRun AnalyzeCommand::open(Language language) const {
  const OpenRun all = example_ ? input_.of_weights(i_love_ai_weights(input_.mask()))
                               : input_.load(words_, language, wants_passed_on());
  AnalyzedRun one;
  one.kind = all.kind;
  one.heads = selection_.choose(all, DefaultHeads::all);
  one.chosen = selection_.chosen();
  one.batch = all.layer().batch();
  one.entry = selection_.batch_entry(all);
  one.run = all.run.select(all.kind, one.entry);
  for (HeadChoice& head : one.heads) head.batch = 0;
  return one;
}

// It takes the values and W_O of a model, too.
bool AnalyzeCommand::wants_passed_on() const {
  std::vector<std::string> names = split_list(measures_.value_or(json() || csv() ? "all" : "entropy"));
  if (sort_) names.push_back(*sort_);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "all" || name == "passed_on" || name == "sink_passed_on";
  });
}

// What the output needs: with --q and --k every further measure costs time.
MeasureOptions AnalyzeCommand::measure_options(const AnalyzedRun& source) const {
  constexpr Index kShort = 4096;  // tokens; the averaged weights of longer inputs are for programs
  MeasureOptions options;
  options.block_size = block_size_.value_or(0);
  options.period = period_.value_or(0);
  options.head_mean = json() || source.queries() <= kShort;
  options.rows = json() ? !no_rows_ : source.queries() <= kShort;
  const std::string list = measures_.value_or(json() || csv() ? "all" : "");
  const std::vector<std::string> names = split_list(list);
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  if (all) return options;
  for (const std::string& name : list.empty() ? std::vector<std::string>{} : names) {
    if (name != "role") options.measures.push_back(measure_named("--measures", name));
  }
  if (list.empty()) options.measures = {Measure::entropy, Measure::received, Measure::outgoing};
  if (sort_) options.measures.push_back(measure_named("--sort", *sort_));
  const bool role = list.empty() || std::find(names.begin(), names.end(), "role") != names.end();
  if (role) {
    for (const Measure measure : role_measures()) options.measures.push_back(measure);
  }
  return options;
}

MeasuresReport AnalyzeCommand::report(const AnalyzedRun& source, const std::stop_token& stop) const {
  MeasureOptions options = measure_options(source);
  Progress progress("analyze");
  options.progress = [&](double share) { progress.show(share); };
  options.stop = stop;
  if (source.chosen) options.heads = source.heads;
  MeasuresReport report = measures_report(source.run, options);
  if (sort_) sort_by(report, measure_named("--sort", *sort_));
  if (top_ && *top_ < static_cast<Index>(report.heads.size())) {
    report.heads.erase(report.heads.begin() + *top_, report.heads.end());
    report.means.clear();
  }
  if (!measures_) return report;
  report.role = false;
  for (const std::string& name : split_list(*measures_)) {
    if (name == "role" || name == "all") report.role = true;
    if (name == "all") report.columns = all_measures();
    if (name != "role" && name != "all") report.columns.push_back(measure_named("--measures", name));
  }
  return report;
}

void AnalyzeCommand::print_report(const Context& context, const MeasuresReport& measured) const {
  if (json()) {
    context.print(to_json(measured));
  } else if (csv()) {
    context.print(to_csv(measured));
  } else {
    context.print(to_terminal(measured, render(context)));
  }
}

void AnalyzeCommand::explain(const Context& context) const {
  if (explain_->empty() || *explain_ == "list") {
    for (const MeasureDefinition& definition : measure_definitions()) {
      context.line(fmt::format("{}  {}", pad_right(definition.name, 20), context.say(definition.title)));
    }
    return;
  }
  context.print(to_terminal(definition_named("--explain", *explain_), context.render()));
  if (*explain_ != "role") return;
  context.line();
  for (const RoleRule& rule : role_rules()) context.line("  " + context.say(rule.text));
}

void AnalyzeCommand::run(const Context& context) {
  if (explain_) return explain(context);
  check_command_line();
  const AnalyzedRun source = open(context.language);
  if (source.batch > 1) {
    print_message(fmt::format("fovea: showing sequence {} of 0 to {}; choose another with --batch",
                              source.entry, source.batch - 1));
  }
  const StopOnSignal interrupt;
  if (!views_.any()) return print_report(context, report(source, interrupt.token()));
  if (json()) return context.print(views_.json(source, interrupt.token()));
  views_.print(context, source, render(context), interrupt.token());
}

}  // namespace

std::unique_ptr<Command> make_analyze_command() { return std::make_unique<AnalyzeCommand>(); }

}  // namespace fovea::command
