// fovea analyze FILE: weights that are there as a matrix.
#include <fmt/core.h>

#include "fovea/error.h"
#include "fovea/examples.h"
#include "fovea/explain.h"
#include "inputs/analyze_input.h"

namespace fovea::command {
namespace {

// What the mask says about one entry of a batch.
Mask mask_of_entry(const Mask& mask, const AttentionWeights& weights, Index entry) {
  if (mask.batch() <= 1) return mask;
  if (mask.batch() != weights.batch()) {
    throw Error(fmt::format("[analyze] the mask is for {} sequences, {} has {}", mask.batch(),
                            weights.source, weights.batch()));
  }
  const Flags all = mask.to_bool(weights.queries(), weights.keys());  // [B, 1 or N, M]
  const Index rows = all.shape()[1], keys = all.shape()[2];
  const auto begin = all.values().begin() + entry * rows * keys;
  return Mask::dense(Flags({rows, keys}, {begin, begin + rows * keys}));
}

Matrix one_row(const std::vector<double>& row) { return Matrix(1, static_cast<Index>(row.size()), row); }

class WeightsSource final : public AnalyzeSource {
 public:
  WeightsSource(AttentionWeights weights, const HeadSelection& selection, const Mask& mask)
      : weights_(std::move(weights)),
        chosen_(selection.chosen()),
        selected_(selection.select(weights_, DefaultHeads::all)) {
    queries = weights_.queries();
    keys = weights_.keys();
    batch = weights_.batch();
    entry = selection.batch_entry(batch);
    mask_ = mask_of_entry(mask, weights_, entry);
    tokens = weights_.query_tokens;
    key_tokens = weights_.key_tokens;
  }

  MeasuresReport measure(MeasureOptions options) const override {
    options.tokens = tokens;
    options.key_tokens = key_tokens;
    if (!chosen_) return report_of(measure_attention(run(), mask_, options));
    MeasuresReport report = report_of(measure_attention(selected_.values, mask_, options));
    for (std::size_t i = 0; i < report.heads.size(); ++i) {
      report.heads[i].name = selected_.heads.name(i);
      report.heads[i].layer = selected_.heads.places[i].layer;
      report.heads[i].head = selected_.heads.places[i].head;
    }
    return report;
  }

  std::vector<std::string> head_names() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < selected_.heads.places.size(); ++i)
      names.push_back(selected_.heads.name(i));
    return names;
  }
  HeadSimilarity similarity(const HeadSimilarityOptions& options) const override {
    return head_similarity(selected_.values, options);
  }

  Matrix rollout(std::optional<Index> position) const override {
    check_all_heads("--rollout");
    const Matrix all = attention_rollout(run());
    if (!position) return all;
    if (*position >= all.rows()) {
      throw UsageError(
          fmt::format("--rollout: got position {}, expected 0 to {}", *position, all.rows() - 1));
    }
    return one_row(all.row(*position));
  }
  Matrix flow(std::optional<Index> position) const override {
    check_all_heads("--flow");
    return position ? one_row(attention_flow(run(), *position)) : attention_flow(run());
  }

 private:
  ConstView run() const { return weights_.values.view().select(1, entry); }  // [L, H, N, M]
  void check_all_heads(const char* option) const {
    if (chosen_)
      throw UsageError(fmt::format("{} takes all layers and heads; leave --layer and --heads out", option));
  }

  AttentionWeights weights_;
  Mask mask_;  // for this sequence
  bool chosen_;
  SelectedWeights selected_;
};

}  // namespace

std::unique_ptr<AnalyzeSource> weights_source(AttentionWeights weights, const HeadSelection& selection,
                                              const Mask& mask) {
  return std::make_unique<WeightsSource>(std::move(weights), selection, mask);
}

AttentionWeights i_love_ai_weights(const Mask& mask) {
  constexpr Index kHeads = 4, kTokens = 3;
  const Account plain = i_love_ai();
  const Projections projections{
      plain.step("w_q").matrix, plain.step("w_k").matrix, plain.step("w_v").matrix, {}, kHeads};
  ExplainOptions options;
  options.tokens = plain.tokens;
  options.mask = mask;
  const Account account = explain(plain.step("x").matrix, projections, options);
  AttentionWeights weights;
  weights.values = Tensor::uninitialized({1, 1, kHeads, kTokens, kTokens});
  weights.query_tokens = weights.key_tokens = account.tokens;
  weights.source = "[example] I love AI";
  for (Index h = 0; h < kHeads; ++h) {
    const Matrix& head = account.weights(static_cast<int>(h));
    for (Index i = 0; i < kTokens; ++i) {
      for (Index j = 0; j < kTokens; ++j) weights.values(0, 0, h, i, j) = static_cast<float>(head(i, j));
    }
  }
  return weights;
}

}  // namespace fovea::command
