// A study as a document: what each head does, as far as the measures tell.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "commands/study/views.h"
#include "fovea/measure_definitions.h"

namespace fovea::command {
namespace {

// Tokens are anybody's: nothing in them may become Markdown.
std::string code(const std::string& token) {
  std::string text = one_line(token);
  std::replace(text.begin(), text.end(), '`', '\'');
  std::replace(text.begin(), text.end(), '|', '/');
  return "`" + text + "`";
}

std::string share_of(double value) {
  return std::isnan(value) ? "–" : fmt::format("{:.0f} %", 100 * value);
}

class Atlas {
 public:
  Atlas(const Study& study, Language language) : study_(study), language_(language) {
    if (study.counts().texts > 0 && study.options().similarity_rows > 0) similarity_ = study.similarity();
  }

  std::string write() {
    const StudyCounts& counts = study_.counts();
    line("# " + say(tr("The heads of {0}", study_.model())));
    line(
        say(tr("{0} layers × {1} heads over {2} texts of {3} ({4} tokens; of each text at most the first "
               "{5}). Made by:",
               study_.layers(), study_.heads(), counts.texts, study_.options().corpus, counts.tokens,
               study_.options().length)));
    text_ += fmt::format(
        "```sh\nfovea study --model {} {}{} -o study.safetensors\nfovea study atlas "
        "study.safetensors -o atlas.md\n```\n\n",
        study_.model(), study_.options().corpus,
        study_.options().length == 128 ? "" : fmt::format(" --length {}", study_.options().length));
    caution();
    for (Index layer = 0; layer < study_.layers(); ++layer) {
      line("## " + say(tr("Layer {0}", layer)));
      table(layer);
      for (Index h = 0; h < study_.heads(); ++h) sentence(layer * study_.heads() + h);
      text_ += "\n";
    }
    return std::move(text_);
  }

 private:
  std::string say(const Message& message) const { return message.in(language_); }
  void line(const std::string& text) { text_ += text + "\n\n"; }
  double mean(Index head, Measure measure) const { return study_.value(head, measure).mean; }

  void caution() {
    line("## " + say(tr("What this does not tell")));
    line(
        say(tr("A weight says where a head looked, not what that changed: the value that it fetched may be "
               "small, and later layers may ignore it. A head that rests on [SEP] or on punctuation often "
               "does nothing there at all. None of this is about causes; switching a head off would be.")));
    line(say(
        tr("A role is a rule with a threshold (fovea analyze --explain role), tried on each text alone. "
           "Where it holds in nearly all texts, it describes the head; where it holds in half of them, "
           "the head lies near the threshold or does different things, and the numbers say more than "
           "the name. Another corpus, other lengths or another language may show another side of a "
           "head.")));
    line(say(
        tr("Numbers are means over tokens (rows); in brackets where the middle 90 % of the tokens lie. "
           "\"Beside itself most at +3 (0.089)\": of all pairs of tokens up to 16 apart, those where the "
           "key comes three tokens after the query have the largest mean weight. "
           "Tokens that receive most are also the frequent ones: a head that looks everywhere alike has "
           "them, too. Heads are compared by the Jensen–Shannon divergence of a few rows of each text: "
           "0 alike, 0.69 nothing in common.")));
  }

  void table(Index layer) {
    text_ += "| " + say(tr("head")) + " | " + say(tr("role in most texts")) + " | " +
             say(tr("entropy, of ln n")) + " | " + say(tr("distance")) + " | " + say(tr("previous")) +
             " | " + say(tr("next")) + " | " + say(tr("own")) + " | " + say(tr("same token")) + " | " +
             say(tr("special")) + " | " + say(tr("punctuation")) + " |\n";
    text_ += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (Index h = 0; h < study_.heads(); ++h) {
      const Index head = layer * study_.heads() + h;
      const std::vector<StudyRole> roles = study_.roles(head);
      text_ += fmt::format(
          "| {} | {} | {:.2f} | {:.1f} | {} | {} | {} | {} | {} | {} |\n", head_name(study_, head),
          roles.empty() ? "–" : fmt::format("{}, {}", roles[0].id, share_of(roles[0].share)),
          mean(head, Measure::normalised_entropy), mean(head, Measure::distance),
          share_of(mean(head, Measure::previous_token)), share_of(mean(head, Measure::next_token)),
          share_of(mean(head, Measure::diagonal)), share_of(mean(head, Measure::same_token)),
          share_of(mean(head, Measure::special_tokens)), share_of(mean(head, Measure::punctuation)));
    }
    text_ += "\n";
  }

  std::string role_words(Index head) const {
    std::string words;
    for (const StudyRole& role : study_.roles(head)) {
      if (role.share < 0.05) continue;
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", role.id, share_of(role.share));
    }
    return words;
  }

  // Where most of the weight goes, of the places that one key each stands for, and of kinds of tokens.
  std::string largest(Index head) const {
    const Measure places[] = {Measure::previous_token, Measure::next_token,     Measure::diagonal,
                              Measure::same_token,     Measure::special_tokens, Measure::punctuation};
    const auto value = [&](Measure measure) {
      const double v = mean(head, measure);
      return std::isnan(v) ? 0.0 : v;
    };
    const Measure most = *std::max_element(std::begin(places), std::end(places),
                                           [&](Measure a, Measure b) { return value(a) < value(b); });
    return say(tr("most on {0}: {1} ({2} – {3})", measure_definition(most).name, share_of(mean(head, most)),
                  share_of(study_.quantile(head, most, 0.05)),
                  share_of(study_.quantile(head, most, 0.95))));
  }

  // The peak of the profile beside the query itself.
  std::string by_distance(Index head) const {
    constexpr Index kFarthest = 16;
    const Index farthest = std::min(kFarthest, study_.options().length - 1);
    Index best = 0;
    for (Index d = -farthest; d <= farthest; ++d) {
      const double value = study_.at_distance(head, d);
      if (d == 0 || std::isnan(value)) continue;
      if (best == 0 || value > study_.at_distance(head, best)) best = d;
    }
    return best == 0
               ? ""
               : say(tr("; beside itself most at {0:+} ({1:.3f})", best, study_.at_distance(head, best)));
  }

  std::string tokens(Index head) const {
    constexpr Index kShown = 5;
    std::string words;
    for (const StudyToken& token : study_.received(head, kShown)) {
      words += (words.empty() ? "" : " ") + code(token.token);
    }
    return words;
  }

  std::string nearest(Index head) const {
    if (similarity_.order.empty()) return "";
    Index best = -1;
    for (Index other = 0; other < study_.layers() * study_.heads(); ++other) {
      if (other == head) continue;
      if (best < 0 || similarity_.divergence(head, other) < similarity_.divergence(head, best))
        best = other;
    }
    if (best < 0) return "";
    return say(
        tr("; most like {0} ({1:.2f})", head_name(study_, best), similarity_.divergence(head, best)));
  }

  void sentence(Index head) {
    text_ += say(tr("- **{0}** {1}; {2}{3}; receives most: {4}{5}.", head_name(study_, head),
                    role_words(head), largest(head), by_distance(head), tokens(head), nearest(head))) +
             "\n";
  }

  const Study& study_;
  Language language_;
  HeadSimilarity similarity_;
  std::string text_;
};

}  // namespace

std::string study_atlas(const Study& study, Language language) { return Atlas(study, language).write(); }

}  // namespace fovea::command
