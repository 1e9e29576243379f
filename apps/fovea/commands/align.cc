// fovea align: links between the words of pairs.
#include <fmt/core.h>

#include "command.h"
#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/text_pairs.h"
#include "fovea/word_alignment.h"
#include "inputs/alignment_options.h"
#include "inputs/model_input.h"
#include "inputs/model_store.h"

namespace fovea::command {
namespace {

class AlignCommand final : public Command {
 public:
  std::string name() const override { return "align"; }
  Message summary() const override { return tr("align the words of sentence pairs by cross-attention"); }
  Message description() const override {
    return tr(
        "FILE has lines \"source TAB target\", words divided by white space; further columns are ignored. "
        "Every pair becomes one line of links in Pharaoh's format: 0-2 links source word 0 with target word "
        "2. The model is made to write the target, and the weights of its tokens are summed into words.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea align --model en-zh pairs.tsv", tr("one line of links per pair")},
            {"fovea align --model en-zh --reading reading pairs.tsv",
             tr("what the step looks at that reads the word: much worse")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("FILE", 1, 1, file_, tr("lines \"source TAB target\""));
    declare_model(options, model_);
    options.require_last();
    alignment_.declare(options);
    options.flag("--json", json_, tr("print words, weights and links as JSON"));
  }

  void run(const Context& context) override {
    const TextPairs read = load_text_pairs(file_.front());
    if (read.pairs.empty()) {
      throw Error(
          fmt::format("[align] {}: there is no line \"source TAB target\" in it", one_line(file_.front())));
    }
    if (!read.broken.empty()) {
      print_message("fovea: " + context.say(tr("{0}: {1} broken lines left out, expected \"source TAB "
                                               "target\": {2}",
                                               one_line(file_.front()), read.broken.size(),
                                               numbers_of_lines(read.broken))));
    }
    const TextModel model = load_named_model(*model_);
    const AlignmentOptions options = alignment_.options(model_folder(*model_));
    const StopOnSignal interrupt;
    JsonWriter json;
    if (json_) json.begin_array();
    for (const TextPair& pair : read.pairs) {
      if (interrupt.token().stop_requested()) throw Stopped("[align] stopped");
      const WordAlignment alignment =
          align_words(model, words_between_spaces(pair.source), words_between_spaces(pair.target), options);
      if (json_) {
        json.begin_object();
        write_alignment(json, alignment);
        json.end_object();
      } else {
        context.print(to_pharaoh(alignment.links) + "\n");
      }
    }
    if (!json_) return;
    json.end_array();
    context.print(json.take());
  }

 private:
  std::vector<std::string> file_;
  std::optional<std::string> model_;
  AlignmentArguments alignment_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_align_command() { return std::make_unique<AlignCommand>(); }

}  // namespace fovea::command
