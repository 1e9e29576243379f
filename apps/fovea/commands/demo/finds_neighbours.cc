// "The cat sat on the mat.": which head looks from "cat" at "sat" and "mat", and what that is worth.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "commands/demo/finds.h"
#include "fovea/layer_head_matrix.h"
#include "inputs/model_store.h"

namespace fovea::command {
namespace {

struct WordsOfSentence {
  std::string subject, verb, preposition, object;

  std::string text(const std::string& end) const {
    return fmt::format("The {} {} {} the {}{}", subject, verb, preposition, object, end);
  }
};

// A hundred sentences like it: each subject ten times, each verb and each preposition twenty times.
std::vector<WordsOfSentence> other_sentences() {
  const std::array<const char*, 10> subjects = {"dog",   "bird", "girl", "man",   "king",
                                                "horse", "boy",  "fish", "child", "bear"};
  const std::array<const char*, 10> objects = {"bed", "table", "chair", "floor", "tree",
                                               "box", "wall",  "hill",  "boat",  "road"};
  const std::array<const char*, 5> verbs = {"slept", "stood", "lay", "ran", "fell"};
  const std::array<const char*, 5> prepositions = {"on", "under", "near", "behind", "by"};
  std::vector<WordsOfSentence> sentences;
  for (std::size_t s = 0; s < 10; ++s) {
    for (std::size_t o = 0; o < 10; ++o) {
      sentences.push_back({subjects[s], verbs[(s + o) % 5], prepositions[(s + 2 * o) % 5], objects[o]});
    }
  }
  return sentences;
}

constexpr const char* kShort = ".";
// The same words at the same distances, in a sentence almost four times as long.
constexpr const char* kLong =
    " while everybody else in the house was talking about the weather and the news of the day before.";

std::vector<PointingCase> sentence_cases(const TextModel& model,
                                         const std::vector<WordsOfSentence>& sentences,
                                         const std::string& end) {
  std::vector<PointingCase> cases;
  for (const WordsOfSentence& words : sentences) {
    const std::string text = words.text(end);
    const Encoding encoding = model.encode({text});
    cases.push_back({text, position_of(encoding, words.subject), position_of(encoding, words.verb),
                     position_of(encoding, words.object)});
  }
  return cases;
}

double on_both(const PointingScore& score) { return score.right_weight + score.other_weight; }

struct Study {
  PointingReport cat, others, longer;  // the sentence, a hundred like it, and the same ones continued
};

std::vector<HeadChoice> by_weight(const PointingReport& report) {
  std::vector<HeadChoice> heads;
  for (std::size_t layer = 0; layer < report.heads.size(); ++layer) {
    for (std::size_t head = 0; head < report.heads[layer].size(); ++head) {
      heads.push_back({.layer = static_cast<Index>(layer), .head = static_cast<Index>(head)});
    }
  }
  std::stable_sort(heads.begin(), heads.end(), [&](const HeadChoice& a, const HeadChoice& b) {
    return on_both(report.at(a)) > on_both(report.at(b));
  });
  return heads;
}

double mean_of_heads(const PointingReport& report) {
  double sum = 0;
  Index heads = 0;
  for (const auto& layer : report.heads) {
    for (const PointingScore& score : layer) sum += on_both(score), ++heads;
  }
  return sum / static_cast<double>(heads);
}

void print_numbers(const Context& context, const std::string& name, double cat, double others,
                   double longer) {
  context.line(fmt::format("  {}{:>16.2f}{:>16.2f}{:>16.2f}", pad_right(name, 26), cat, others, longer));
}

void print_study(const Context& context, const Study& study) {
  const std::vector<HeadChoice> order = by_weight(study.cat), of_others = by_weight(study.others);
  context.line("  " +
               context.say(tr("weight from the first noun on the verb and the second noun together:")));
  context.line(fmt::format(
      "  {}{}{}{}", std::string(26, ' '), pad_left(context.say(tr("the sentence")), 16),
      pad_left(context.say(tr("100 like it")), 16), pad_left(context.say(tr("the same, longer")), 16)));
  for (std::size_t i = 0; i < 3; ++i) {
    const HeadChoice& head = order[i];
    print_numbers(context, head.name(), on_both(study.cat.at(head)), on_both(study.others.at(head)),
                  on_both(study.longer.at(head)));
  }
  print_numbers(context, context.say(tr("mean of {0} heads", order.size())), mean_of_heads(study.cat),
                mean_of_heads(study.others), mean_of_heads(study.longer));
  const double even = 2 * study.cat.at(order[0]).even_weight;
  print_numbers(context, context.say(tr("even attention")), even, 2 * study.others.at(order[0]).even_weight,
                2 * study.longer.at(order[0]).even_weight);
  context.line();
  const HeadChoice& best = order[0];
  const PointingScore &cat = study.cat.at(best), &others = study.others.at(best),
                      &longer = study.longer.at(best);
  context.paragraph(tr(
      "{0} looks most: “sat” {1:.2f}, “mat” {2:.2f}. Even attention would give two of nine tokens {3:.2f}, so "
      "much of it is only the sentence's short length. Of 100 other sentences of the same form the same head "
      "gives {4:.2f} (verb {5:.2f}, noun {6:.2f}), and {7:.2f} (verb {8:.2f}, noun {9:.2f}) when each goes on "
      "for another seventeen words.",
      best.name(), cat.right_weight, cat.other_weight, even, on_both(others), others.right_weight,
      others.other_weight, on_both(longer), longer.right_weight, longer.other_weight));
  context.paragraph(tr(
      "Over those 100 the first is {0} with {1:.2f}; it was chosen from {2} heads, and the largest of so many "
      "looks like a finding even where nothing is.",
      of_others[0].name(), on_both(study.others.at(of_others[0])), of_others.size()));
}

}  // namespace

void find_neighbours(const Context& context, const FoundPictures& pictures) {
  context.subheading(tr("Does “cat” look at “sat” and “mat”? The cat sat on the mat."));
  if (!is_stored(stored_model("minilm"))) {
    context.paragraph(tr("MiniLM is not there; fovea model get minilm fetches it."));
    return;
  }
  const TextModel model = TextModel::load(model_folder("minilm"));
  const auto others = other_sentences();
  const Study study = {
      measure_pointing(model, sentence_cases(model, {{"cat", "sat", "on", "mat"}}, kShort)),
      measure_pointing(model, sentence_cases(model, others, kShort)),
      measure_pointing(model, sentence_cases(model, others, kLong))};
  print_study(context, study);
  if (!pictures.wanted()) return;
  Matrix weights(static_cast<Index>(study.cat.heads.size()), static_cast<Index>(study.cat.heads[0].size()));
  for (Index layer = 0; layer < weights.rows(); ++layer) {
    for (Index head = 0; head < weights.columns(); ++head) {
      weights(layer, head) = on_both(study.cat.at({.layer = layer, .head = head}));
    }
  }
  LayerHeadMatrixOptions options;
  options.title = context.say(tr("From “cat” at “sat” and “mat”: The cat sat on the mat."));
  options.bar_title = context.say(tr("weight on both"));
  options.low = 0;
  options.language = context.language;
  pictures.save("finds-cat.png", layer_head_matrix(weights, options));
}

}  // namespace fovea::command
