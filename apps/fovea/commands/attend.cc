// fovea attend: attention of q, k, v from files.
#include <fmt/core.h>

#include "command.h"
#include "fovea/attention.h"
#include "fovea/attention_path.h"
#include "fovea/error.h"
#include "inputs/arrays.h"
#include "inputs/model_input.h"
#include "inputs/score_arguments.h"
#include "output/attend_model.h"
#include "words.h"

namespace fovea::command {
namespace {

struct Inputs {
  Tensor q, k, v;
};

class AttendCommand final : public Command {
 public:
  std::string name() const override { return "attend"; }
  Text summary() const override {
    return {"compute attention of q, k, v from files, or of a model reading a text",
            "对文件中的 q、k、v，或对读取文本的模型计算注意力"};
  }
  Text description() const override {
    return {
        "FILE is three files q, k, v (.npy, or any with an array of that name), or one .npz or "
        ".safetensors "
        "with arrays q, k and v. Shapes: q [N, D], k [M, D], v [M, Dv]; [B, N, D]; [B, H, N, D] (k and v "
        "may have "
        "fewer heads); or one more batch axis in front. The result holds `output` and, if asked for, "
        "`weights` and `logsumexp`. It is written whole or not at all. With --model, FILE is a text, the "
        "name of a file, or - for standard input, and a second one makes a pair (of an encoder-decoder "
        "model: what it is made to write). The result then holds `attentions` [layers, batch, heads, "
        "query, "
        "key] (encoder-decoder: `encoder_attentions`, `decoder_attentions`, `cross_attentions`), `ids` and "
        "`tokens`.",
        "FILE 是 q、k、v 三个文件（.npy，或含同名数组的文件），或一个含 q、k、v 的 .npz 或 .safetensors。"
        "形状：q [N, D]、k [M, D]、v [M, Dv]；[B, N, D]；[B, H, N, D]（k、v "
        "的头可以更少）；或前面再加一个批次轴。"
        "结果含 `output`，按需含 `weights` 和 `logsumexp`；要么完整写出，要么不留文件。"
        "使用 --model 时，FILE 是一段文本、文件名，或用 - 表示标准输入；第二个与之组成句对"
        "（对编码器-解码器模型则是让它写出的文本）。此时结果含 `attentions` [层, 批次, 头, 查询, 键]"
        "（编码器-解码器：`encoder_attentions`、`decoder_attentions`、`cross_attentions`）、`ids` 和 "
        "`tokens`。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea attend q.npy k.npy v.npy --mask causal -o out.npz",
             {"writes the array output", "写出数组 output"}},
            {"fovea attend qkv.safetensors --weights --logsumexp -o out.safetensors",
             {"writes output, weights and logsumexp", "写出 output、weights 和 logsumexp"}},
            {"fovea attend qkv.npz --mask 'causal & window(64, 0)' --alibi --scale 0.125 -o out.npy",
             {"the output alone, as .npy", "仅输出，存为 .npy"}},
            {"fovea attend --model minilm \"The cat sat on the mat.\" -o cat.npz",
             {"every layer and head of a model", "一个模型的每一层、每一个头"}},
            {"fovea attend --model minilm --layer 5 --head 0 text.txt -o head.json",
             {"one head, as JSON", "一个头，存为 JSON"}}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("FILE", 1, 3, files_,
                             {"q, k and v, or one file with all three; with --model: texts",
                              "q、k、v，或含三者的一个文件；使用 --model 时为文本"});
    declare_model(options, model_);
    options.integer("--layer", "L", layer_, 0, 1023,
                    {"of a model: this layer only, from 0", "模型：只取这一层，从 0 数起"});
    options.integer("--head", "H", head_, 0, 65535,
                    {"of a model: this head only, from 0", "模型：只取这一个头，从 0 数起"});
    options.path("-o,--output", "FILE", output_,
                 {".npz or .safetensors; .npy for the output alone; .json with --model",
                  ".npz 或 .safetensors；.npy 只存 output；--model 时也可为 .json"});
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
    if (model_) {
      check_model_line();
      attend_by_model(context, {*model_, files_, layer_, head_, *output_, json_});
      return;
    }
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
    report_written(context, *output_, arrays, json_);
  }

 private:
  void check_model_line() const {
    if (files_.size() > 2) throw UsageError("TEXT: got 3 texts, expected one, or two for a pair");
    if (scores_.given() || dropout_ || seed_ || weights_ || logsumexp_) {
      throw UsageError(
          "--model takes no --mask, --scale, --softcap, --dropout, --seed, --alibi, --weights or "
          "--logsumexp: the model says how it attends");
    }
    check_model_output(*output_);
  }

  void check_command_line() const {
    if (layer_ || head_) throw UsageError("--layer and --head need --model");
    if (files_.size() == 2) throw UsageError("FILE: got 2 files, expected three (q, k, v) or one with all");
    const std::string name = lower_case(*output_);  // out.NPZ is fine too, as in the library
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

  std::vector<std::string> files_;
  std::optional<std::string> output_, model_;
  std::optional<Index> layer_, head_;
  ScoreArguments scores_;
  std::optional<double> dropout_;
  std::optional<Index> seed_;
  bool weights_ = false, logsumexp_ = false, json_ = false, verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_attend_command() { return std::make_unique<AttendCommand>(); }

}  // namespace fovea::command
