// fovea view: the explorer's page with one text inside, as a single file.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "command.h"
#include "explorer/film_page.h"
#include "explorer/study_routes.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "inputs/model_input.h"
#include "inputs/own_models.h"
#include "inputs/served_models.h"
#include "inputs/study_input.h"
#include "inputs/text_argument.h"
#include "output/reading_notes.h"
#include "words.h"

namespace fovea::command {
namespace {

std::optional<Index> number_of(const std::string& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

// "2.7" or "cross.0.3"; without a kind, the first that there is.
explorer::StepsChoice steps_choice(const std::string& text, const Run& run) {
  const std::vector<AttentionKind> kinds = run.kinds();
  std::vector<std::string> parts = split_list(text, '.');
  explorer::StepsChoice choice;
  choice.kind = kinds.front();
  bool known = parts.size() == 2;
  if (parts.size() == 3) {
    for (const AttentionKind kind : kinds) {
      if (parts[0] != to_string(kind)) continue;
      choice.kind = kind;
      known = true;
    }
    parts.erase(parts.begin());
  }
  const std::optional<Index> layer = known ? number_of(parts[0]) : std::nullopt,
                             head = known ? number_of(parts[1]) : std::nullopt;
  if (!layer || !head) {
    throw UsageError(
        fmt::format("--steps: got \"{}\", expected LAYER.HEAD or KIND.LAYER.HEAD, from 0, such as "
                    "2.7 or {}.0.3",
                    one_line(text), to_string(kinds.back())));
  }
  choice.layer = *layer;
  choice.head = *head;
  return choice;
}

class ViewCommand final : public Command {
 public:
  std::string name() const override { return "view"; }
  Message summary() const override {
    return tr("save the explorer with a text's attention as one HTML file");
  }
  Message description() const override {
    return tr(
        "TEXT is a text, the name of a file, or - for standard input (none: the tutorials' examples and "
        "the lessons); a second one makes a pair (for an encoder-decoder model: the decoder's text). The "
        "file needs no server and no network: open it, send it, publish it. It always holds thumbnails "
        "and measures of all heads; weights as float16 up to 128 tokens, as 8 bits up to 512, and none "
        "above that. --film saves a film instead, which shows how attention was learned, --study a study "
        "(or two, side by side). The page is written completely or not at all.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea view --model minilm \"The cat sat on the mat.\" -o cat.html",
         tr("one file to open in the browser")},
        {"fovea view -o lessons.html", tr("lessons and exercises in one file, for a class")},
        {"fovea view --model minilm text.txt --steps 0.0,5.3 -o text.html",
         tr("with every step of two heads")},
        {"fovea view --film film.safetensors -o film.html", tr("how attention was learned, step by step")},
        {"fovea view --study study.safetensors -o study.html",
         tr("what every head does over thousands of texts")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("TEXT", 0, 2, texts_, tr("texts, files, or -; none: examples and lessons"));
    declare_model(options, model_);
    load_.declare(options);
    options.path("--film", "FILE", film_, tr("a film recorded by fovea train"));
    options.paths("--study", "FILE", studies_, tr("a study made by fovea study; twice: side by side"));
    options.path("-o,--output", "FILE", output_, tr("the page to write: .html"));
    options.require_last();
    options.text("--steps", "L.H,..", steps_,
                 tr("heads to include with all steps, as LAYER.HEAD; default: 0.0"));
  }

  void run(const Context& context) override {
    if (!output_->ends_with(".html") && !output_->ends_with(".htm")) {
      throw UsageError(
          fmt::format("--output: got \"{}\", expected a name ending in .html", one_line(*output_)));
    }
    if (film_) {
      if (!texts_.empty() || model_ || load_.given() || steps_ || !studies_.empty())
        throw UsageError("--film takes no TEXT, --model, --weights, --precision, --steps or --study");
      const explorer::PageFile file = film_page(explorer::embedded_page(), Film::load(*film_));
      write_file(*output_, file.html);
      return report(context, file);
    }
    if (!studies_.empty()) {
      if (!texts_.empty() || model_ || load_.given() || steps_ || film_)
        throw UsageError("--study takes no TEXT, --model, --weights, --precision, --steps or --film");
      const explorer::PageFile file = study_page(explorer::embedded_page(), load_studies(studies_));
      return write_page(file);
    }
    if (texts_.empty()) {
      if (model_) throw UsageError("--model needs a TEXT");
      if (load_.given()) throw UsageError("--weights and --precision need a TEXT");
      return write_page(page_file(explorer::embedded_page(), own_model_folder));
    }
    const explorer::PageFile file = file_of_texts(context.language);
    write_file(*output_, file.html);
    report(context, file);
  }

 private:
  explorer::PageFile file_of_texts(Language language) const {
    const std::vector<explorer::ServedModel> models = served_models(model_);
    explorer::CaptureRequest request{chosen_model(models), {}, {}};
    const auto chosen = std::find_if(models.begin(), models.end(), [&](const explorer::ServedModel& model) {
      return model.id == request.model;
    });
    const std::vector<std::string> texts = texts_of_arguments(texts_);
    request.text = texts[0];
    if (texts.size() == 2) request.second_text = texts[1];
    const TextModel model = load_model_folder(chosen->folder, load_);
    explorer::StoredCapture stored = capture_text(model, request, "c1");
    stored.seconds = 0;  // the same text gives the same bytes, however long it took
    print_reading_notes(stored.run().readings(), language);
    std::vector<explorer::StepsChoice> steps;
    for (const std::string& each : split_list(steps_.value_or("0.0"))) {
      steps.push_back(steps_choice(each, stored.run()));
    }
    return page_file(explorer::embedded_page(), stored, steps);
  }

  // Of a page without weights.
  void write_page(const explorer::PageFile& file) const {
    write_file(*output_, file.html);
    print_message(fmt::format("{}: {:.1f} MB", *output_, megabytes(file)));
  }

  static double megabytes(const explorer::PageFile& file) {
    return static_cast<double>(file.html.size()) / 1e6;
  }

  void report(const Context& context, const explorer::PageFile& file) const {
    Message weights = tr("weights left out: the text is longer than 512 tokens");
    if (!file.weights.empty()) {
      const Message type = file.weights == "F16" ? tr("float16") : tr("8-bit");
      weights = tr("weights as {0}, largest error {1:.2g}", type, file.loss);
    }
    print_message(fmt::format("{}: {:.1f} MB, {}", *output_, megabytes(file), context.say(weights)));
  }

  std::vector<std::string> texts_, studies_;
  std::optional<std::string> model_, film_, output_, steps_;
  LoadArguments load_;
};

}  // namespace

std::unique_ptr<Command> make_view_command() { return std::make_unique<ViewCommand>(); }

}  // namespace fovea::command
