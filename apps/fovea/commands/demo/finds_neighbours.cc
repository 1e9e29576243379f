// "The cat sat on the mat.": which head looks from "cat" at "sat" and "mat", and what that is worth.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "commands/demo/finds.h"
#include "fovea/layer_head_matrix.h"
#include "fovea/measures.h"
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
  AttentionMeasures measures;          // of the sentence

  double next_token(const HeadChoice& head) const {
    const auto& layer = measures.heads[static_cast<std::size_t>(head.layer)];
    return layer[static_cast<std::size_t>(head.head)][Measure::next_token];
  }
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

// The head whose smaller one of the two weights is the largest.
HeadChoice most_on_each(const PointingReport& report) {
  const auto smaller = [&](const HeadChoice& head) {
    return std::min(report.at(head).right_weight, report.at(head).other_weight);
  };
  const std::vector<HeadChoice> heads = by_weight(report);
  return *std::max_element(heads.begin(), heads.end(), [&](const HeadChoice& a, const HeadChoice& b) {
    return smaller(a) < smaller(b);
  });
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
  context.line(fmt::format("  {}{:>18.2f}{:>18.2f}{:>18.2f}", pad_right(name, 26), cat, others, longer));
}

void print_study(const Context& context, const Study& study) {
  const std::vector<HeadChoice> order = by_weight(study.cat), of_others = by_weight(study.others);
  context.line("  " +
               context.say(tr("weight from the first noun on the verb and the second noun together:")));
  context.line(fmt::format(
      "  {}{}{}{}", std::string(26, ' '), pad_left(context.say(tr("the sentence")), 18),
      pad_left(context.say(tr("100 like it")), 18), pad_left(context.say(tr("the same, longer")), 18)));
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
  const HeadChoice &best = order[0], &steady = of_others[0];
  const PointingScore &cat = study.cat.at(best), &others = study.others.at(best),
                      &longer = study.longer.at(best), &follows = study.others.at(steady);
  context.paragraph(tr(
      "{0} has most in this sentence: “sat” {1:.2f}, “mat” {2:.2f}. Even attention would give two of nine "
      "tokens {3:.2f}: that much comes from the short sentence alone. Over 100 others of the same form {0} "
      "has {4:.2f}, about as much as even attention; when each goes on for seventeen more words it has "
      "{5:.2f} instead of {6:.2f}. What it shows is something about this sentence, and because of it this "
      "head was picked from {7}.",
      best.name(), cat.right_weight, cat.other_weight, even, on_both(others), on_both(longer),
      2 * longer.even_weight, order.size()));
  const HeadChoice both = most_on_each(study.cat);
  context.paragraph(tr(
      "{0} is the first over the 100: {1:.2f}, and {2:.2f} in the longer ones, so length does not explain it. "
      "But it is all on the verb ({3:.2f}; second noun {4:.2f}), and the verb is the next word: on the mean "
      "of all tokens of “The cat sat on the mat.” this head has {5:.2f} on the next one. No head looks from "
      "“cat” at both: the one that comes closest is {6}, “sat” {7:.2f}, “mat” {8:.2f}.",
      steady.name(), on_both(follows), on_both(study.longer.at(steady)), follows.right_weight,
      follows.other_weight, study.next_token(steady), both.name(), study.cat.at(both).right_weight,
      study.cat.at(both).other_weight));
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
      measure_pointing(model, sentence_cases(model, others, kLong)),
      measure_attention(model.read({"The cat sat on the mat."}).run)};
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
