// fovea predict: what a model expects at a position.
#include "fovea/predict.h"

#include <fmt/core.h>

#include <algorithm>

#include "command.h"
#include "fovea/attribution.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/places.h"
#include "fovea/tokenizer.h"
#include "inputs/model_input.h"
#include "inputs/text_argument.h"
#include "output/prediction_sources.h"
#include "output/prediction_table.h"
#include "output/reading_notes.h"

namespace fovea::command {
namespace {

class PredictCommand final : public Command {
 public:
  std::string name() const override { return "predict"; }
  Message summary() const override {
    return tr("what a model predicts: the most likely tokens, or the similarity of two texts");
  }
  Message description() const override {
    return tr(
        "TEXT is a text, the name of a file, or - for standard input. Decoders predict the next token, by "
        "default after the last one; BERT with its masked-language layer predicts every [MASK]; an "
        "encoder-decoder model reads the first text and predicts what comes after the second one, or its "
        "own first token. Encoders without an output layer, such as MiniLM, make one vector of a text, the "
        "mean over its tokens, and the cosine tells how similar two texts are.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea predict --model stories15m \"Once upon a\"", tr("the most likely next tokens")},
        {"fovea predict --model stories15m --position all --top 1 \"Once upon a time\"",
         tr("the same after every token")},
        {"fovea predict --model stories15m --lens \"Once upon a\"", tr("what each layer would predict")},
        {"fovea predict --model stories15m --attribution --token \" time\" \"Once upon a\"",
         tr("what each head and feed-forward layer adds to a logit")},
        {"fovea predict --model bert/ \"The cat sat on the [MASK].\"", tr("a masked token")},
        {"fovea predict --model minilm \"A cat sleeps.\" \"A kitten naps.\"",
         tr("how similar two texts are")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("TEXT", 1, 2, texts_, tr("a text, a file, or -; a second one makes a pair"));
    declare_model(options, model_);
    options.require_last();
    load_.declare(options);
    options.text("--position", "P", position_,
                 tr("positions or tokens, separated by commas, or all; default: the last, of BERT every "
                    "[MASK]"));
    options.integer("--top", "K", top_, 1, INT32_MAX,
                    tr("how many tokens, or parts, to list; default: 10, with --lens 3"));
    options.flag("--lens", lens_,
                 tr("logit lens: what each layer would predict if it were the last, and how likely the "
                    "token is that is predicted in the end (or --token)"));
    options.flag("--attribution", attribution_,
                 tr("what embeddings, heads and feed-forward layers add to the logit of the token that is "
                    "predicted (or --token), and the norm of what they add to the stream; for models whose "
                    "norms come first: GPT-2, Llama, T5, mBART"));
    options.text("--token", "TEXT", token_,
                 tr("with --lens or --attribution: this token; \" he\" has a space before it"));
    options.flag("--json", json_, tr("print JSON"));
  }

  void run(const Context& context) override {
    if (lens_ && attribution_) throw UsageError("--lens and --attribution: choose one of them");
    if (token_ && !lens_ && !attribution_) throw UsageError("--token needs --lens or --attribution");
    const TextModel model = load_named_model(*model_, load_);
    const std::vector<std::string> texts = texts_of_arguments(texts_);
    if (!model.model().config().has_logits) return compare(context, model, texts);
    ReadOptions options;
    options.write = false;
    const TextRun before = model.read(texts, options);
    print_reading_notes(before.run.readings(), context.language);
    options.output = true;
    options.logits_at = positions_of(position_, model, before);
    const TextRun run = model.read_again(before, options);
    if (lens_ || attribution_) return trace(context, model, run, options.logits_at);
    print(context, model, run, options.logits_at);
  }

 private:
  void print(const Context& context, const TextModel& model, const TextRun& run,
             const std::vector<Index>& positions) const {
    const std::vector<std::string> tokens = predicted_tokens(model, run);
    JsonWriter json;
    json.begin_object();
    json.key("tokens").strings(tokens);
    json.key("predictions").begin_array();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::vector<TokenPrediction> top = top_tokens(
          model, run.output.logits.view().select(0, 0).select(0, static_cast<Index>(i)), top_.value_or(10));
      if (json_) {
        json.begin_object();
        json.key("position").integer(positions[i]);
        write_json(json.key("top"), top);
        json.end_object();
        continue;
      }
      context.line(place_of_prediction(context, model, tokens, positions[i]));
      print_predictions(context, top);
      context.line();
    }
    json.end_array();
    json.end_object();
    if (json_) context.print(json.take());
  }

  // --lens and --attribution: of each position, the token that is predicted, or the one that was named.
  void trace(const Context& context, const TextModel& model, const TextRun& run,
             const std::vector<Index>& positions) const {
    const std::vector<std::string> tokens = predicted_tokens(model, run);
    const Index named = token_ ? one_token(model, *token_) : -1;
    const Tensor lens = lens_ ? logit_lens(model.model(), run.input, positions) : Tensor();
    JsonWriter json;
    json.begin_object();
    json.key("tokens").strings(tokens);
    json.key(lens_ ? "lens" : "attributions").begin_array();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const ConstView logits = run.output.logits.view().select(0, 0).select(0, at);
      const Index token = named >= 0 ? named : top_tokens(model, logits, 1).front().id;
      const std::string place = place_of_prediction(context, model, tokens, positions[i]);
      json.begin_object();
      json.key("position").integer(positions[i]);
      if (lens_) {
        const LensAt here = lens_at(model, lens.view().select(1, at), token, top_.value_or(3));
        write_fields(json, here);
        if (!json_) context.line(place), print_lens(context, here);
      } else {
        const LogitAttribution parts = attribute_logit(model.model(), run.input, positions[i], token);
        write_fields(json, token_name(model, token), token, parts);
        if (!json_) context.line(place), print_attribution(context, model, token, parts);
      }
      json.end_object();
      if (!json_) context.line();
    }
    json.end_array();
    json.end_object();
    if (json_) context.print(json.take());
  }

  void print_attribution(const Context& context, const TextModel& model, Index token,
                         const LogitAttribution& parts) const {
    context.line(context.say(tr("logit of {0}: {1}", one_line(token_in_letters(token_name(model, token))),
                                fmt::format("{:.4f}", parts.logit))));
    context.line();
    print_parts(context, parts, top_.value_or(10));
  }

  // Of a model without an output layer.
  void compare(const Context& context, const TextModel& model,
               const std::vector<std::string>& texts) const {
    if (position_ || top_ || lens_ || attribution_) {
      throw Error(
          fmt::format("[predict] {} has no output layer: it predicts no tokens, so that --position, --top, "
                      "--lens and --attribution have no meaning",
                      model.model().name()));
    }
    ReadOptions options;
    options.output = true;
    std::vector<std::vector<double>> vectors;
    JsonWriter json;
    json.begin_object();
    json.key("tokens").begin_array();
    for (const std::string& text : texts) {
      const TextRun run = model.read({text}, options);
      print_reading_notes(run.run.readings(), context.language);
      vectors.push_back(sentence_vector(run.output.hidden));
      json.strings(predicted_tokens(model, run));
    }
    json.end_array();
    json.key("vectors").begin_array();
    for (const std::vector<double>& vector : vectors) json.numbers(vector);
    json.end_array();
    if (vectors.size() == 2) json.key("cosine").number(cosine(vectors[0], vectors[1]));
    json.end_object();
    if (json_) return context.print(json.take());
    if (vectors.size() == 2) {
      return context.line(context.say(
          tr("cosine of the two texts: {0}", fmt::format("{:.4f}", cosine(vectors[0], vectors[1])))));
    }
    std::string start;
    for (std::size_t i = 0; i < std::min<std::size_t>(6, vectors[0].size()); ++i) {
      start += fmt::format("{:.4f}, ", vectors[0][i]);
    }
    context.line(context.say(tr("a vector of {0} numbers: {1}…", vectors[0].size(), start)));
    context.line(context.say(tr("give a second text to compare; --json prints all numbers")));
  }

  std::vector<std::string> texts_;
  std::optional<std::string> model_, position_, token_;
  LoadArguments load_;
  std::optional<Index> top_;
  bool json_ = false, lens_ = false, attribution_ = false;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace fovea::command
