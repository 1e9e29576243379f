#include "output/analyze_views.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"

namespace fovea::command {
namespace {

// "3" or "all" (or nothing); none for all positions.
std::optional<Index> position_of(const char* option, const std::string& text) {
  if (text == "all" || text.empty()) return std::nullopt;
  Index position = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || text.size() > 12) {
      throw UsageError(
          fmt::format("{}: got \"{}\", expected a position from 0, or all", option, one_line(text)));
    }
    position = 10 * position + (c - '0');
  }
  return position;
}

void print_matrix(const Context& context, const AnalyzeSource& source, const char* measure,
                  const Matrix& matrix, std::optional<Index> position, const RenderOptions& render) {
  context.subheading(measure_definition(measure).title);
  std::vector<std::string> names = source.tokens;
  for (Index i = 0; source.tokens.empty() && i < matrix.columns(); ++i) names.push_back(std::to_string(i));
  const std::vector<std::string> rows =
      position ? std::vector<std::string>{names[static_cast<std::size_t>(*position)]} : names;
  context.block(matrix_to_terminal(matrix, rows, names, render, true));
}

void print_similarity(const Context& context, const AnalyzeSource& source, const HeadSimilarity& similarity,
                      const RenderOptions& render) {
  const std::vector<std::string> names = source.head_names();
  context.subheading(measure_definition("head_similarity").title);
  context.block(matrix_to_terminal(similarity.divergence, names, names, render));
  context.paragraph(tr("Jensen–Shannon divergence in nats: 0 the same, 0.693 (ln 2) nothing in common."));
  context.block(matrix_to_terminal(similarity.layout, names, {"x", "y"}, render));
  std::vector<std::string> order;
  for (const Index head : similarity.order) order.push_back(names[static_cast<std::size_t>(head)]);
  context.paragraph(tr("Similar heads side by side: {0}.", fmt::format("{}", fmt::join(order, " "))));
}

void write_similarity(JsonWriter& json, const AnalyzeSource& source, const HeadSimilarity& similarity) {
  json.begin_object();
  json.key("heads");
  json.strings(source.head_names());
  json.key("divergence");
  json.matrix(similarity.divergence);
  json.key("layout");
  json.matrix(similarity.layout);
  json.key("order");
  json.numbers({similarity.order.begin(), similarity.order.end()});
  json.end_object();
}

}  // namespace

void AnalyzeViews::declare(OptionList& options) {
  options.flag("--similarity", similarity_,
               tr("instead: how alike the heads are, as a matrix, a map and an order"));
  options.integer("--rows", "R", rows_, 1, INT64_MAX,
                  tr("rows to compare for --similarity, evenly spaced; default: all"));
  options.optional_text("--rollout", "POSITION", rollout_,
                        tr("instead: rollout over all layers, for one position or all"));
  options.optional_text(
      "--flow", "POSITION", flow_,
      tr("instead: attention flow (maximum flow), for one position or all; short inputs only"));
}

void AnalyzeViews::check() const {
  if (rows_ && !similarity_) throw UsageError("--rows goes with --similarity");
  if (rollout_) position_of("--rollout", *rollout_);
  if (flow_) position_of("--flow", *flow_);
}

void AnalyzeViews::print(const Context& context, const AnalyzeSource& source,
                         const RenderOptions& render) const {
  if (similarity_) print_similarity(context, source, source.similarity({rows_.value_or(0)}), render);
  if (rollout_) {
    const std::optional<Index> position = position_of("--rollout", *rollout_);
    print_matrix(context, source, "rollout", source.rollout(position), position, render);
  }
  if (flow_) {
    const std::optional<Index> position = position_of("--flow", *flow_);
    print_matrix(context, source, "attention_flow", source.flow(position), position, render);
  }
}

std::string AnalyzeViews::json(const AnalyzeSource& source) const {
  JsonWriter json;
  json.begin_object();
  json.key("tokens");
  json.strings(source.tokens);
  if (similarity_) {
    json.key("head_similarity");
    write_similarity(json, source, source.similarity({rows_.value_or(0)}));
  }
  if (rollout_) {
    json.key("rollout");
    json.matrix(source.rollout(position_of("--rollout", *rollout_)));
  }
  if (flow_) {
    json.key("attention_flow");
    json.matrix(source.flow(position_of("--flow", *flow_)));
  }
  json.end_object();
  return json.take();
}

}  // namespace fovea::command
