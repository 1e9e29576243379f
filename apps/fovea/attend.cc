// fovea attend: attention of q, k, v from files.
#include <fmt/core.h>

#include "arrays.h"
#include "command.h"
#include "fovea/attention.h"
#include "fovea/attention_path.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "score_arguments.h"

namespace fovea::command {
namespace {

struct Inputs {
  Tensor q, k, v;
};

class AttendCommand final : public Command {
 public:
  std::string name() const override { return "attend"; }
  Text summary() const override {
    return {"compute attention of q, k, v from files", "对文件中的 q、k、v 计算注意力"};
  }
  Text description() const override {
    return {
        "FILE is three files q, k, v (.npy, or any with an array of that name), or one .npz or "
        ".safetensors "
        "with arrays q, k and v. Shapes: q [N, D], k [M, D], v [M, Dv]; [B, N, D]; [B, H, N, D] (k and v "
        "may have "
        "fewer heads); or one more batch axis in front. The result holds `output` and, if asked for, "
        "`weights` and `logsumexp`. It is written whole or not at all.",
        "FILE 是 q、k、v 三个文件（.npy，或含同名数组的文件），或一个含 q、k、v 的 .npz 或 .safetensors。"
        "形状：q [N, D]、k [M, D]、v [M, Dv]；[B, N, D]；[B, H, N, D]（k、v "
        "的头可以更少）；或前面再加一个批次轴。"
        "结果含 `output`，按需含 `weights` 和 `logsumexp`；要么完整写出，要么不留文件。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea attend q.npy k.npy v.npy --mask causal -o out.npz",
             {"writes the array output", "写出数组 output"}},
            {"fovea attend qkv.safetensors --weights --logsumexp -o out.safetensors",
             {"writes output, weights and logsumexp", "写出 output、weights 和 logsumexp"}},
            {"fovea attend qkv.npz --mask 'causal & window(64, 0)' --alibi --scale 0.125 -o out.npy",
             {"the output alone, as .npy", "仅输出，存为 .npy"}}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("FILE", 1, 3, files_,
                             {"q, k and v, or one file with all three", "q、k、v，或含三者的一个文件"});
    options.path(
        "-o,--output", "FILE", output_,
        {".npz or .safetensors; .npy for the output alone", ".npz 或 .safetensors；.npy 只存 output"});
    options.require_last();
    scores_.declare(options);
    options.number("--dropout", "P", dropout_, {"share of the weights dropped", "丢弃权重的比例"});
    options.integer("--seed", "S", seed_, 0, INT64_MAX,
                    {"of the dropout; default: 0", "dropout 的种子；默认 0"});
    options.flag("--weights", weights_, {"also write the weights [.., N, M]", "同时写出权重 [.., N, M]"});
    options.flag("--logsumexp", logsumexp_,
                 {"also write log Σ exp of the scores [.., N]", "同时写出分数的 log Σ exp [.., N]"});
    options.flag("--verbose", verbose_,
                 {"tell on standard error which path ran: instruction set, tiles, time",
                  "在标准错误上说明所走的路径：指令集、分块、时间"});
    options.flag(
        "--json", json_,
        {"print names and shapes of what was written, for programs", "打印所写数组的名称与形状（JSON）"});
  }

  void run(const Context& context) override {
    check_command_line();
    const Inputs inputs = read_inputs();
    if (verbose_) {
      observe_attention([](const AttentionPath& path) { print_message(path.to_string()); });
    }
    AttentionResult result = attention(inputs.q, inputs.k, inputs.v, attention_options(inputs.q.shape()));
    NamedArrays arrays("[attend]");
    arrays.add("output", std::move(result.output));
    if (weights_) arrays.add("weights", std::move(result.weights));
    if (logsumexp_) arrays.add("logsumexp", std::move(result.logsumexp));
    save_arrays(*output_, arrays);
    report(context, arrays);
  }

 private:
  void check_command_line() const {
    if (files_.size() == 2) throw UsageError("FILE: got 2 files, expected three (q, k, v) or one with all");
    std::string name = *output_;  // out.NPZ is fine too, as in the library
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool npy = name.ends_with(".npy");
    if (!npy && !name.ends_with(".npz") && !name.ends_with(".safetensors")) {
      throw UsageError(
          fmt::format("--output: got \"{}\", expected a name ending in .npz, .safetensors or .npy",
                      one_line(*output_)));
    }
    if (npy && (weights_ || logsumexp_)) {
      throw UsageError("--output: a .npy holds the output alone; take .npz or .safetensors for more");
    }
    if (dropout_ && !(*dropout_ >= 0 && *dropout_ < 1)) {
      throw UsageError(fmt::format("--dropout: got {}, expected 0 ≤ P < 1", *dropout_));
    }
    scores_.check();
  }

  Inputs read_inputs() const {
    if (files_.size() == 1) {
      const NamedArrays arrays = load_arrays(files_[0]);
      return {pick_named(arrays, "q"), pick_named(arrays, "k"), pick_named(arrays, "v")};
    }
    return {pick_tensor(load_arrays(files_[0]), std::nullopt, {"q"}),
            pick_tensor(load_arrays(files_[1]), std::nullopt, {"k"}),
            pick_tensor(load_arrays(files_[2]), std::nullopt, {"v"})};
  }
  static Tensor pick_named(const NamedArrays& arrays, const std::string& name) {
    return pick_tensor(arrays, name, {});
  }

  AttentionOptions attention_options(const Shape& q) const {
    AttentionOptions options = scores_.attention_options(q.rank() >= 4 ? q.back(2) : 1);
    options.dropout = static_cast<float>(dropout_.value_or(0));
    options.seed = static_cast<std::uint64_t>(seed_.value_or(0));
    options.weights = weights_;
    options.logsumexp = logsumexp_;
    return options;
  }

  // For programs on standard output; a person is told on the other stream.
  void report(const Context& context, const NamedArrays& arrays) const {
    JsonWriter json;
    json.begin_object();
    json.key("file");
    json.string(*output_);
    std::string line;
    for (const NamedArrays::Entry& entry : arrays) {
      json.key(entry.name);
      json.shape(entry.shape());
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", entry.name, entry.shape().to_string());
    }
    json.end_object();
    if (json_) {
      context.print(json.take());
    } else {
      print_message(fmt::format("{} → {}", line, *output_));
    }
  }

  std::vector<std::string> files_;
  std::optional<std::string> output_;
  ScoreArguments scores_;
  std::optional<double> dropout_;
  std::optional<Index> seed_;
  bool weights_ = false, logsumexp_ = false, json_ = false, verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_attend_command() { return std::make_unique<AttendCommand>(); }

}  // namespace fovea::command
