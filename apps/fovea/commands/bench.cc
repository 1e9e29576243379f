// fovea bench: how fast, how exact, how much memory, against what a user would pick instead.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "commands/bench/tables.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "inputs/model_store.h"

namespace fovea::command {
namespace {

std::string group_names(const char* separator) {
  std::vector<std::string> names;
  for (const bench::GroupInfo& group : bench::groups()) names.push_back(group.name);
  return fmt::format("{}", fmt::join(names, separator));
}

class BenchCommand final : public Command {
 public:
  std::string name() const override { return "bench"; }
  Text summary() const override {
    return {"speed, errors and memory against BLAS, PyTorch and ONNX Runtime",
            "与 BLAS、PyTorch、ONNX Runtime 比较速度、误差与内存"};
  }
  Text description() const override {
    return {
        fmt::format(
            "GROUP is one or more of {}, all, or a part of the names that --list prints. Every result is "
            "compared with a double reference first; then all run in turn, round by round. PyTorch and "
            "ONNX Runtime are measured where the Python given has them. A wrong result of fovea is a "
            "failure (exit code 1).",
            group_names(", ")),
        fmt::format(
            "GROUP 可取一个或多个：{}、all，或 --list 所列名称的一部分。先将每个结果与双精度参考比较，"
            "再逐轮交替运行。所给 Python 装有 PyTorch 和 ONNX Runtime 时一并测量。fovea "
            "结果有误即失败（退出码 1）。",
            group_names("、"))};
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea bench", {"the chosen few, some minutes", "精选项目，几分钟"}},
        {"fovea bench linear",
         {"softmax against linear attention, and how both grow with n",
          "softmax 与线性注意力，以及随 n 的增长"}},
        {"fovea bench forward decode --rounds 25 --json out.json --csv out.csv",
         {"two groups, with everything in files", "两组，并将全部结果写入文件"}},
        {"fovea bench --list all", {"everything that can be measured", "列出所有可测项目"}},
        {"fovea bench 4096x64 --python venv/bin/python",
         {"a selection by name, with the packages of that Python", "按名称选择，并使用该 Python 的包"}},
        {"fovea bench products",
         {"matrix products against OpenBLAS, MultiHeadAttention against PyTorch",
          "矩阵乘积与 OpenBLAS 比较，MultiHeadAttention 与 PyTorch 比较"}},
        {"fovea bench models --model minilm",
         {"a whole model, against PyTorch and ONNX Runtime", "整个模型，与 PyTorch、ONNX Runtime 比较"}}};
  }
  void declare(OptionList& options) override {
    options.positional_texts(
        "GROUP", 0, 1000, wanted_,
        {"groups, or parts of names; default: show", "组名，或名称的一部分；默认 show"});
    options.integer("--rounds", "N", rounds_, 1, 100000,
                    {"rounds of each scenario; default: 9, 25 for decoding, 100 for linear at n = 1024",
                     "每个场景的轮数；默认 9，解码 25，n = 1024 的线性比较 100"});
    options.integer("--seconds", "S", seconds_, 0, 1000000,
                    {"after this time a scenario ends with its third round or later; 0: never; default: 30",
                     "超过此时间后，场景在第三轮或之后结束；0 表示不限；默认 30"});
    options.path("--json", "FILE", json_, {"write everything as JSON", "将全部结果写成 JSON"});
    options.path("--csv", "FILE", csv_,
                 {"write one row per scenario and competitor", "写 CSV，每个场景和对手一行"});
    options.path(
        "--python", "PATH", python_,
        {"the Python that has torch, onnxruntime, onnx, numpy (for models: transformers, too); none: "
         "without; default: python3",
         "装有 torch、onnxruntime、onnx、numpy（models 组还需 transformers）的 Python；none "
         "表示不用；默认 python3"});
    options.text(
        "--model", "NAME|DIR", model_,
        {"with the group models: this one; default: minilm and stories15m, as far as they are there",
         "用于 models 组：指定模型；默认 minilm 与 stories15m（已下载者）"});
    options.flag("--list", list_, {"list what would be measured", "只列出要测的项目"});
  }
  void run(const Context& context) override {
    const auto wants = [&](const char* group) {
      return std::find(wanted_.begin(), wanted_.end(), group) != wanted_.end();
    };
    const bool models = wants("models"), products = wants("products");
    if (model_ && !models) throw UsageError("--model is for the group models");
    if (models && wanted_.size() > 1) throw UsageError("models runs alone: no other group beside it");
    std::vector<bench::ScenarioInfo> scenarios;
    try {
      scenarios = bench::list(wanted_);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    if (list_) {
      print_bench_list(context, scenarios);
      return;
    }
    const bench::Options chosen = options(context);
    const bench::Report report = models     ? bench::run_models(model_folders(), chosen)
                                 : products ? bench::run_products(chosen)
                                            : bench::run(chosen);
    if (isatty(STDERR_FILENO) != 0) std::fputs("\r\x1b[K", stderr);
    print_bench_report(context, report);
    if (json_) write_file(*json_, bench::to_json(report));
    if (csv_) write_file(*csv_, bench::to_csv(report));
    if (report.mistakes.empty()) return;
    context.out.flush();
    throw Error(fmt::format("[bench] fovea is wrong: {}", fmt::join(report.mistakes, "; ")));
  }

 private:
  std::vector<std::string> model_folders() const {
    if (model_) return {model_folder(*model_)};
    std::vector<std::string> folders;
    for (const StoredModel& model : stored_models()) {
      if (is_stored(model)) folders.push_back(model_folder(model.name));
    }
    if (folders.empty()) throw Error("[bench] no model is there: fovea model get minilm, or --model DIR");
    return folders;
  }

  bench::Options options(const Context& context) const {
    bench::Options options;
    options.wanted = wanted_;
    if (rounds_) options.rounds = static_cast<int>(*rounds_);
    if (seconds_) options.seconds = static_cast<double>(*seconds_);
    if (python_) options.python = *python_ == "none" ? "" : *python_;
    if (isatty(STDERR_FILENO) != 0) {
      options.progress = [&context](const bench::Progress& progress) { show_progress(context, progress); };
    }
    return options;
  }

  // One line on standard error, written over by the next.
  static void show_progress(const Context& context, const bench::Progress& progress) {
    const Text round = {fmt::format(", round {} of {}", progress.round, progress.rounds),
                        fmt::format("，第 {} 轮，共 {} 轮", progress.round, progress.rounds)};
    const std::string line =
        fmt::format("\r\x1b[K[{}/{}] {}{}", progress.scenario, progress.scenarios,
                    context.say(progress.label), progress.round == 0 ? "" : context.say(round));
    std::fputs(line.c_str(), stderr);
  }

  std::vector<std::string> wanted_;
  std::optional<Index> rounds_, seconds_;
  std::optional<std::string> json_, csv_, python_, model_;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> make_bench_command() { return std::make_unique<BenchCommand>(); }

}  // namespace fovea::command
