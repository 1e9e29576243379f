// What attention finds: the person behind a pronoun.
#include "commands/demo/finds.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "commands/demo/demos.h"
#include "fovea/attention_bars.h"
#include "fovea/attention_lines.h"
#include "fovea/terminal_picture.h"
#include "fovea/train.h"
#include "inputs/coreference_cases.h"
#include "inputs/own_models.h"

namespace fovea::command {
namespace {

constexpr Index kSentences = 1000;
constexpr std::uint64_t kDevelopmentSeed = 1, kTestSeed = 2;
constexpr const char *kSentence = "小明把苹果给了小红，她很开心。",
                     *kSwapped = "小红把苹果给了小明，她很开心。";

PointingCase case_of(const Tokenizer& tokenizer, const std::string& text) {
  const Encoding encoding = tokenizer.encode(text);
  return {text, position_of(encoding, "她"), position_of(encoding, "小红"), position_of(encoding, "小明")};
}

// The same sizes with the weights that the training began with, or others like them.
TextModel untrained_like(const std::string& folder, const Tokenizer& tokenizer) {
  const TrainableModel model(load_pretrained(folder).config(), Random(1));
  return {model.to_model("untrained"), tokenizer};
}

// One sentence in three states: 她's weight on each name in the chosen head.
struct NameWeights {
  std::vector<std::string> labels;
  std::vector<double> values;
  double even = 0;
};

NameWeights weights_of_names(const Context& context, const TextModel& untrained, const TextModel& trained,
                             const HeadChoice& head) {
  NameWeights names;
  const auto add = [&](const Message& state, const TextModel& model, const char* text) {
    const PointingReport report = measure_pointing(model, {case_of(model.tokenizer(), text)});
    const PointingScore& score = report.at(head);
    names.labels.push_back(fmt::format("{}: 她 → 小红", context.say(state)));
    names.values.push_back(score.right_weight);
    names.labels.push_back(fmt::format("{}: 她 → 小明", context.say(state)));
    names.values.push_back(score.other_weight);
    names.even = score.even_weight;
  };
  add(tr("untrained"), untrained, kSentence);
  add(tr("trained"), trained, kSentence);
  add(tr("swapped"), trained, kSwapped);
  return names;
}

void print_row(const Context& context, const Message& name, const PointingReport& report,
               const HeadChoice& head) {
  const PointingScore& score = report.at(head);
  const double named = static_cast<double>(report.named) / static_cast<double>(report.cases);
  context.line(fmt::format("  {}{:>12.1f} %{:>12.1f} %{:>12.1f} %", pad_right(context.say(name), 22),
                           100 * score.right_share(), 100 * score.largest_share(), 100 * named));
}

void print_test(const Context& context, const TextModel& untrained, const TextModel& trained,
                const HeadChoice& head) {
  const auto sentences =
      coreference_sentences(CoreferencePart::test, CoreferencePeople::different, kSentences, kTestSeed);
  std::vector<CoreferenceSentence> swapped;
  for (const CoreferenceSentence& each : sentences) swapped.push_back(with_names_swapped(each));
  const auto same =
      coreference_sentences(CoreferencePart::test, CoreferencePeople::same, kSentences, kTestSeed);
  context.line("  " + context.say(tr("{0} sentences of the test with people who were never seen together:",
                                     kSentences)));
  context.line(
      fmt::format("  {}{}{}{}", std::string(22, ' '), pad_left(context.say(tr("right > other")), 14),
                  pad_left(context.say(tr("largest key")), 14), pad_left(context.say(tr("named")), 14)));
  print_row(context, tr("untrained"), measure_pointing(untrained, pointing_cases(sentences)), head);
  print_row(context, tr("trained"), measure_pointing(trained, pointing_cases(sentences)), head);
  print_row(context, tr("names swapped"), measure_pointing(trained, pointing_cases(swapped)), head);
  const PointingReport undecided = measure_pointing(trained, pointing_cases(same));
  print_row(context, tr("of the same gender"), undecided, head);
  context.line();
  context.paragraph(tr(
      "right > other: the head has more weight on the right name than on the other. largest key: more than "
      "on any other token. named: the right name is the model's likeliest word at the pronoun."));
  context.paragraph(tr(
      "Two people of the same gender: nothing tells who is meant, and the one who was is found as often as "
      "by a coin. The head does not spread, though: {0:.2f} of what both names get is on one of them. The "
      "model's output gives the two {1:.2f} and {2:.2f}.",
      undecided.at(head).lean, undecided.right_probability, undecided.other_probability));
}

void save_pictures(const Context& context, const FoundPictures& pictures, const NameWeights& names,
                   const TextModel& trained, const HeadChoice& head) {
  AttentionBarsOptions bars;
  bars.labels = names.labels;
  bars.title = fmt::format("{} · {}", kSentence, head.name());
  bars.value_title = context.say(tr("weight"));
  bars.reference = names.even;
  bars.reference_name = context.say(tr("even"));
  bars.language = context.language;
  pictures.save("finds-names.png", attention_bars(names.values, bars));
  const Run run = trained.read({kSentence}).run;
  AttentionLinesOptions lines;
  lines.queries = run.query_labels(AttentionKind::encoder);
  lines.keys = run.key_labels(AttentionKind::encoder);
  lines.head_names = {head.name()};
  lines.title = kSentence;
  lines.language = context.language;
  pictures.save("finds-lines.png", attention_lines(run.weights(head), lines));
}

}  // namespace

void FoundPictures::save(const std::string& file, const Figure& figure) const {
  const std::string path = (std::filesystem::path(*folder_) / file).string();
  save_figure(path, figure, {.png = {.dpi = 150, .scale = 1}});
  print_message(fmt::format("→ {}", path));
}

Index position_of(const Encoding& encoding, const std::string& word) {
  const auto found = std::find(encoding.tokens.begin(), encoding.tokens.end(), word);
  if (found == encoding.tokens.end())
    throw Error(fmt::format("[demo] the model has no token \"{}\"", word));
  return found - encoding.tokens.begin();
}

void find_person(const Context& context, const FoundPictures& pictures) {
  context.subheading(tr("Who is 她? 小明把苹果给了小红，她很开心。"));
  const std::string folder = own_model_folder("coreference");
  if (folder.empty()) {
    context.paragraph(tr("The model {0} is not there; it is installed with the command.", "coreference"));
    return;
  }
  const TextModel trained = TextModel::load(folder),
                  untrained = untrained_like(folder, trained.tokenizer());
  const HeadChoice head = best_pointing_head(measure_pointing(
      trained,
      pointing_cases(coreference_sentences(CoreferencePart::development, CoreferencePeople::different,
                                           kSentences, kDevelopmentSeed))));
  context.paragraph(
      tr("A small BERT learned to name the person where a sentence says 他 or 她; no loss looked at its "
         "attention. The weights are those of {0}, chosen among all heads on {1} other sentences.",
         head.name(), kSentences));
  const NameWeights names = weights_of_names(context, untrained, trained, head);
  context.block(to_terminal(TerminalBars{.values = names.values, .labels = names.labels},
                            {.colors = terminal_colors(context.color),
                             .width = context.text_width(),
                             .language = context.language}));
  print_test(context, untrained, trained, head);
  if (pictures.wanted()) save_pictures(context, pictures, names, trained, head);
}

void demo_finds(const Context& context, const std::optional<std::string>& folder) {
  const FoundPictures pictures(folder);
  context.paragraph(
      tr("Attention is said to find who a pronoun stands for, and which word belongs to which. What "
         "models that learned from data alone really do, in numbers."));
  find_person(context, pictures);
  find_neighbours(context, pictures);
  find_translation(context, pictures);
}

}  // namespace fovea::command
