// fovea whatif: a run that is changed on the way, before and after.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "command.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/places.h"
#include "fovea/predict.h"
#include "inputs/model_input.h"
#include "inputs/text_argument.h"
#include "output/prediction_table.h"
#include "output/reading_notes.h"
#include "words.h"

namespace fovea::command {
namespace {

class WhatIfCommand final : public Command {
 public:
  std::string name() const override { return "whatif"; }
  Message summary() const override {
    return tr("switch heads off, hide edges, patch activations: what the model predicts then");
  }
  Message description() const override {
    return tr(
        "TEXT is a text, the name of a file, or - for standard input. Heads are L2H3 (layer and head, "
        "counted from 0), L4H* (all of a layer), of an encoder-decoder model enc.L2H3, dec.L2H3 or "
        "cross.L2H3. Edges are HEADS:QUERY->KEY, by token or position. Activations are L2.resid_post, "
        "L2H3.v or, as in TransformerLens, blocks.2.attn.hook_v; @ names the positions. Everything after a "
        "change is computed again, nothing is approximated. Encoders without an output layer show how far "
        "their sentence vector moved.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea whatif --model stories15m --ablate L2H3,L4H* \"Once upon a\"",
             tr("without one head, and without a whole layer of heads")},
            {"fovea whatif --model stories15m --block 'L*H*:*->Lily' \"Lily had a cat. Her name was\"",
             tr("nobody sees one token")},
            {"fovea whatif --model stories15m --patch L2.resid_post@5 --patch-from \"Tom saw a red dog\" "
             "\"Tom saw a big dog\"",
             tr("one token's stream, taken from another text of as many tokens")},
            {"fovea whatif --model minilm --ablate L0H* \"A cat sleeps.\"",
             tr("how far the vector of a text moves")}};
  }
  void declare(OptionList& options) override;
  void run(const Context& context) override;

 private:
  Intervention intervention(const TextModel& model, const TextRun& run) const;
  void print_vectors(const Context& context, const TextModel& model, const TextRun& before,
                     const TextRun& after) const;
  void print_logits(const Context& context, const TextModel& model, const TextRun& before,
                    const TextRun& after, const std::vector<Index>& positions) const;
  void print_position(const Context& context, const TextModel& model, ConstView before,
                      ConstView after) const;
  void print_loss(const Context& context, const TextModel& model, const TextRun& before,
                  const TextRun& after, const std::vector<Index>& positions, JsonWriter& json) const;
  void write_position(JsonWriter& json, const TextModel& model, ConstView before, ConstView after) const;

  std::vector<std::string> texts_, ablate_, mean_, scale_, block_, patch_, patch_from_;
  std::optional<std::string> model_, position_;
  LoadArguments load_;
  std::optional<Index> top_;
  bool json_ = false;
};

void WhatIfCommand::declare(OptionList& options) {
  options.positional_paths("TEXT", 1, 2, texts_, tr("a text, a file, or -; a second one makes a pair"));
  declare_model(options, model_);
  options.require_last();
  load_.declare(options);
  options.texts("--ablate", "HEADS", ablate_, tr("these heads give nothing: L2H3,L4H*"));
  options.texts("--ablate-mean", "HEADS", mean_,
                tr("these heads give at every position the mean of what they give"));
  options.texts("--scale", "HEADS=F", scale_, tr("what these heads give is multiplied: L2H3=0.5"));
  options.texts("--block", "EDGES", block_,
                tr("these queries do not see these keys: 'L3H*:sat->cat', 'L1H0:*->2'"));
  options.texts("--patch", "PLACE", patch_,
                tr("an activation is taken from the run of --patch-from: L2.resid_post@5, "
                   "blocks.2.attn.hook_v@cat"));
  options.texts("--patch-from", "TEXT", patch_from_,
                tr("the text of that run, as many tokens long; of a pair, twice"));
  options.text("--position", "P", position_,
               tr("positions or tokens, separated by commas, or all; default: the last, of BERT every "
                  "[MASK]"));
  options.integer("--top", "K", top_, 1, INT32_MAX, tr("how many tokens to list; default: 10"));
  options.flag("--json", json_, tr("print JSON"));
}

Intervention WhatIfCommand::intervention(const TextModel& model, const TextRun& run) const {
  const ModelConfig& config = model.model().config();
  Intervention all;
  for (const std::string& list : ablate_) {
    for (const HeadPlace& heads : parse_heads(list, config)) all = all & Intervention::ablate(heads);
  }
  for (const std::string& list : mean_) {
    for (const HeadPlace& heads : parse_heads(list, config)) {
      all = all & Intervention::ablate(heads, Ablation::mean);
    }
  }
  for (const std::string& item : scale_) {
    const std::size_t equals = item.find('=');
    float factor = 0;
    const std::string number = equals == std::string::npos ? "" : item.substr(equals + 1);
    char* end = nullptr;
    factor = std::strtof(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !std::isfinite(factor)) {
      throw UsageError(
          fmt::format("--scale: got \"{}\", expected heads and a factor: L2H3=0.5", one_line(item)));
    }
    for (const HeadPlace& heads : parse_heads(item.substr(0, equals), config)) {
      all = all & Intervention::scale(heads, factor);
    }
  }
  for (const std::string& edges : block_) all = all & parse_edges(edges, config, run.run);
  if (patch_.empty()) return all;
  ReadOptions options;
  options.write = false;
  return all & parse_patches(patch_, model, run, model.read(texts_of_arguments(patch_from_), options));
}

void WhatIfCommand::run(const Context& context) {
  if (ablate_.empty() && mean_.empty() && scale_.empty() && block_.empty() && patch_.empty()) {
    throw UsageError("nothing to change: give --ablate, --ablate-mean, --scale, --block or --patch");
  }
  if (patch_.empty() != patch_from_.empty()) {
    throw UsageError("--patch and --patch-from go together: an activation, and the text it is taken from");
  }
  const TextModel model = load_named_model(*model_, load_);
  ReadOptions options;
  options.write = false;
  options.output = true;
  const TextRun read = model.read(texts_of_arguments(texts_), options);
  print_reading_notes(read.run.readings(), context.language);
  const Intervention change = intervention(model, read);
  const bool logits = model.model().config().has_logits;
  if (logits) options.logits_at = positions_of(position_, model, read);
  if (!logits && (position_ || top_)) {
    throw Error(fmt::format("[whatif] {} has no output layer: --position and --top have no meaning",
                            model.model().name()));
  }
  const TextRun before = logits ? model.read_again(read, options) : read;
  options.intervention = change;
  const TextRun after = model.read_again(read, options);
  if (logits) {
    print_logits(context, model, before, after, options.logits_at);
  } else {
    print_vectors(context, model, before, after);
  }
}

void WhatIfCommand::print_vectors(const Context& context, const TextModel& model, const TextRun& before,
                                  const TextRun& after) const {
  const std::vector<double> was = sentence_vector(before.output.hidden);
  const std::vector<double> is = sentence_vector(after.output.hidden);
  const double similar = cosine(was, is);
  if (!json_) {
    return context.line(context.say(
        tr("cosine of the text's vector before and after: {0}", fmt::format("{:.4f}", similar))));
  }
  JsonWriter json;
  json.begin_object();
  json.key("tokens").strings(predicted_tokens(model, before));
  json.key("cosine").number(similar);
  json.key("before").numbers(was);
  json.key("after").numbers(is);
  json.end_object();
  context.print(json.take());
}

void WhatIfCommand::print_logits(const Context& context, const TextModel& model, const TextRun& before,
                                 const TextRun& after, const std::vector<Index>& positions) const {
  const std::vector<std::string> tokens = predicted_tokens(model, before);
  JsonWriter json;
  json.begin_object();
  json.key("tokens").strings(tokens);
  json.key("predictions").begin_array();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const ConstView old = before.output.logits.view().select(0, 0).select(0, row);
    const ConstView now = after.output.logits.view().select(0, 0).select(0, row);
    if (json_) {
      json.begin_object();
      json.key("position").integer(positions[i]);
      write_position(json, model, old, now);
      json.end_object();
    } else {
      context.line(place_of_prediction(context, model, tokens, positions[i]));
      print_position(context, model, old, now);
      context.line();
    }
  }
  json.end_array();
  print_loss(context, model, before, after, positions, json);
  json.end_object();
  if (json_) context.print(json.take());
}

// How badly a decoder predicts the tokens that follow these positions.
void WhatIfCommand::print_loss(const Context& context, const TextModel& model, const TextRun& before,
                               const TextRun& after, const std::vector<Index>& positions,
                               JsonWriter& json) const {
  const ModelConfig& config = model.model().config();
  if (!config.has_decoder()) return;
  const Ids& ids = config.is_encoder_decoder() ? before.input.decoder_ids : before.input.ids;
  double was = 0, is = 0;
  Index count = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] + 1 >= ids.shape()[1]) continue;
    const auto row = static_cast<Index>(i);
    const std::vector<Index> next = {ids.data()[positions[i] + 1]};
    was += prediction_loss(before.output.logits.view().select(0, 0).slice(0, row, row + 1), next);
    is += prediction_loss(after.output.logits.view().select(0, 0).slice(0, row, row + 1), next);
    ++count;
  }
  if (count == 0) return;
  was /= static_cast<double>(count), is /= static_cast<double>(count);
  if (!json_) {
    return context.line(context.say(tr("loss over {0} tokens: {1} before, {2} after, in nats per token",
                                       count, fmt::format("{:.4f}", was), fmt::format("{:.4f}", is))));
  }
  json.key("loss").begin_object();
  json.key("tokens").integer(count);
  json.key("before").number(was);
  json.key("after").number(is);
  json.end_object();
}

void WhatIfCommand::write_position(JsonWriter& json, const TextModel& model, ConstView before,
                                   ConstView after) const {
  const Index top = top_.value_or(10);
  json.key("kl").number(kl_divergence(before, after));
  write_json(json.key("before"), top_tokens(model, before, top));
  write_json(json.key("after"), top_tokens(model, after, top));
  json.key("moved").begin_array();
  for (const LogitMove& move : largest_moves(model, before, after, top)) {
    json.begin_object();
    json.key("token").string(move.token);
    json.key("id").integer(move.id);
    json.key("before").number(move.before);
    json.key("after").number(move.after);
    json.end_object();
  }
  json.end_array();
}

void WhatIfCommand::print_position(const Context& context, const TextModel& model, ConstView before,
                                   ConstView after) const {
  const Index top = top_.value_or(10);
  context.line(
      context.say(tr("KL divergence: {0} nats", fmt::format("{:.4f}", kl_divergence(before, after)))));
  context.line();
  // The most likely ones of both, by what they were before.
  std::vector<Index> ids;
  for (const ConstView& logits : {before, after}) {
    for (const TokenPrediction& each : top_tokens(model, logits, top)) {
      if (std::find(ids.begin(), ids.end(), each.id) == ids.end()) ids.push_back(each.id);
    }
  }
  const std::vector<double> p = log_probabilities(before), q = log_probabilities(after);
  std::vector<std::vector<std::string>> rows = {
      {context.say(tr("token")), context.say(tr("before")), context.say(tr("after"))}};
  std::vector<std::string> bars;
  for (const Index id : ids) {
    const double was = std::exp(p[static_cast<std::size_t>(id)]);
    const double is = std::exp(q[static_cast<std::size_t>(id)]);
    rows.push_back(
        {token_name(model, id), fmt::format("{:.2f} %", 100 * was), fmt::format("{:.2f} %", 100 * is)});
    bars.push_back(share_bar(is));
  }
  context.print(table_with_bars(std::move(rows), bars));
  context.line();
  rows = {{context.say(tr("logits that moved most")), context.say(tr("before")), context.say(tr("after")),
           context.say(tr("difference"))}};
  for (const LogitMove& move : largest_moves(model, before, after, std::min<Index>(top, 5))) {
    rows.push_back({move.token, fmt::format("{:.3f}", move.before), fmt::format("{:.3f}", move.after),
                    fmt::format("{:+.3f}", move.after - move.before)});
  }
  context.print(table_with_bars(std::move(rows), {}));
}

}  // namespace

std::unique_ptr<Command> make_whatif_command() { return std::make_unique<WhatIfCommand>(); }

}  // namespace fovea::command
