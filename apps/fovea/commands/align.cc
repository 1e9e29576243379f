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
        "Every line becomes one line of links in Pharaoh's format: 0-2 links source word 0 with target word "
        "2. A line that is no pair, or too long for the model, gives an empty one. The model is made to write the target, and the weights of its tokens are summed into words.");
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
    load_.declare(options);
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
      print_message(
          "fovea: " +
          context.say(tr("{0}: {1} broken lines, whose output is empty; expected \"source TAB "
                         "target\": {2}",
                         one_line(file_.front()), read.broken.size(), numbers_of_lines(read.broken))));
    }
    const TextModel model = load_named_model(*model_, load_);
    const AlignmentOptions options = alignment_.options(model_folder(*model_));
    const StopOnSignal interrupt;
    JsonWriter json;
    if (json_) json.begin_array();
    std::vector<Index> too_long;
    std::size_t next = 0;  // pair
    for (Index line = 1; line <= read.line_count; ++line) {
      if (interrupt.token().stop_requested()) throw Stopped("[align] stopped");
      const bool is_pair = next < read.pairs.size() && read.lines[next] == line;
      const std::optional<WordAlignment> alignment =
          is_pair ? aligned(model, read.pairs[next++], options) : std::nullopt;
      if (is_pair && !alignment) too_long.push_back(line);
      json_ ? write_line(json, alignment)
            : context.print((alignment ? to_pharaoh(alignment->links) : std::string()) + "\n");
    }
    if (json_) {
      json.end_array();
      context.print(json.take());
    }
    if (too_long.empty()) return;
    context.out.flush();
    print_message("fovea: " +
                  context.say(tr("{0}: {1} lines have more tokens than the {2} that the model reads; their "
                                 "output is empty: {3}",
                                 one_line(file_.front()), too_long.size(),
                                 model.model().config().max_tokens, numbers_of_lines(too_long))));
  }

 private:
  // None: a side is too long for the model.
  static std::optional<WordAlignment> aligned(const TextModel& model, const TextPair& pair,
                                              const AlignmentOptions& options) {
    const std::vector<std::string> source = words_between_spaces(pair.source),
                                   target = words_between_spaces(pair.target);
    const auto is_cut = [&](const Tokenizer& tokenizer, const std::vector<std::string>& words) {
      return tokenizer.encode(join_words(words).text).size() > model.model().config().max_tokens;
    };
    if (is_cut(model.tokenizer(), source) || is_cut(model.target_tokenizer(), target)) return std::nullopt;
    return align_words(model, source, target, options);
  }

  static void write_line(JsonWriter& json, const std::optional<WordAlignment>& alignment) {
    if (!alignment) {
      json.null();
      return;
    }
    json.begin_object();
    write_alignment(json, *alignment);
    json.end_object();
  }

  std::vector<std::string> file_;
  std::optional<std::string> model_;
  LoadArguments load_;
  AlignmentArguments alignment_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_align_command() { return std::make_unique<AlignCommand>(); }

}  // namespace fovea::command
