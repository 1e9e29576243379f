// A study for people.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "commands/study/views.h"
#include "fovea/measure_definitions.h"

namespace fovea::command {
namespace {

using Line = std::vector<std::string>;

// Columns side by side: the first stands left, the others right, but for those named in `left`.
void print_columns(const Context& context, const std::vector<Line>& lines,
                   const std::vector<std::size_t>& left = {0}) {
  std::vector<int> widths;
  for (const Line& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i]));
  }
  for (const Line& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool stands_left = std::find(left.begin(), left.end(), i) != left.end();
      const bool last = i + 1 == line.size();
      text += (i == 0 ? "" : "  ") + (stands_left ? (last ? line[i] : pad_right(line[i], widths[i]))
                                                  : pad_left(line[i], widths[i]));
    }
    context.line(text);
  }
}

std::string decimals(double value, int digits = 3) {
  return std::isnan(value) ? "–" : fmt::format("{:.{}f}", value, digits);
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string bar_of(double value, double most) {
  constexpr double kCells = 40;
  const double cells = most > 0 ? value / most * kCells : 0;
  std::string bar;
  for (int i = 0; i < static_cast<int>(std::lround(cells)); ++i) bar += "█";
  return bar;
}

void print_measures(const Context& context, const Study& study, Index head) {
  std::vector<Line> lines = {{context.say(tr("measure")), context.say(tr("mean")),
                              context.say(tr("deviation")), "5 %", "25 %", "50 %", "75 %", "95 %"}};
  for (const Measure measure : study_measures()) {
    const StudyValue value = study.value(head, measure);
    Line line = {measure_definition(measure).name, decimals(value.mean), decimals(value.deviation)};
    for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95}) {
      line.push_back(decimals(study.quantile(head, measure, share)));
    }
    lines.push_back(std::move(line));
  }
  print_columns(context, lines);
}

void print_kinds(const Context& context, const Study& study, Index head) {
  std::vector<Line> lines = {{context.say(tr("measure, by kind of query"))}};
  for (Index k = 0; k < kTokenKinds; ++k) lines.front().emplace_back(to_string(static_cast<TokenKind>(k)));
  for (const Measure measure : study_measures()) {
    Line line = {measure_definition(measure).name};
    bool any = false;
    for (Index k = 0; k < kTokenKinds; ++k) {
      const StudyValue value = study.of_kind(head, measure, static_cast<TokenKind>(k));
      any = any || value.count > 0;
      line.push_back(decimals(value.mean));
    }
    if (any) lines.push_back(std::move(line));
  }
  print_columns(context, lines);
}

void print_distances(const Context& context, const Study& study, Index head) {
  constexpr Index kFarthest = 8;
  const Index farthest = std::min(kFarthest, study.options().length - 1);
  double most = 0;
  for (Index d = -farthest; d <= farthest; ++d) {
    const double value = study.at_distance(head, d);
    if (!std::isnan(value)) most = std::max(most, value);
  }
  std::vector<Line> lines;
  for (Index d = -farthest; d <= farthest; ++d) {
    const double value = study.at_distance(head, d);
    if (std::isnan(value)) continue;
    lines.push_back({fmt::format("{:+}", d), decimals(value, 4), bar_of(value, most)});
  }
  print_columns(context, lines, {2});
}

void print_received(const Context& context, const Study& study, Index head) {
  constexpr Index kShown = 12;
  std::vector<Line> lines = {{context.say(tr("token")), context.say(tr("of all weight")),
                              context.say(tr("per occurrence")), context.say(tr("occurrences"))}};
  for (const StudyToken& token : study.received(head, kShown)) {
    lines.push_back(
        {one_line(token.token),
         fmt::format("{:.1f} %", 100 * token.received / static_cast<double>(study.counts().tokens)),
         decimals(token.received / static_cast<double>(token.count), 2), fmt::format("{}", token.count)});
  }
  print_columns(context, lines);
}

void print_pairs(const Context& context, const Study& study, Index head) {
  constexpr std::size_t kShown = 12;
  std::vector<Line> lines;
  const std::vector<StudyPair> pairs = study.pairs(head);
  for (std::size_t i = 0; i < std::min(pairs.size(), kShown); ++i) {
    lines.push_back(
        {one_line(pairs[i].query) + " → " + one_line(pairs[i].key), decimals(pairs[i].weight, 1)});
  }
  print_columns(context, lines);
}

// The query in «», the key in [].
void print_places(const Context& context, const Study& study, Index head) {
  constexpr std::size_t kShown = 5;
  const std::vector<StudyPlace>& places = study.places(head);
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    const StudyPlace& place = places[i];
    std::string text;
    for (std::size_t t = 0; t < place.tokens.size(); ++t) {
      std::string token = one_line(place.tokens[t]);
      if (static_cast<Index>(t) == place.query_at) token = fmt::format("«{}»", token);
      if (static_cast<Index>(t) == place.key_at) token = fmt::format("[{}]", token);
      text += (t == 0 ? "" : " ") + token;
    }
    context.entry(decimals(place.weight), text, 7);
  }
}

}  // namespace

std::string head_name(const Study& study, Index head) {
  return fmt::format("L{}H{}", head / study.heads(), head % study.heads());
}

Index head_of_name(const Study& study, const std::string& name) {
  Index layer = -1, head = -1;
  const char* const end = name.data() + name.size();
  if (name.starts_with("L")) {
    const auto first = std::from_chars(name.data() + 1, end, layer);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == 'H') {
      const auto second = std::from_chars(first.ptr + 1, end, head);
      if (second.ec != std::errc() || second.ptr != end) head = -1;
    }
  }
  if (layer < 0 || layer >= study.layers() || head < 0 || head >= study.heads()) {
    throw UsageError(fmt::format("--head: got \"{}\", expected L0H0 .. L{}H{}", one_line(name),
                                 study.layers() - 1, study.heads() - 1));
  }
  return layer * study.heads() + head;
}

void print_study_summary(const Context& context, const Study& study) {
  const StudyCounts& counts = study.counts();
  const auto entry = [&](const Message& name, const std::string& value) {
    context.entry(context.say(name), value, 12);
  };
  entry(tr("model"),
        context.say(tr("{0}, {1} layers × {2} heads", study.model(), study.layers(), study.heads())));
  if (study.weights() != FloatType::float32 || study.precision() != Precision::float32) {
    entry(tr("numbers"), context.say(tr("weights {0}, products {1}", to_string(study.weights()),
                                        to_string(study.precision()))));
  }
  entry(tr("corpus"), study.options().corpus);
  entry(tr("texts"), context.say(tr("{0}, of at most {1} tokens; {2} were longer", counts.texts,
                                    study.options().length, counts.cut)));
  entry(tr("tokens"), context.say(tr("{0}, {1} unknown", counts.tokens, counts.unknown)));
  if (counts.skipped + counts.broken + counts.repaired > 0) {
    entry(tr("left out"), context.say(tr("{0} without tokens, {1} broken; {2} repaired", counts.skipped,
                                         counts.broken, counts.repaired)));
  }
  if (!study.shard().empty()) entry(tr("shard"), study.shard());
}

void print_study_heads(const Context& context, const Study& study) {
  std::vector<Line> lines = {{context.say(tr("head")), context.say(tr("role in most texts")), "",
                              context.say(tr("entropy")), context.say(tr("distance")),
                              context.say(tr("previous")), context.say(tr("next")), context.say(tr("own")),
                              context.say(tr("special")), context.say(tr("punctuation"))}};
  for (Index head = 0; head < study.layers() * study.heads(); ++head) {
    const std::vector<StudyRole> roles = study.roles(head);
    const auto mean = [&](Measure measure, int digits = 2) {
      return decimals(study.value(head, measure).mean, digits);
    };
    lines.push_back({head_name(study, head), roles.empty() ? "–" : roles.front().id,
                     roles.empty() ? "" : percent(roles.front().share), mean(Measure::entropy),
                     mean(Measure::distance, 1), mean(Measure::previous_token), mean(Measure::next_token),
                     mean(Measure::diagonal), mean(Measure::special_tokens), mean(Measure::punctuation)});
  }
  print_columns(context, lines, {0, 1});
}

void print_study_head(const Context& context, const Study& study, Index head) {
  context.heading(Text{head_name(study, head), head_name(study, head)});
  std::string roles;
  for (const StudyRole& role : study.roles(head)) {
    roles += fmt::format("{}{} {}", roles.empty() ? "" : ", ", role.id, percent(role.share));
  }
  context.line(context.say(tr("roles, by the share of texts in which they hold: {0}", roles)));
  context.line();
  print_measures(context, study, head);
  context.line();
  print_kinds(context, study, head);
  context.line();
  context.subheading(tr("mean weight by distance (− before the query)"));
  print_distances(context, study, head);
  context.line();
  context.subheading(tr("tokens that receive most"));
  print_received(context, study, head);
  context.line();
  context.subheading(tr("who looks at whom most, without special tokens (approximate)"));
  print_pairs(context, study, head);
  context.line();
  context.subheading(tr("strongest places: «query» and [key]"));
  print_places(context, study, head);
}

}  // namespace fovea::command
