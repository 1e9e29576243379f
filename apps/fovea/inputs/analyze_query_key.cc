// fovea analyze --q --k, or --model: weights that follow from queries and keys, and are never built.
#include <fmt/core.h>

#include <algorithm>

#include "fovea/error.h"
#include "inputs/analyze_input.h"

namespace fovea::command {
namespace {

std::vector<std::string> checked_names(const char* option, std::vector<std::string> names, Index count,
                                       const char* what) {
  if (names.empty() || static_cast<Index>(names.size()) == count) return names;
  throw Error(fmt::format("[analyze] {}: got {} name{}, expected {}, one per {}", option, names.size(),
                          names.size() == 1 ? "" : "s", count, what));
}

class QueryKeySource final : public AnalyzeSource {
 public:
  QueryKeySource(QueryKeys run, const HeadSelection& selection, const TokenInput& names)
      : run_(std::move(run)) {
    queries = run_.queries();
    keys = run_.keys();
    batch = run_.batch();
    entry = selection.batch_entry(batch);
    tokens = checked_names("--tokens", names.queries(), queries, "query");
    key_tokens = checked_names("--memory", names.keys(), keys, "key");
    if (tokens.empty()) tokens = run_.query_tokens;
    if (key_tokens.empty()) key_tokens = run_.key_tokens;
    if (selection.chosen()) chosen_ = selection.choose(run_.layers(), run_.heads(), DefaultHeads::all);
    if (chosen_ && chosen_->combine == CombineHeads::max)
      throw UsageError("--heads: max needs the weights; with --q take mean, all or numbers");
  }

  MeasuresReport measure(MeasureOptions options) const override {
    options.tokens = tokens;
    options.key_tokens = key_tokens;
    options.segments = run_.segments;
    if (!chosen_) return measure_all(options);
    MeasuresReport report;
    report.queries = queries;
    report.keys = keys;
    report.masked = !run_.options.mask.is_none();
    for (std::size_t i = 0; i < chosen_->places.size(); ++i) {
      const HeadPlace& place = chosen_->places[i];
      HeadMeasures measures =
          place.head < 0 ? measure_mean(place.layer, options) : measure_head(place, options);
      report.heads.push_back({chosen_->name(i), place.layer, place.head, std::move(measures)});
    }
    return report;
  }

  std::vector<std::string> head_names() const override {
    std::vector<std::string> names;
    for (Index l = 0; l < run_.layers(); ++l) {
      for (Index h = 0; h < run_.heads(); ++h) names.push_back(fmt::format("L{}H{}", l, h));
    }
    return names;
  }
  HeadSimilarity similarity(const HeadSimilarityOptions& options) const override {
    check_whole("--similarity");
    return head_similarity(of_entry(run_.q), of_entry(run_.k), run_.options, options);
  }

  Matrix rollout(std::optional<Index> position) const override {
    constexpr Index kMaxTokens = 4096;  // of a matrix of all positions
    const std::vector<RolloutLayer> all = layers("--rollout");
    if (position) return Matrix(1, queries, rollout_row(all, *position));
    if (queries > kMaxTokens) {
      throw UsageError(
          fmt::format("--rollout: {} tokens are too many for a matrix; name a position", queries));
    }
    return Matrix::from(rollout_product(all, Matrix::identity(queries).to_tensor()));
  }
  Matrix flow(std::optional<Index> position) const override {
    const std::vector<RolloutLayer> all = layers("--flow");
    return position ? Matrix(1, queries, attention_flow(all, *position)) : attention_flow(all);
  }

 private:
  ConstView of_entry(const Tensor& tensor) const { return tensor.view().slice(1, entry, entry + 1); }

  // Masks that tell batch entries apart need all of them.
  MeasuresReport measure_all(const MeasureOptions& options) const {
    if (run_.options.mask.batch() > 1)
      return report_of(measure_attention(run_.q, run_.k, run_.options, options), run_.batch(), entry);
    return report_of(measure_attention(of_entry(run_.q), of_entry(run_.k), run_.options, options));
  }

  HeadMeasures measure_head(const HeadPlace& place, MeasureOptions options) const {
    options.head_mean = false;
    const HeadInput head = run_.head(place.layer, entry, place.head);
    return std::move(measure_attention(head.q, head.k, head.options, options).heads.front().front());
  }

  HeadMeasures measure_mean(Index layer, MeasureOptions options) const {
    options.head_mean = true;
    AttentionMeasures measures = measure_attention(run_.q.view().select(0, layer),
                                                   run_.k.view().select(0, layer), run_.options, options);
    return std::move(measures.head_mean[static_cast<std::size_t>(entry)]);
  }

  void check_whole(const char* option) const {
    if (chosen_)
      throw UsageError(fmt::format("{} takes all layers and heads; leave --layer and --heads out", option));
    if (run_.options.mask.batch() > 1)
      throw UsageError(fmt::format("{} takes a mask for one sequence", option));
  }

  std::vector<RolloutLayer> layers(const char* option) const {
    check_whole(option);
    std::vector<RolloutLayer> all;
    for (Index l = 0; l < run_.layers(); ++l) {
      all.push_back({of_entry(run_.q).select(0, l), of_entry(run_.k).select(0, l), run_.options});
    }
    return all;
  }

  QueryKeys run_;
  std::optional<ChosenHeads> chosen_;
};

}  // namespace

std::unique_ptr<AnalyzeSource> query_key_source(QueryKeys run, const HeadSelection& selection,
                                                const TokenInput& tokens) {
  return std::make_unique<QueryKeySource>(std::move(run), selection, tokens);
}

}  // namespace fovea::command
