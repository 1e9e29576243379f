// fovea train: trains a small model and writes it as a folder.
#include <filesystem>

#include "command.h"
#include "commands/train/session.h"

namespace fovea::command {
namespace {

class TrainCommand final : public Command {
 public:
  std::string name() const override { return "train"; }
  Message summary() const override { return tr("train a small model and record its attention"); }
  Message description() const override {
    return tr(
        "TASK is sort (digits), induction (words that repeat), addition (a + b modulo 97), coreference (who 她 is), "
        "translate FILE (lines \"source TAB target\"), text FILE, or just FILE: language modelling of a text, whose "
        "last tenth is held out. At the end the folder holds the "
        "model in Hugging Face's layout, its tokenizer, a log of every step, and a checkpoint. Ctrl-C saves a "
        "checkpoint; --resume continues, even after a crash, and ends with exactly the same bits. --film "
        "records the attention of a text every so many steps.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea train sort", tr("learn to sort eight digits, in a minute or two")},
            {"fovea train induction --film \"the cat sat on the mat . the cat sat\" --out born",
             tr("record an induction head as it forms")},
            {"fovea train story.txt --tokenizer characters --steps 500", tr("a text of your own")},
            {"fovea train translate pairs.tsv --film $'I love you.\\t我爱你。'",
             tr("translation, from pairs of your own, and a film of one")},
            {"fovea train --resume --out born", tr("continue after an interruption")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths(
        "TASK", 0, 2, given_.words,
        tr("sort, induction, addition, coreference, translate FILE, text FILE, or FILE"));
    const Index many = Index{1} << 31;
    options.integer("--steps", "N", given_.steps, 0, many, tr("optimizer steps"));
    options.integer("--batch", "N", given_.batch, 1, 1 << 20, tr("sequences per step"));
    options.integer("--d-model", "E", given_.width, 1, 1 << 16, tr("width of the model"));
    options.integer("--layers", "N", given_.layers, 1, 1 << 10, tr("layers"));
    options.integer("--heads", "H", given_.heads, 1, 1 << 10, tr("heads per layer; must divide the width"));
    options.integer("--length", "N", given_.length, 1, 1 << 20,
                    tr("sort: digits; induction and text: tokens of a sequence; translate: at most"));
    options.integer("--seed", "S", given_.seed, 0, INT64_MAX,
                    tr("seed of weights, batches and dropout; default: 0"));
    options.choice("--family", {"gpt2", "llama", "bert", "bart"}, given_.family,
                   tr("model family; bert learns masked tokens of a text, bart translates"));
    options.number("--rate", "X", given_.rate, tr("peak learning rate"));
    options.integer("--warmup", "N", given_.warmup, 0, many, tr("warm-up steps up to the peak rate"));
    options.number("--weight-decay", "X", given_.weight_decay,
                   tr("weight decay of AdamW, on matrices only"));
    options.number("--dropout", "P", given_.dropout,
                   tr("dropout while training; default: 0; translate: 0.1"));
    options.choice("--tokenizer", {"words", "characters", "bpe"}, given_.tokenizer,
                   tr("text: kind of tokenizer; default: bpe"));
    options.integer(
        "--vocabulary", "N", given_.vocabulary, 1, 1 << 24,
        tr("text, translate: largest vocabulary; default: 1000 for bpe, 5000 for translate, otherwise all"));
    options.integer(
        "--evaluate-every", "N", given_.evaluate_every, 0, many,
        tr("steps between evaluations on held-out data; default: a twentieth of all; 0: never"));
    options.texts(
        "--film", "TEXT", given_.film,
        tr("record the attention of this text, of translate \"source TAB target\"; may be repeated"));
    options.integer("--film-every", "N", given_.film_every, 1, many,
                    tr("steps between frames; default: a hundredth of all"));
    options.flag("--half", given_.half, tr("save the model in float16"));
    options.path("--out", "DIR", out_, tr("the folder; default: TASK-model"));
    options.integer("--checkpoint-every", "N", checkpoint_every_, 0, many,
                    tr("steps between checkpoints; default: 200; 0: only at the end"));
    options.flag("--resume", resume_, tr("continue the training in the folder"));
    options.flag("--json", json_, tr("print the result as JSON"));
  }

  void run(const Context& context) override {
    if (given_.words.empty() && !(resume_ && out_)) {
      throw UsageError(
          "TASK is missing: sort, induction, addition, coreference, translate FILE, text FILE, or FILE");
    }
    const TrainFolder folder(out_ ? *out_ : usual_folder());
    const TrainSettings settings =
        resume_ ? settings_to_resume(folder.path(), given_) : settings_of(given_);
    TrainSession session(settings, folder, resume_);
    session.run(context, checkpoint_every_.value_or(200), json_);
  }

 private:
  // sort-model, story-model
  std::string usual_folder() const {
    return std::filesystem::path(given_.words.back()).stem().string() + "-model";
  }

  TrainArguments given_;
  std::optional<std::string> out_;
  std::optional<Index> checkpoint_every_;
  bool resume_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace fovea::command
