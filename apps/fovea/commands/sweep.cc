// fovea sweep: every head in turn, or every position, against one number.
#include "fovea/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "command.h"
#include "end_signal.h"
#include "fovea/array_file.h"
#include "fovea/error.h"
#include "fovea/figure.h"
#include "fovea/heatmap.h"
#include "fovea/json_writer.h"
#include "fovea/layer_head_matrix.h"
#include "fovea/npz.h"
#include "fovea/predict.h"
#include "fovea/tokenizer.h"
#include "inputs/model_input.h"
#include "inputs/text_argument.h"
#include "output/prediction_table.h"
#include "output/reading_notes.h"

namespace fovea::command {
namespace {

class SweepCommand final : public Command {
 public:
  std::string name() const override { return "sweep"; }
  Message summary() const override { return tr("switch off every head in turn: which ones matter"); }
  Message description() const override {
    return tr(
        "TEXT is a text, the name of a file, or - for standard input. The metric is a number of the run: "
        "kl (how far the prediction moves), loss (how badly a decoder predicts the text from --position on, "
        "in nats per token), logit( he) - logit( she) (the space belongs to the token; each "
        "must be one token), logit( cat), or cosine (how far the vector of the text moves). --over heads "
        "ablates one head after the other; --over positions replaces the stream before each layer, one "
        "position at a time, by that of --patch-from, a text of as many tokens. Only the layers after the "
        "change are computed again, in causal models only the positions after it.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea sweep --model stories15m --metric 'logit( he) - logit( she)' \"Tom was sad because\"",
         tr("which heads decide between two words")},
        {"fovea sweep --model minilm --metric cosine -o sweep.png \"A cat sleeps.\"",
         tr("a picture by layer and head")},
        {"fovea sweep --model stories15m --metric kl --over positions --patch-from \"Tom saw a red dog\" "
         "\"Tom saw a big dog\" -o sweep.npz",
         tr("which positions carry the difference of two texts")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("TEXT", 1, 2, texts_, tr("a text, a file, or -; a second one makes a pair"));
    declare_model(options, model_);
    options.require_last();
    load_.declare(options);
    options.text(
        "--metric", "METRIC", metric_,
        tr("kl, loss, cosine, logit(TOKEN), or logit(TOKEN) - logit(TOKEN); default: kl, without an output "
           "layer cosine"));
    options.choice("--over", {"heads", "positions"}, over_, tr("what is changed in turn; default: heads"));
    options.choice("--ablate", {"zero", "mean"}, ablate_,
                   tr("a head gives nothing, or its mean over the positions; default: zero"));
    options.choice("--kind", {"encoder", "decoder", "cross"}, kind_,
                   tr("for an encoder-decoder model: which attention; default: encoder"));
    options.texts("--patch-from", "TEXT", patch_from_,
                  tr("the text of that run, as many tokens long; of a pair, twice"));
    options.text("--position", "P", position_,
                 tr("where logits are measured; default: the last position, for loss the first"));
    options.path("-o,--output", "FILE", output_, tr("save to .npz, or as a picture: .png, .svg, .pdf"));
    options.flag("--json", json_, tr("print JSON"));
  }
  void run(const Context& context) override;

 private:
  void check_command_line() const;
  SweepOptions sweep_options(const TextModel& model, const TextRun& read) const;
  Figure figure(const Context& context, const Sweep& sweep, const std::vector<std::string>& tokens) const;
  void print(const Context& context, const Sweep& sweep, const std::vector<std::string>& tokens) const;
  bool over_heads() const { return over_ == "heads"; }
  // By how much the metric moves; divergence and cosine tell that by themselves.
  Matrix effect(const Sweep& sweep) const {
    Matrix moved = sweep.values;
    const bool itself = chosen_ == "kl" || chosen_ == "cosine";
    for (Index i = 0; i < moved.rows(); ++i) {
      for (Index j = 0; j < moved.columns(); ++j) moved(i, j) -= itself ? 0 : sweep.base;
    }
    return moved;
  }

  std::vector<std::string> texts_, patch_from_;
  std::optional<std::string> model_, metric_, position_, output_;
  LoadArguments load_;
  std::string over_ = "heads", ablate_ = "zero", kind_;
  std::string chosen_;  // the metric
  double seconds_ = 0;  // that the sweep took, without loading the model
  bool json_ = false;
};

void SweepCommand::check_command_line() const {
  if (over_heads() != patch_from_.empty()) {
    throw UsageError(
        "--over positions and --patch-from go together: what is replaced comes from that text");
  }
  if (!output_) return;
  const std::string& path = *output_;
  const bool known =
      path.ends_with(".npz") || path.ends_with(".png") || path.ends_with(".svg") || path.ends_with(".pdf");
  if (!known) {
    throw UsageError(
        fmt::format("-o: got \"{}\", expected a name ending in .npz, .png, .svg or .pdf", one_line(path)));
  }
}

SweepOptions SweepCommand::sweep_options(const TextModel& model, const TextRun& read) const {
  const ModelConfig& config = model.model().config();
  SweepOptions options;
  options.metric = parse_metric(chosen_, model);
  options.ablation = ablate_ == "mean" ? Ablation::mean : Ablation::zero;
  options.kind = config.has_encoder() ? AttentionKind::encoder : AttentionKind::decoder;
  if (kind_ == "decoder") options.kind = AttentionKind::decoder;
  if (kind_ == "encoder") options.kind = AttentionKind::encoder;
  if (kind_ == "cross") options.kind = AttentionKind::cross;
  if (options.metric.kind == SweepMetric::Kind::cosine) return options;
  if (options.metric.kind == SweepMetric::Kind::loss && !position_) return options;
  const std::vector<Index> positions = positions_of(position_, model, read);
  if (positions.size() != 1) {
    throw Error(fmt::format("[sweep] logits are measured at one position, got {}", positions.size()));
  }
  options.position = positions.front();
  return options;
}

void SweepCommand::run(const Context& context) {
  check_command_line();
  const TextModel model = load_named_model(*model_, load_);
  chosen_ = metric_.value_or(model.model().config().has_logits ? "kl" : "cosine");
  ReadOptions reading;
  reading.write = false;
  const TextRun read = model.read(texts_of_arguments(texts_), reading);
  print_reading_notes(read.run.readings(), context.language);
  SweepOptions options = sweep_options(model, read);
  const StopOnSignal interrupt;
  options.stop = interrupt.token();
  const auto start = std::chrono::steady_clock::now();
  const Sweep sweep =
      over_heads() ? sweep_heads(model.model(), read.input, options)
                   : sweep_positions(model.model(), read.input,
                                     model.read(texts_of_arguments(patch_from_), reading).input, options);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<std::string> tokens = read.run.query_labels(options.kind);
  if (output_ && output_->ends_with(".npz")) {
    NamedArrays arrays("[sweep]");
    arrays.add("values", sweep.values.to_tensor());
    arrays.add("base", Tensor::filled({1}, static_cast<float>(sweep.base)));
    save_npz(*output_, arrays,
             {{"tokens", {static_cast<Index>(tokens.size())}, tokens}, {"metric", {1}, {chosen_}}});
  } else if (output_) {
    save_figure(*output_, figure(context, sweep, tokens));
  }
  print(context, sweep, tokens);
}

Figure SweepCommand::figure(const Context& context, const Sweep& sweep,
                            const std::vector<std::string>& tokens) const {
  const Matrix moved = effect(sweep);
  const bool itself = chosen_ == "kl" || chosen_ == "cosine";
  double most = 1e-9;
  for (const double value : moved.values()) most = std::max(most, std::abs(value));
  const std::string bar = itself ? chosen_ : context.say(tr("change of {0}", chosen_));
  const std::string colormap = itself ? "viridis" : "RdBu";
  if (over_heads()) {
    LayerHeadMatrixOptions options;
    options.title = context.say(tr("Each head ablated"));
    options.bar_title = bar;
    options.colormap = colormap;
    if (!itself) options.low = -most, options.high = most;
    options.language = context.language;
    return layer_head_matrix(moved, options);
  }
  HeatmapOptions options;
  options.title = context.say(tr("Each position patched"));
  options.bar_title = bar;
  options.colormap = colormap;
  if (!itself) options.range = ColorRange::fixed(-most, most);
  options.keys = tokens;
  for (Index i = 0; i < moved.rows(); ++i) options.queries.push_back(fmt::format("L{}", i));
  options.query_title = context.say(tr("layer"));
  options.key_title = context.say(tr("position"));
  options.language = context.language;
  return heatmap(moved.to_tensor(), options);
}

void SweepCommand::print(const Context& context, const Sweep& sweep,
                         const std::vector<std::string>& tokens) const {
  if (json_) {
    JsonWriter json;
    json.begin_object();
    json.key("tokens").strings(tokens);
    json.key("metric").string(chosen_);
    json.key("over").string(over_);
    json.key("base").number(sweep.base);
    json.key("values").matrix(sweep.values);
    json.key("seconds").number(seconds_);
    json.end_object();
    return context.print(json.take());
  }
  const Matrix moved = effect(sweep);
  context.line(
      context.say(tr("{0} of the unchanged run: {1}", chosen_, fmt::format("{:.4f}", sweep.base))));
  context.line();
  std::vector<std::pair<Index, Index>> order;
  for (Index i = 0; i < moved.rows(); ++i) {
    for (Index j = 0; j < moved.columns(); ++j) order.emplace_back(i, j);
  }
  const double still = chosen_ == "cosine" ? 1 : 0;
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return std::abs(moved(a.first, a.second) - still) > std::abs(moved(b.first, b.second) - still);
  });
  order.resize(std::min<std::size_t>(order.size(), 10));
  std::vector<std::vector<std::string>> rows = {
      {over_heads() ? context.say(tr("head")) : context.say(tr("layer and token")), chosen_,
       context.say(tr("change"))}};
  for (const auto& [i, j] : order) {
    rows.push_back({over_heads() ? fmt::format("L{}H{}", i, j)
                                 : fmt::format("L{} {} ({})", i,
                                               token_in_letters(tokens[static_cast<std::size_t>(j)]), j),
                    fmt::format("{:.4f}", sweep.values(i, j)),
                    fmt::format("{:+.4f}", sweep.values(i, j) - sweep.base)});
  }
  context.print(table_with_bars(std::move(rows), {}));
}

}  // namespace

std::unique_ptr<Command> make_sweep_command() { return std::make_unique<SweepCommand>(); }

}  // namespace fovea::command
