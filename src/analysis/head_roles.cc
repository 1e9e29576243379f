#include "fovea/head_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/number_text.h"
#include "core/utf8.h"
#include "fovea/measure_definitions.h"

namespace fovea {
namespace {

std::string two_decimals(double value) { return fixed(value, 2); }

// "previous token, 0.83": `value` is told in the name, the rule says what it was compared with.
HeadRole role(std::string id, double value, const Text& what, Text rule) {
  const std::string number = two_decimals(value);
  return {std::move(id), value, {what.en + ", " + number, what.zh + "，" + number}, std::move(rule)};
}

Text at_least(Measure measure, double value, double threshold) {
  const std::string text =
      fmt::format("{} {} ≥ {}", measure_definition(measure).name, two_decimals(value), threshold);
  return {text, text};
}

// Patterns that name one place for each row. The one with the most weight is the role.
struct Pattern {
  Measure measure;
  double threshold;
  Text what;
};
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {Measure::induction, kPatternWeight, {"induction", "归纳"}},
      {Measure::previous_token, kPatternWeight, {"previous token", "前一个词"}},
      {Measure::diagonal, kPatternWeight, {"diagonal", "对角线"}},
      {Measure::next_token, kPatternWeight, {"next token", "后一个词"}},
      {Measure::same_token, kPatternWeight, {"same token", "相同词"}},
      {Measure::sink_share, kSinkShare, {"sink", "汇聚"}},
  };
  return all;
}

Text sink_name(const HeadMeasures& head, const std::vector<std::string>& key_tokens) {
  const auto key = static_cast<std::size_t>(head.most_attended());
  if (key < key_tokens.size()) {
    const std::string token = printable(key_tokens[key]);
    return {"sink on " + token, "汇聚于 " + token};
  }
  return {fmt::format("sink on key {}", key), fmt::format("汇聚于键 {}", key)};
}

// Of equals the first.
std::optional<HeadRole> strongest_pattern(const HeadMeasures& head,
                                          const std::vector<std::string>& key_tokens) {
  const Pattern* best = nullptr;
  for (const Pattern& pattern : patterns()) {
    const double value = head[pattern.measure];  // NaN compares false
    if (value >= pattern.threshold && (best == nullptr || value > head[best->measure])) best = &pattern;
  }
  if (best == nullptr) return std::nullopt;
  const double value = head[best->measure];
  const Text threshold = at_least(best->measure, value, best->threshold);
  const Text what = best->measure == Measure::sink_share ? sink_name(head, key_tokens) : best->what;
  return role(measure_definition(best->measure).name, value, what,
              {threshold.en + ", the largest of the patterns", threshold.zh + "，为各模式中最大"});
}

// A head that rests wherever nothing repeats holds little weight at the place of induction, and still no
// other place holds more of what does not rest. Tried before a sink, after the patterns of a place.
std::optional<HeadRole> weak_induction(const HeadMeasures& head) {
  const double lift = head[Measure::induction_lift];
  if (!(lift >= kInductionLift) || !(head[Measure::induction] > head.induction_rival)) return std::nullopt;
  const Text threshold = at_least(Measure::induction_lift, lift, kInductionLift);
  const std::string times = two_decimals(lift) + "×";
  return HeadRole{"induction",
                  lift,
                  {"induction, " + times, "归纳，" + times},
                  {threshold.en + ", and no other place holds as much where the text repeats",
                   threshold.zh + "，且在重复的部分没有别的位置得到这么多"}};
}

std::optional<HeadRole> kind_of_token(const HeadMeasures& head) {
  const Pattern kinds[] = {{Measure::special_tokens, kKindWeight, {"special tokens", "特殊词元"}},
                           {Measure::punctuation, kKindWeight, {"punctuation", "标点"}},
                           {Measure::block_diagonal, kOwnBlockWeight, {"own block", "本块内"}}};
  for (const Pattern& kind : kinds) {
    const double value = head[kind.measure];
    if (value >= kind.threshold) {
      return role(measure_definition(kind.measure).name, value, kind.what,
                  at_least(kind.measure, value, kind.threshold));
    }
  }
  return std::nullopt;
}

}  // namespace

HeadRole role_of(const HeadMeasures& head, const std::vector<std::string>& key_tokens) {
  if (head.rows_seeing == 0)
    return {"none", 0, {"sees nothing", "什么都看不到"}, {"no row has a weight", "没有一行有权重"}};
  if (head[Measure::effective_keys] == 1 && !(head[Measure::normalised_entropy] >= 0)) {
    return {"one_key",
            1,
            {"one key only", "只有一个键"},
            {"no row sees two keys: there is no choice", "没有一行能看到两个键：无从选择"}};
  }
  const double spread = head[Measure::normalised_entropy];
  if (spread >= kBroadEntropy) {
    return role("broad", spread, {"broad", "分散"},
                at_least(Measure::normalised_entropy, spread, kBroadEntropy));
  }
  const auto pattern = strongest_pattern(head, key_tokens);
  if (!pattern || pattern->id == measure_definition(Measure::sink_share).name) {
    if (auto induction = weak_induction(head)) return *induction;
  }
  if (pattern) return *pattern;
  if (auto kind = kind_of_token(head)) return *kind;
  const double distance = head[Measure::distance], confidence = head[Measure::confidence];
  if (distance <= kLocalDistance && static_cast<Index>(head.received.size()) >= kLocalKeys) {
    const std::string rule = fmt::format("distance {} ≤ {}", two_decimals(distance), kLocalDistance);
    return role("local", distance, {"local", "局部"}, {rule, rule});
  }
  if (confidence >= kFocusedConfidence) {
    return role("focused", confidence, {"focused", "集中"},
                at_least(Measure::confidence, confidence, kFocusedConfidence));
  }
  return {"mixed", spread, {"mixed", "混合"}, {"no rule holds", "不符合任何规则"}};
}

std::vector<RoleRule> role_rules() {
  return {
      {{"none"}, {"sees nothing: no row has a weight", "什么都看不到：没有一行有权重"}},
      {{"one_key"}, {"one key only: no row sees two keys", "只有一个键：没有一行能看到两个键"}},
      {{"broad"},
       {fmt::format("broad: normalised_entropy ≥ {}", kBroadEntropy),
        fmt::format("分散：normalised_entropy ≥ {}", kBroadEntropy)}},
      {{"induction", "previous_token", "diagonal", "next_token", "same_token", "sink_share"},
       {fmt::format("induction, previous token, diagonal, next token or same token ≥ {}, sink on one key "
                    "(sink_share) ≥ {}: the largest of them; instead of a sink, or of none, induction if "
                    "induction_lift ≥ {} and no other place holds as much where the text repeats",
                    kPatternWeight, kSinkShare, kInductionLift),
        fmt::format(
            "归纳、前一个词、对角线、后一个词、相同词 ≥ {}，汇聚于一个键（sink_share）≥ {}：取最大者；"
            "若为汇聚或都不成立，而 induction_lift ≥ {} 且在重复的部分没有别的位置得到这么多，则为归纳",
            kPatternWeight, kSinkShare, kInductionLift)}},
      {{"special_tokens", "punctuation"},
       {fmt::format("special tokens, punctuation ≥ {}", kKindWeight),
        fmt::format("特殊词元、标点 ≥ {}", kKindWeight)}},
      {{"block_diagonal"},
       {fmt::format("own block: block_diagonal ≥ {}", kOwnBlockWeight),
        fmt::format("本块内：block_diagonal ≥ {}", kOwnBlockWeight)}},
      {{"local"},
       {fmt::format("local: distance ≤ {} in inputs of {} keys or more", kLocalDistance, kLocalKeys),
        fmt::format("局部：distance ≤ {}，且键数不少于 {}", kLocalDistance, kLocalKeys)}},
      {{"focused"},
       {fmt::format("focused: confidence ≥ {}", kFocusedConfidence),
        fmt::format("集中：confidence ≥ {}", kFocusedConfidence)}},
      {{"mixed"}, {"mixed: no other rule holds", "混合：不符合其他规则"}},
  };
}

std::vector<Measure> role_measures() {
  return {Measure::normalised_entropy, Measure::effective_keys, Measure::induction,
          Measure::induction_lift,     Measure::previous_token, Measure::diagonal,
          Measure::next_token,         Measure::same_token,     Measure::sink_share,
          Measure::special_tokens,     Measure::punctuation,    Measure::block_diagonal,
          Measure::distance,           Measure::confidence};
}

}  // namespace fovea
