// fovea plot: pictures of attention, in files and in the terminal.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "command.h"
#include "commands/train/folder.h"
#include "end_signal.h"
#include "fovea/ascii.h"
#include "fovea/colormap.h"
#include "fovea/error.h"
#include "fovea/measure_definitions.h"
#include "fovea/training_log.h"
#include "inputs/account_input.h"
#include "inputs/mask_argument.h"
#include "output/pictures.h"
#include "words.h"

namespace fovea::command {
namespace {

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = {"heatmap", "grid",    "difference", "mask",
                                               "lines",   "bars",    "entropy",    "growth",
                                               "speed",   "diagram", "training"};
  return all;
}

bool is_kind(const std::string& word) {
  return std::find(kinds().begin(), kinds().end(), word) != kinds().end();
}

// "unit", "row", "data", "log" or "0..0.5".
ColorRange parse_range(const std::string& text) {
  if (text == "unit") return ColorRange::unit();
  if (text == "row") return ColorRange::row_maximum();
  if (text == "data") return ColorRange::data();
  if (text == "log") return ColorRange::logarithm();
  const std::size_t dots = text.find("..");
  try {
    if (dots == std::string::npos) throw std::invalid_argument(text);
    std::size_t low_end = 0, high_end = 0;
    const std::string low = text.substr(0, dots), high = text.substr(dots + 2);
    const ColorRange range = ColorRange::fixed(std::stod(low, &low_end), std::stod(high, &high_end));
    if (low_end == low.size() && high_end == high.size() && range.low < range.high) return range;
  } catch (const std::logic_error&) {  // of stod
  }
  throw UsageError(fmt::format(
      "--range: got \"{}\", expected unit, row, data, log or LOW..HIGH, as in 0..0.5", one_line(text)));
}

class PlotCommand final : public Command {
 public:
  std::string name() const override { return "plot"; }
  Message summary() const override { return tr("draw attention: PNG, SVG, PDF, or in the terminal"); }
  Message description() const override {
    return tr(
        "KIND is heatmap (the default), grid (many heads), difference (of two files, or of two heads), "
        "mask, lines, bars (attention received), entropy (or another --measure, by layer and head), "
        "growth (of fovea bench linear), speed (of fovea bench --json), diagram (flow, qkv, words or heads) "
        "or training (the loss in the folder of fovea train). FILE holds weights [N, M] to [L, B, H, N, M] "
        "or one array per layer (.npy, .npz, .safetensors, .json); with --q and --k they are computed, for "
        "long inputs too; with --model, FILE is a text for the model, and a second one makes a pair. Rows "
        "are queries, columns are keys. Without -o the picture is printed in the terminal.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea plot weights.npy --tokens \"我 喜欢 学习 AI 技术\" --colormap YlOrRd -o heat.png",
         tr("a heatmap, with the words on both axes")},
        {"fovea plot --model minilm \"The quick brown fox jumps over the lazy dog.\" --layer 5 --head 0 "
         "-o fox.png",
         tr("one head of a real model")},
        {"fovea plot --model stories15m --show passed-on --heads L2H3 \"Lily had a cat.\"",
         tr("what this head really passes on")},
        {"fovea plot grid run.safetensors --layer 5 -o layer5.svg",
         tr("all heads of layer 5 (the first is 0)")},
        {"fovea plot lines run.npz --heads L5H0,L5H3 --mass 0.8 -o lines.pdf",
         tr("lines between the words, one colour per head")},
        {"fovea plot --q q.npy --k k.npy --mask causal -o long.png",
         tr("100,000 tokens: the matrix is never built")},
        {"fovea plot difference before.npy after.npy", tr("in the terminal: where two matrices differ")},
        {"fovea plot mask 'sparse(4)' --n 16 -o sparse.png", tr("a mask and its density")},
        {"fovea plot diagram words \"我 喜欢 AI\" -o words.svg",
         tr("who looks at whom, with all numbers")}};
  }

  void declare(OptionList& options) override {
    options.positional_texts(
        "KIND", 0, 4, words_,
        tr("the kind of picture, then its files (a mask's EXPR, a diagram's form and sentence)"));
    options.suggest(kinds());
    options.suggest_files();
    options.path("-o,--output", "FILE", output_,
                 tr("a .png, .svg or .pdf file; default: print in the "
                    "terminal"));
    declare_look(options);
    options.number(
        "--mass", "P", mass_,
        tr("lines: for each query, the largest weights that add up to this share; default: 0.9"));
    options.integer("--query", "I", query_, 0, 1 << 30,
                    tr("lines: only this query; diagram qkv: the query to follow; default: 0"));
    options.text("--measure", "NAME", measure_,
                 tr("entropy: another measure of fovea analyze, such as confidence or previous_token"));
    options.integer("--n", "N", n_, 1, 1 << 24, tr("mask: number of queries; default: 16"));
    options.integer("--m", "M", m_, 1, 1 << 24, tr("mask: number of keys; default: N"));
    options.text("--example", "ID", example_, tr("diagram: a built-in example (fovea explain --list)"));
    options.integer("--split", "H", split_, 1, 64, tr("diagram: split the width into H heads"));
    options.integer("--seed", "S", seed_, 0, 0xFFFFFFFF,
                    tr("diagram: draw random W_q, W_k, W_v, W_o, as NumPy does after seed(S)"));
    source_.declare(options);
  }

  void run(const Context& context) override {
    std::string kind = "heatmap";
    std::vector<std::string> rest = words_;
    if (!rest.empty() && is_kind(rest.front())) {
      kind = rest.front();
      rest.erase(rest.begin());
    } else if (!rest.empty() && !source_.takes_texts() && !std::filesystem::exists(rest.front())) {
      throw UsageError(fmt::format("there is neither a kind of picture nor a file \"{}\"; the kinds are {}",
                                   one_line(rest.front()), fmt::join(kinds(), ", ")));
    }
    check_output();
    const StopOnSignal interrupt;
    const Picture picture = make(kind, rest, style_of(context), interrupt.token());
    if (!output_) {
      context.print(picture.terminal({.colors = terminal_colors(context.color),
                                      .width = context.width,
                                      .language = context.language}));
      return;
    }
    const Figure figure = picture.figure();
    SaveOptions save;
    save.png.dpi = pixels_ ? static_cast<double>(*pixels_) * 72 / figure.width() : dpi_.value_or(150);
    save.png.scale = zoom_.value_or(1);
    save_figure(*output_, figure, save);
    print_message(fmt::format("{} {:.1f} × {:.1f} in → {}", kind, figure.width() / 72, figure.height() / 72,
                              *output_));
  }

 private:
  void declare_look(OptionList& options) {
    options.text("--title", "TEXT", title_, tr("title; \"\": none"));
    options.text("--x-title", "TEXT", x_title_, tr("label below the keys"));
    options.text("--y-title", "TEXT", y_title_, tr("label beside the queries"));
    options.text("--bar-title", "TEXT", bar_title_, tr("label of the colour bar"));
    options.choice("--colormap", Colormap::names(), colormap_,
                   tr("colormap; default: depends on the kind"));
    options.text(
        "--range", "RANGE", range_,
        tr("range of the colours: unit (0 to 1), row (each row up to its maximum), data, log or LOW..HIGH"));
    options.choice("--theme", {"light", "dark"}, theme_, tr("default: light"));
    options.flag("--no-values", no_values_, tr("leave out the numbers in the cells"));
    options.integer("--digits", "D", digits_, 0, 6, tr("decimals of numbers"));
    options.number("--dpi", "N", dpi_, tr("resolution of a PNG; default: 150"));
    options.number("--zoom", "X", zoom_, tr("pixel ratio of a PNG for high-density screens, 1 to 4"));
    options.integer("--pixels", "N", pixels_, 16, 32768, tr("width of a PNG in pixels, instead of --dpi"));
  }

  void check_output() const {
    if (!output_) return;
    const std::string extension = ascii_lower_case(std::filesystem::path(*output_).extension().string());
    if (extension != ".png" && extension != ".svg" && extension != ".pdf") {
      throw UsageError(fmt::format("--output: got \"{}\", expected a name ending in .png, .svg or .pdf",
                                   one_line(*output_)));
    }
    if (dpi_ && !(*dpi_ >= 10 && *dpi_ <= 2400))
      throw UsageError(fmt::format("--dpi: got {}, expected 10 to 2400", *dpi_));
    if (zoom_ && !(*zoom_ >= 1 && *zoom_ <= 4))
      throw UsageError(fmt::format("--zoom: got {}, expected 1 to 4", *zoom_));
  }

  PictureStyle style_of(const Context& context) const {
    PictureStyle style;
    style.title = title_, style.key_title = x_title_, style.query_title = y_title_,
    style.bar_title = bar_title_;
    if (!colormap_.empty()) style.colormap = colormap_;
    if (range_) style.range = parse_range(*range_);
    style.theme = theme_ == "dark" ? Theme::dark : Theme::light;
    style.language = context.language;
    style.values = !no_values_;
    if (digits_) style.digits = static_cast<int>(*digits_);
    return style;
  }

  Picture make(const std::string& kind, const std::vector<std::string>& rest, const PictureStyle& style,
               const std::stop_token& stop) const {
    static const std::vector<std::string> others = {"mask", "growth", "speed", "diagram", "training"};
    if (source_.passed_on() && std::find(others.begin(), others.end(), kind) != others.end()) {
      throw UsageError(fmt::format("{}: --show is for pictures of heads", kind));
    }
    if (kind == "difference") return make_difference(rest, style, stop);
    if (kind == "mask") return make_mask(rest, style);
    if (kind == "growth") return make_growth(rest, style);
    if (kind == "speed") return make_speed(rest, style);
    if (kind == "diagram") return make_diagram(rest, style);
    if (kind == "training") return make_training(rest, style);
    source_.check(rest.size());
    if (kind == "entropy") {
      chosen_measure();  // throws before a model is loaded
      if (source_.passed_on()) throw UsageError("entropy and --show: use --measure passed_on");
    }
    const OpenRun open = source_.open(rest, style.language, kind == "entropy");
    if (kind == "bars") return bars_picture(source_.received(open, stop), style);
    if (kind == "entropy") return measure_picture(source_.measure(open, chosen_measure(), stop), style);
    if (kind == "grid")
      return grid_picture(source_.picture(open, DefaultHeads::all, kMostPanelCells, stop), style);
    if (kind == "lines") {
      PictureInput input = source_.picture(open, DefaultHeads::one_mean, kWhole, stop);
      if (source_.passed_on()) to_shares(input.values);
      return lines_picture(input, mass_.value_or(0.9), query_, style);
    }
    return heatmap_picture(check_one(source_.picture(open, DefaultHeads::one_mean, kMostCells, stop)),
                           style);
  }

  // Lines are as wide as a share: each row [K, N, M] divided by its sum.
  static void to_shares(Tensor& values) {
    const Index keys = values.shape()[2];
    for (Index row = 0; row < values.shape()[0] * values.shape()[1]; ++row) {
      float* begin = values.data() + row * keys;
      const double sum = std::accumulate(begin, begin + keys, 0.0);
      if (sum == 0) continue;
      std::transform(begin, begin + keys, begin,
                     [&](float value) { return static_cast<float>(static_cast<double>(value) / sum); });
    }
  }

  Measure chosen_measure() const {
    try {
      const MeasureDefinition& definition = measure_definition(measure_.value_or("entropy"));
      if (definition.measure) return *definition.measure;
      throw UsageError(fmt::format("--measure: {} is not a number per head", definition.name));
    } catch (const Error& error) {
      throw UsageError(std::string("--measure: ") + error.what());
    }
  }

  PictureInput check_one(PictureInput input) const {
    if (input.heads.size() > 1) {
      throw UsageError(fmt::format("a heatmap shows one head, got {}; fovea plot grid shows them all",
                                   input.heads.size()));
    }
    if (!source_.heads_chosen() && (input.layers > 1 || input.layer_heads > 1)) {
      print_message(
          fmt::format("fovea: showing the mean of {} head{} of layer 0 of {}; choose others with --layer "
                      "and --heads",
                      input.layer_heads, input.layer_heads == 1 ? "" : "s", input.layers));
    }
    return input;
  }

  Picture make_difference(const std::vector<std::string>& files, const PictureStyle& style,
                          const std::stop_token& stop) const {
    if (source_.computed() && !source_.takes_texts())
      throw UsageError("difference: needs weights in files, or --model, not --q and --k");
    if (source_.takes_texts()) source_.check(files.size());
    if (files.empty() || files.size() > 2) {
      throw UsageError(
          fmt::format("difference: got {} files, expected two, or one and --heads with two", files.size()));
    }
    const auto picture_of = [&](const std::string& file) {
      return source_.picture(source_.open({file}, style.language), DefaultHeads::one_mean, kMostCells,
                             stop);
    };
    PictureInput first = picture_of(files.front());
    if (files.size() == 1) {
      if (first.heads.size() != 2) {
        throw UsageError(
            fmt::format("difference: got one file and {} heads, expected two heads, as in --heads "
                        "L0H1,L0H2",
                        first.heads.size()));
      }
      return difference_picture(Tensor::copy_of(first.value(0)), Tensor::copy_of(first.value(1)), first,
                                style);
    }
    const PictureInput second = picture_of(files.back());
    if (first.heads.size() != 1) throw UsageError("difference: with two files, choose one head");
    if (!(first.values.shape() == second.values.shape())) {
      throw Error(fmt::format("[plot] difference: {} has {} queries and {} keys, {} has {} and {}",
                              files.front(), first.queries, first.keys, files.back(), second.queries,
                              second.keys));
    }
    return difference_picture(Tensor::copy_of(first.value(0)), Tensor::copy_of(second.value(0)), first,
                              style);
  }

  Picture make_mask(const std::vector<std::string>& rest, const PictureStyle& style) const {
    if (rest.size() != 1)
      throw UsageError(fmt::format("mask: got {} arguments, expected one EXPR", rest.size()));
    const Mask mask = mask_of(rest.front());
    PictureInput names;
    names.query_labels = source_.tokens().queries(), names.key_labels = source_.tokens().keys();
    const Index n =
        n_.value_or(names.query_labels.empty() ? 16 : static_cast<Index>(names.query_labels.size()));
    const Index m = m_.value_or(n);
    if (names.key_labels.empty() && n == m) names.key_labels = names.query_labels;
    mask.classify({}, n, m);  // throws if it does not fit
    return mask_kind_picture(mask, n, m, names, style);
  }

  static Picture make_growth(const std::vector<std::string>& rest, const PictureStyle& style) {
    if (rest.size() != 1)
      throw UsageError("growth: expected one FILE from fovea bench linear --json (or --csv)");
    return growth_picture(load_growth(rest.front(), style.language), style);
  }

  static Picture make_speed(const std::vector<std::string>& rest, const PictureStyle& style) {
    if (rest.size() != 1) throw UsageError("speed: expected one FILE from fovea bench --json");
    return speed_picture(load_speed(rest.front(), style.language), style);
  }

  static Picture make_training(const std::vector<std::string>& rest, const PictureStyle& style) {
    if (rest.size() != 1) throw UsageError("training: expected one DIR that fovea train wrote");
    const bool is_folder = std::filesystem::is_directory(rest.front());
    const TrainingHistory history =
        TrainingLog::load(is_folder ? TrainFolder(rest.front()).log() : rest.front());
    TrainingCurve curve;
    for (const TrainingStep& step : history.steps) curve.steps.push_back({step.step, step.loss});
    for (const TrainingEvaluation& each : history.evaluations) {
      curve.held_out.push_back({each.step, each.loss});
    }
    return training_picture(curve, rest.front(), style);
  }

  Picture make_diagram(const std::vector<std::string>& rest, const PictureStyle& style) const {
    static const std::vector<std::pair<std::string, DiagramKind>> forms = {{"flow", DiagramKind::flow},
                                                                           {"qkv", DiagramKind::interplay},
                                                                           {"words", DiagramKind::words},
                                                                           {"heads", DiagramKind::heads}};
    const std::string wanted = rest.empty() ? "flow" : rest.front();
    const auto form =
        std::find_if(forms.begin(), forms.end(), [&](const auto& f) { return f.first == wanted; });
    if (form == forms.end()) {
      throw UsageError(
          fmt::format("diagram: got \"{}\", expected flow, qkv, words or heads", one_line(wanted)));
    }
    if (rest.size() > 2) throw UsageError("diagram: put the sentence in quotes");
    if (rest.size() == 2 && example_) throw UsageError("a sentence and --example: choose one of them");
    AccountRequest request;
    if (rest.size() == 2) request.sentence = rest.back();
    request.example = example_;
    request.memory = source_.tokens().memory_text();
    if (!source_.mask().is_none()) request.mask = source_.mask();
    request.heads = split_, request.seed = seed_;
    if (form->second == DiagramKind::heads && !split_) {
      request.heads = 2;
      if (!seed_) request.seed = 42;
    }
    return diagram_picture(make_account(request, WordVectors::builtin()), form->second, query_.value_or(0),
                           0, style);
  }

  static constexpr Index kMostCells = 512, kMostPanelCells = 192;

  std::vector<std::string> words_;
  std::optional<std::string> output_, title_, x_title_, y_title_, bar_title_, range_, example_, measure_;
  std::string colormap_, theme_ = "light";
  std::optional<double> dpi_, zoom_, mass_;
  std::optional<Index> pixels_, digits_, query_, n_, m_, split_, seed_;
  bool no_values_ = false;
  PictureSource source_;
};

}  // namespace

std::unique_ptr<Command> make_plot_command() { return std::make_unique<PlotCommand>(); }

}  // namespace fovea::command
