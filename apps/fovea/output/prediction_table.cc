#include "output/prediction_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fovea/places.h"
#include "fovea/tokenizer.h"
#include "words.h"

namespace fovea::command {

std::string share_bar(double share) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 160));
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[eighths % 8];
}

std::string table_with_bars(std::vector<std::vector<std::string>> rows,
                            const std::vector<std::string>& bars) {
  std::vector<int> widths(rows.front().size());
  for (std::vector<std::string>& row : rows) {
    if (!row.empty()) row.front() = token_in_letters(row.front());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = one_line(row[i]);
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      line += i == 0 ? pad_right(rows[r][i], widths[i]) : "  " + pad_left(rows[r][i], widths[i]);
    }
    if (r > 0 && r - 1 < bars.size() && !bars[r - 1].empty()) line += "  " + bars[r - 1];
    text += line + "\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += (i == 0 ? "" : "  ") + std::string(static_cast<std::size_t>(widths[i]), '-');
    }
    text += "\n";
  }
  return text;
}

std::string place_of_prediction(const Context& context, const TextModel& model,
                                const std::vector<std::string>& tokens, Index position) {
  const std::string token = one_line(token_in_letters(tokens[static_cast<std::size_t>(position)]));
  return model.model().config().has_decoder() ? context.say(tr("after {0} (position {1})", token, position))
                                              : context.say(tr("at {0} (position {1})", token, position));
}

void print_predictions(const Context& context, const std::vector<TokenPrediction>& top) {
  std::vector<std::vector<std::string>> rows = {{context.say(tr("token")), context.say(tr("id")),
                                                 context.say(tr("logit")), context.say(tr("probability"))}};
  std::vector<std::string> bars;
  for (const TokenPrediction& each : top) {
    rows.push_back({each.token, std::to_string(each.id), fmt::format("{:.3f}", each.logit),
                    fmt::format("{:.2f} %", 100 * each.probability)});
    bars.push_back(share_bar(each.probability));
  }
  context.print(table_with_bars(std::move(rows), bars));
}

void write_json(JsonWriter& json, const std::vector<TokenPrediction>& top) {
  json.begin_array();
  for (const TokenPrediction& each : top) {
    json.begin_object();
    json.key("token").string(each.token);
    json.key("id").integer(each.id);
    json.key("logit").number(each.logit);
    json.key("probability").number(each.probability);
    json.end_object();
  }
  json.end_array();
}

std::vector<std::string> predicted_tokens(const TextModel& model, const TextRun& run) {
  return run.run.query_tokens(model.model().config().has_decoder() ? AttentionKind::decoder
                                                                   : AttentionKind::encoder);
}

std::vector<Index> positions_of(const std::optional<std::string>& list, const TextModel& model,
                                const TextRun& run) {
  if (!list) return predicted_positions(model, run);
  const std::vector<std::string> tokens = predicted_tokens(model, run);
  std::vector<Index> positions;
  if (*list == "all") {
    for (std::size_t i = 0; i < tokens.size(); ++i) positions.push_back(static_cast<Index>(i));
    return positions;
  }
  for (const std::string& item : split_list(*list)) positions.push_back(parse_position(item, tokens));
  return positions;
}

}  // namespace fovea::command
