#include "output/analyze_views.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"
#include "fovea/rollout.h"
#include "output/progress.h"

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

std::vector<std::string> head_names(const AnalyzedRun& source) {
  std::vector<std::string> names;
  for (const HeadChoice& head : source.heads) names.push_back(head.name());
  return names;
}

void check_all_heads(const char* option, const AnalyzedRun& source) {
  if (source.chosen)
    throw UsageError(fmt::format("{} uses all layers and heads; drop --layer and --heads", option));
}

void check_row(const char* option, const AnalyzedRun& source, Index position) {
  if (position < source.queries()) return;
  throw UsageError(
      fmt::format("{}: got position {}, expected 0 to {}", option, position, source.queries() - 1));
}

// One row of the rollout, or all.
Matrix rollout_of(const AnalyzedRun& source, std::optional<Index> position, const std::stop_token& stop) {
  constexpr Index kMaxTokens = 4096;  // of a matrix of all positions
  check_all_heads("--rollout", source);
  Progress progress("rollout");
  const RolloutOptions options{[&](double share) { progress.show(share); }, stop};
  if (position) {
    check_row("--rollout", source, *position);
    return Matrix(1, source.queries(), rollout_row(source.run, *position, options));
  }
  if (source.queries() > kMaxTokens) {
    throw UsageError(fmt::format("--rollout: {} tokens are too many for the full matrix; give a position",
                                 source.queries()));
  }
  return attention_rollout(source.run, options);
}

Matrix flow_of(const AnalyzedRun& source, std::optional<Index> position, const std::stop_token& stop) {
  check_all_heads("--flow", source);
  const RolloutOptions options{{}, stop};
  if (!position) return attention_flow(source.run, options);
  check_row("--flow", source, *position);
  return Matrix(1, source.queries(), attention_flow(source.run, *position, options));
}

void print_matrix(const Context& context, const AnalyzedRun& source, const char* measure,
                  const Matrix& matrix, std::optional<Index> position, const RenderOptions& render) {
  context.subheading(measure_definition(measure).title);
  std::vector<std::string> names = source.labels();
  for (Index i = static_cast<Index>(names.size()); i < matrix.columns(); ++i)
    names.push_back(std::to_string(i));
  const std::vector<std::string> rows =
      position ? std::vector<std::string>{names[static_cast<std::size_t>(*position)]} : names;
  context.block(matrix_to_terminal(matrix, rows, names, render, true));
}

void print_similarity(const Context& context, const AnalyzedRun& source, const HeadSimilarity& similarity,
                      const RenderOptions& render) {
  const std::vector<std::string> names = head_names(source);
  context.subheading(measure_definition("head_similarity").title);
  context.block(matrix_to_terminal(similarity.divergence, names, names, render));
  context.paragraph(
      tr("Jensen–Shannon divergence in nats: 0 means identical, 0.693 (ln 2) nothing in "
         "common."));
  context.block(matrix_to_terminal(similarity.layout, names, {"x", "y"}, render));
  std::vector<std::string> order;
  for (const Index head : similarity.order) order.push_back(names[static_cast<std::size_t>(head)]);
  context.paragraph(tr("Similar heads side by side: {0}.", fmt::format("{}", fmt::join(order, " "))));
}

void write_similarity(JsonWriter& json, const AnalyzedRun& source, const HeadSimilarity& similarity) {
  json.begin_object();
  json.key("heads");
  json.strings(head_names(source));
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
               tr("instead: how similar the heads are, as a matrix, a map and an order"));
  options.integer("--rows", "R", rows_, 1, INT64_MAX,
                  tr("number of rows to compare for --similarity, evenly spaced; default: all"));
  options.optional_text("--rollout", "POSITION", rollout_,
                        tr("instead: rollout over all layers, for one position or all"));
  options.optional_text(
      "--flow", "POSITION", flow_,
      tr("instead: attention flow (maximum flow), for one position or all; short inputs only"));
}

void AnalyzeViews::check() const {
  if (rows_ && !similarity_) throw UsageError("--rows needs --similarity");
  if (rollout_) position_of("--rollout", *rollout_);
  if (flow_) position_of("--flow", *flow_);
}

HeadSimilarity AnalyzeViews::similarity(const AnalyzedRun& source, const std::stop_token& stop) const {
  Progress progress("similarity");
  HeadSimilarityOptions options;
  options.rows = rows_.value_or(0);
  if (source.chosen) options.heads = source.heads;
  options.progress = [&](double share) { progress.show(share); };
  options.stop = stop;
  return head_similarity(source.run, options);
}

void AnalyzeViews::print(const Context& context, const AnalyzedRun& source, const RenderOptions& render,
                         const std::stop_token& stop) const {
  if (similarity_) print_similarity(context, source, similarity(source, stop), render);
  if (rollout_) {
    const std::optional<Index> position = position_of("--rollout", *rollout_);
    print_matrix(context, source, "rollout", rollout_of(source, position, stop), position, render);
  }
  if (flow_) {
    const std::optional<Index> position = position_of("--flow", *flow_);
    print_matrix(context, source, "attention_flow", flow_of(source, position, stop), position, render);
  }
}

std::string AnalyzeViews::json(const AnalyzedRun& source, const std::stop_token& stop) const {
  JsonWriter json;
  json.begin_object();
  json.key("tokens");
  json.strings(source.tokens());
  write_json(json.key("unknown"), source.unknown());
  if (similarity_) {
    json.key("head_similarity");
    write_similarity(json, source, similarity(source, stop));
  }
  if (rollout_) {
    json.key("rollout");
    json.matrix(rollout_of(source, position_of("--rollout", *rollout_), stop));
  }
  if (flow_) {
    json.key("attention_flow");
    json.matrix(flow_of(source, position_of("--flow", *flow_), stop));
  }
  json.end_object();
  return json.take();
}

}  // namespace fovea::command
