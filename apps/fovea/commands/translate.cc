// fovea translate: a text in another language, and which word came from which.
#include <fmt/core.h>

#include <algorithm>

#include "command.h"
#include "end_signal.h"
#include "fovea/ascii.h"
#include "fovea/attention_lines.h"
#include "fovea/error.h"
#include "fovea/figure.h"
#include "fovea/generation.h"
#include "fovea/json_writer.h"
#include "fovea/word_alignment.h"
#include "inputs/alignment_options.h"
#include "inputs/beam_arguments.h"
#include "inputs/model_input.h"
#include "inputs/model_store.h"
#include "inputs/text_argument.h"
#include "output/reading_notes.h"

namespace fovea::command {
namespace {

class TranslateCommand final : public Command {
 public:
  std::string name() const override { return "translate"; }
  Message summary() const override { return tr("translate a text, and show which word came from which"); }
  Message description() const override {
    return tr(
        "TEXT is a text, the name of a file, or - for standard input. Below the translation stands, word by "
        "word, what the decoder looked at when it wrote it: the share of its cross-attention. -o draws the "
        "same as lines. en-zh, which comes with fovea, translates short English sentences into Chinese.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea translate --model en-zh \"I love you.\"", tr("three words, and where they came from")},
        {"fovea translate --model en-zh \"Where is my book?\" -o book.svg", tr("the same as a picture")},
        {"fovea translate --model en-zh --beams 4 \"She didn't like the horse at first.\"",
         tr("the best of four texts that grow side by side")},
        {"fovea translate --model en-zh --lines english.txt", tr("a file, line by line")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("TEXT", 1, 1, text_, tr("a text, a file, or -"));
    declare_model(options, model_);
    options.require_last();
    load_.declare(options);
    options.integer("-n,--tokens", "N", tokens_, 1, 1 << 20,
                    tr("maximum number of new tokens; default: "
                       "200"));
    beams_.declare(options);
    options.flag("--lines", lines_, tr("every line is a text of its own; only translations are printed"));
    alignment_.declare(options);
    options.path("-o,--output", "FILE", output_, tr("a picture of the alignment: .png, .svg or .pdf"));
    options.flag("--json", json_, tr("print JSON"));
  }

  void run(const Context& context) override {
    beams_.check();
    if (lines_ && (output_ || json_)) throw UsageError("--lines: goes with neither -o nor --json");
    const TextModel model = load_named_model(*model_, load_);
    if (!model.model().config().is_encoder_decoder()) {
      throw Error(fmt::format("[translate] {} is a {} model: expected an encoder with a decoder",
                              model.model().name(), to_string(model.model().config().family)));
    }
    const StopOnSignal interrupt;
    const std::string text = text_of_argument(text_.front());
    if (lines_) return print_lines(context, model, text, interrupt.token());
    const std::string translation = translated(model, text, interrupt.token(), &context);
    const std::vector<std::string> source = words_and_marks(text), target = words_and_marks(translation);
    if (target.empty()) throw Error("[translate] the model wrote nothing");
    const WordAlignment alignment =
        align_words(model, source, target, alignment_.options(model_folder(*model_)));
    json_ ? print_json(context, text, translation, alignment)
          : print_alignment(context, translation, alignment);
    if (output_) draw(context, translation, alignment);
  }

 private:
  std::string translated(const TextModel& model, const std::string& text, const std::stop_token& stop,
                         const Context* notes) const {
    const Encoding source = model.encode({text});
    if (notes != nullptr) print_reading_notes(source.texts, notes->language);
    GenerationOptions options;
    options.max_tokens = tokens_.value_or(options.max_tokens);
    options.stop = stop;
    beams_.apply(options);
    const Generation generated = generate(model.model(), source.ids, options);
    if (stop.stop_requested()) throw Stopped("[translate] stopped");
    std::string translation = model.target_tokenizer().decode(generated.ids);
    translation.erase(0, translation.find_first_not_of(' '));
    return translation;
  }

  void print_lines(const Context& context, const TextModel& model, const std::string& text,
                   const std::stop_token& stop) const {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      const bool empty = words_between_spaces(line).empty();
      context.line(one_line(empty ? "" : translated(model, line, stop, nullptr)));
      at = end + 1;
    }
  }

  // A line per word of the translation, with the words it is linked with.
  static void print_alignment(const Context& context, const std::string& translation,
                              const WordAlignment& alignment) {
    context.line(one_line(translation));
    context.line();
    std::size_t width = 0;
    for (const std::string& word : alignment.target) {
      width = std::max(width, static_cast<std::size_t>(display_width(one_line(word))));
    }
    for (std::size_t t = 0; t < alignment.target.size(); ++t) {
      const std::string word = one_line(alignment.target[t]);
      std::string partners;
      for (const AlignmentLink& link : alignment.links) {
        if (link.target != static_cast<Index>(t)) continue;
        partners += fmt::format("{}{} {:.2f}", partners.empty() ? "" : ", ",
                                one_line(alignment.source[static_cast<std::size_t>(link.source)]),
                                alignment.weights(link.target, link.source));
      }
      const auto gap = width - static_cast<std::size_t>(display_width(word));
      context.line(fmt::format("  {}{} ── {}", word, std::string(gap, ' '),
                               partners.empty() ? context.say(tr("no word stands out")) : partners));
    }
  }

  static void print_json(const Context& context, const std::string& text, const std::string& translation,
                         const WordAlignment& alignment) {
    JsonWriter json;
    json.begin_object();
    json.key("text").string(text);
    json.key("translation").string(translation);
    write_alignment(json, alignment);
    json.end_object();
    context.print(json.take());
  }

  void draw(const Context& context, const std::string& translation, const WordAlignment& alignment) const {
    AttentionLinesOptions options;
    options.queries = alignment.target;
    options.keys = alignment.source;
    options.head_names = {context.say(tr("cross-attention"))};
    options.title = one_line(translation);
    options.language = context.language;
    const Figure figure = attention_lines(alignment.weights, options);
    save_figure(*output_, figure);
    print_message(
        fmt::format("lines {:.1f} × {:.1f} in → {}", figure.width() / 72, figure.height() / 72, *output_));
  }

  std::vector<std::string> text_;
  std::optional<std::string> model_, output_;
  LoadArguments load_;
  std::optional<Index> tokens_;
  BeamArguments beams_;
  AlignmentArguments alignment_;
  bool json_ = false, lines_ = false;
};

}  // namespace

std::unique_ptr<Command> make_translate_command() { return std::make_unique<TranslateCommand>(); }

}  // namespace fovea::command
