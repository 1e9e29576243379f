// fovea attend: attention of q, k, v from files.
#include <fmt/core.h>

#include "command.h"
#include "commands/attend_ring.h"
#include "fovea/ascii.h"
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
  Message summary() const override {
    return tr("compute attention from files of q, k, v, or from a model and a text");
  }
  Message description() const override {
    return tr(
        "FILE is three files for q, k and v (.npy, or any file with an array of that name), or one .npz "
        "or .safetensors file with the arrays q, k and v. Shapes: q [N, D], k [M, D], v [M, Dv]; [B, N, "
        "D]; [B, H, N, D] (k and v may have fewer heads); or one more batch axis in front. The result "
        "holds `output` and, on request, `weights` and `logsumexp`; it is written completely or not at "
        "all. With --model, FILE is a text, the name of a file, or - for standard input, and a second one "
        "makes a pair (for an encoder-decoder model: the decoder's text). The result then holds "
        "`attentions` [layers, batch, heads, query, key] (encoder-decoder: `encoder_attentions`, "
        "`decoder_attentions`, `cross_attentions`), `ids` and `tokens`.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea attend q.npy k.npy v.npy --mask causal -o out.npz", tr("writes the array output")},
        {"fovea attend qkv.safetensors --weights --logsumexp -o out.safetensors",
         tr("writes output, weights and logsumexp")},
        {"fovea attend qkv.npz --mask 'causal & window(64, 0)' --alibi --scale 0.125 -o out.npy",
         tr("the output alone, as .npy")},
        {"mpirun -n 4 fovea attend q.npy k.npy v.npy --mask causal --mpi -o out.npy",
         tr("one long sequence over four processes")},
        {"fovea attend --model minilm \"The cat sat on the mat.\" -o cat.npz",
         tr("every layer and head of a model")},
        {"fovea attend --model minilm --layer 5 --head 0 text.txt -o head.json", tr("one head, as JSON")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("FILE", 1, 3, files_,
                             tr("files of q, k and v, or one file with all three; with --model: texts"));
    declare_model(options, model_);
    declare_weights(options, model_weights_, "--model-weights");
    options.integer("--layer", "L", layer_, 0, 1023, tr("with --model: only this layer, counted from 0"));
    options.integer("--head", "H", head_, 0, 65535, tr("with --model: only this head, counted from 0"));
    options.path("-o,--output", "FILE", output_,
                 tr(".npz or .safetensors; .npy for the output alone; .json with --model"));
    options.require_last();
    scores_.declare(options);
    options.number("--dropout", "P", dropout_, tr("probability of dropping a weight"));
    options.integer("--seed", "S", seed_, 0, INT64_MAX, tr("seed of the dropout; default: 0"));
    options.choice("--precision", {"float32", "bf16"}, precision_,
                   tr("bf16: round q, k, v and exponentials to bfloat16, sum in float32; relative error "
                      "about 0.3 %; with --model: in all of the model, about 0.5 %; default: float32"));
    options.flag("--weights", weights_, tr("also write the weights [.., N, M]"));
    options.flag("--logsumexp", logsumexp_, tr("also write log Σ exp of the scores [.., N]"));
    options.flag("--mpi", mpi_,
                 tr("under mpirun: each process reads and writes its rows of three .npy files and one "
                    "output; needs a build with FOVEA_MPI"));
    options.flag("--verbose", verbose_,
                 tr("report on standard error which path ran: instruction set, tiles, time"));
    options.flag("--json", json_, tr("print names and shapes of what was written, machine-readable"));
  }

  void run(const Context& context) override {
    if (model_) {
      check_model_line();
      attend_by_model(
          context,
          {*model_, {model_weights_, precision_}, files_, layer_, head_, *output_, verbose_, json_});
      return;
    }
    check_command_line();
    if (mpi_) {
      exit_code_ = attend_over_ranks(
          context, {files_, *output_, [this](const Shape& q) { return attention_options(q); }, json_});
      return;
    }
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

  int exit_code() const override { return exit_code_; }

 private:
  void check_model_line() const {
    if (files_.size() > 2) throw UsageError("TEXT: got 3 texts, expected one, or two for a pair");
    if (mpi_) throw UsageError("--mpi takes files of q, k and v, not --model");
    if (scores_.given() || dropout_ || seed_ || weights_ || logsumexp_) {
      throw UsageError(
          "--model takes no --mask, --scale, --softcap, --dropout, --seed, --alibi, --weights or "
          "--logsumexp: these are fixed by the model");
    }
    check_model_output(*output_);
  }

  void check_command_line() const {
    if (layer_ || head_) throw UsageError("--layer and --head need --model");
    if (model_weights_) throw UsageError("--model-weights needs --model");
    if (files_.size() == 2)
      throw UsageError(
          "FILE: got 2 files, expected three (q, k, v) or one that "
          "holds all");
    const std::string name = ascii_lower_case(*output_);  // out.NPZ is fine too, as in the library
    const bool npy = name.ends_with(".npy");
    if (!npy && !name.ends_with(".npz") && !name.ends_with(".safetensors")) {
      throw UsageError(
          fmt::format("--output: got \"{}\", expected a name ending in .npz, .safetensors or .npy",
                      one_line(*output_)));
    }
    if (npy && (weights_ || logsumexp_)) {
      throw UsageError("--output: a .npy file holds only the output; use .npz or .safetensors for more");
    }
    if (mpi_ && (!npy || files_.size() != 3 || weights_ || logsumexp_ || dropout_)) {
      throw UsageError(
          "--mpi takes three .npy files and a .npy output, and no --weights, --logsumexp or --dropout");
    }
    if (dropout_ && !(*dropout_ >= 0 && *dropout_ < 1)) {
      throw UsageError(fmt::format("--dropout: got {}, expected 0 ≤ P < 1", *dropout_));
    }
    if (in_bfloat16() && (weights_ || dropout_)) {
      throw UsageError("--precision bf16 takes no --weights and no --dropout: these need float32");
    }
    scores_.check();
  }

  bool in_bfloat16() const { return precision_ == "bf16"; }

  Inputs read_inputs() const {
    if (files_.size() == 1) {
      const ArrayFile file(files_[0]);
      return {pick_tensor(file, "q", {}), pick_tensor(file, "k", {}), pick_tensor(file, "v", {})};
    }
    return {pick_tensor(ArrayFile(files_[0]), std::nullopt, {"q"}),
            pick_tensor(ArrayFile(files_[1]), std::nullopt, {"k"}),
            pick_tensor(ArrayFile(files_[2]), std::nullopt, {"v"})};
  }

  AttentionOptions attention_options(const Shape& q) const {
    AttentionOptions options = scores_.attention_options(q.rank() >= 4 ? q.back(2) : 1);
    options.dropout = static_cast<float>(dropout_.value_or(0));
    options.seed = static_cast<std::uint64_t>(seed_.value_or(0));
    options.weights = weights_;
    options.logsumexp = logsumexp_;
    options.precision = in_bfloat16() ? Precision::bfloat16 : Precision::float32;
    return options;
  }

  std::vector<std::string> files_;
  std::optional<std::string> output_, model_;
  std::optional<FloatType> model_weights_;
  std::optional<Index> layer_, head_;
  ScoreArguments scores_;
  std::optional<double> dropout_;
  std::optional<Index> seed_;
  std::string precision_ = "float32";
  bool weights_ = false, logsumexp_ = false, json_ = false, verbose_ = false, mpi_ = false;
  int exit_code_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_attend_command() { return std::make_unique<AttendCommand>(); }

}  // namespace fovea::command
