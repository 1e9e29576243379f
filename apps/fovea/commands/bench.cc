// fovea bench: how fast, how exact, how much memory, against what a user would pick instead.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "commands/bench/load.h"
#include "commands/bench/tables.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "inputs/model_store.h"

namespace fovea::command {
namespace {

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const bench::GroupInfo& group : bench::groups()) names.push_back(group.name);
  return names;
}

class BenchCommand final : public Command {
 public:
  std::string name() const override { return "bench"; }
  Message summary() const override {
    return tr("speed, errors and memory against BLAS, PyTorch and ONNX Runtime");
  }
  Message description() const override {
    return tr(
        "GROUP is one or more of {0}, all, or part of a name that --list prints. Every result is first "
        "checked against a double-precision reference; then all competitors take turns, round by round. "
        "PyTorch, also in bfloat16, and ONNX Runtime are included if the given Python has them; one that "
        "dies is reported, and the run continues. Cycles are per 16 scores and thread: time × measured "
        "clock × threads / (visible pairs of query and key in all heads / 16). A wrong result from fovea "
        "is a failure (exit code 1).",
        group_names());
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea bench", tr("the default selection, takes a few minutes")},
        {"fovea bench linear", tr("softmax against linear attention, and how both grow with n")},
        {"fovea bench forward decode --rounds 25 --json out.json --csv out.csv",
         tr("two groups, with all results in files")},
        {"fovea bench --list all", tr("everything that can be measured")},
        {"fovea bench 4096x64 --python venv/bin/python",
         tr("a selection by name, with the packages of that Python")},
        {"fovea bench forward --before build/before/peer",
         tr("the kernels of another commit in the same rounds; make bench-before COMMIT=... builds them")},
        {"fovea bench products",
         tr("matrix products against OpenBLAS, MultiHeadAttention against PyTorch")},
        {"fovea bench train", tr("training steps, against PyTorch, eager and compiled")},
        {"fovea bench models --model minilm", tr("a whole model, against PyTorch and ONNX Runtime")}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("GROUP", 0, 1000, wanted_, tr("groups, or parts of names; default: show"));
    options.suggest(group_names());
    options.integer("--rounds", "N", rounds_, 1, 100000,
                    tr("rounds per scenario; default: 9, 25 for decoding, 100 for linear at n = 1024"));
    options.integer("--seconds", "S", seconds_, 0, 1000000,
                    tr("time limit per scenario, after at least three rounds; 0: none; default: 30"));
    options.path("--json", "FILE", json_, tr("write everything as JSON"));
    options.path("--csv", "FILE", csv_, tr("write one row per scenario and competitor"));
    options.path(
        "--python", "PATH", python_,
        tr("a Python with torch, onnxruntime, onnx, numpy (for models also transformers); none: skip "
           "them; default: python3"));
    options.path("--before", "FILE", before_,
                 tr("a program made by scripts/build_before: the attention of another commit takes part"));
    options.text(
        "--model", "NAME|DIR", model_,
        tr("for the group models: the model to run; default: minilm and stories15m, if installed"));
    options.flag("--list", list_, tr("list what would be measured"));
  }
  void run(const Context& context) override {
    const auto wants = [&](const char* group) {
      return std::find(wanted_.begin(), wanted_.end(), group) != wanted_.end();
    };
    const bool models = wants("models"), products = wants("products"), training = wants("train");
    if (model_ && !models) throw UsageError("--model only applies to the group models");
    if (models && wanted_.size() > 1) throw UsageError("models cannot be combined with other groups");
    if (before_ && (models || products || training)) {
      throw UsageError("--before does not apply to the groups models, products and train");
    }
    const bench::Module& benchmark = load_benchmark();
    std::vector<bench::ScenarioInfo> scenarios;
    try {
      scenarios = benchmark.list(wanted_);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    if (list_) {
      print_bench_list(context, scenarios);
      return;
    }
    const bench::Options chosen = options(context);
    const bench::Report report = models     ? benchmark.run_models(model_folders(), chosen)
                                 : products ? benchmark.run_products(chosen)
                                 : training ? benchmark.run_training(chosen)
                                            : benchmark.run(chosen);
    if (isatty(STDERR_FILENO) != 0) std::fputs("\r\x1b[K", stderr);
    print_bench_report(context, report);
    if (json_) write_file(*json_, bench::to_json(report));
    if (csv_) write_file(*csv_, bench::to_csv(report));
    if (report.mistakes.empty()) return;
    context.out.flush();
    throw Error(fmt::format("[bench] wrong result from fovea: {}", fmt::join(report.mistakes, "; ")));
  }

 private:
  std::vector<std::string> model_folders() const {
    if (model_) return {model_folder(*model_)};
    std::vector<std::string> folders;
    for (const StoredModel& model : stored_models()) {
      if (is_stored(model)) folders.push_back(model_folder(model.name));
    }
    if (folders.empty())
      throw Error(
          "[bench] no model installed; use fovea model get minilm, or --model "
          "DIR");
    return folders;
  }

  bench::Options options(const Context& context) const {
    bench::Options options;
    options.wanted = wanted_;
    if (rounds_) options.rounds = static_cast<int>(*rounds_);
    if (seconds_) options.seconds = static_cast<double>(*seconds_);
    if (python_) options.python = *python_ == "none" ? "" : *python_;
    if (before_) options.before = *before_;
    if (isatty(STDERR_FILENO) != 0) {
      options.progress = [&context](const bench::Progress& progress) { show_progress(context, progress); };
    }
    return options;
  }

  // One line on standard error, written over by the next.
  static void show_progress(const Context& context, const bench::Progress& progress) {
    std::string line = fmt::format("\r\x1b[K[{}/{}] {}", progress.scenario, progress.scenarios,
                                   context.say(progress.label));
    if (progress.round > 0) line += context.say(tr(", round {0} of {1}", progress.round, progress.rounds));
    std::fputs(line.c_str(), stderr);
  }

  std::vector<std::string> wanted_;
  std::optional<Index> rounds_, seconds_;
  std::optional<std::string> json_, csv_, python_, model_, before_;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> make_bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace fovea::command
