#include "analysis/study/study_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/head_accumulator.h"
#include "analysis/study/study_similarity.h"
#include "analysis/token_kinds.h"
#include "core/at.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/attention_statistics.h"
#include "fovea/head_roles.h"
#include "fovea/probe.h"
#include "ops/weight_rows.h"
#include "run/band.h"
#include "run/weights.h"

namespace fovea {
inline namespace internal {
namespace {

// What follows the marks that tokenizers put before a word or a piece of one.
std::string_view without_marks(std::string_view token) {
  for (const std::string_view mark : {"##", "Ġ", "▁"}) {
    if (token.size() > mark.size() && token.starts_with(mark)) return token.substr(mark.size());
  }
  return token;
}

bool is_number(std::string_view token) {
  token = without_marks(token);
  return !token.empty() &&
         std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<TokenKind> kinds_of(const Encoding& encoding) {
  std::vector<TokenKind> kinds;
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const std::string& token = encoding.tokens[i];
    const bool is_unknown =
        unknown < encoding.unknown.size() && encoding.unknown[unknown].place == static_cast<Index>(i);
    if (is_unknown) ++unknown;
    const bool piece =
        i > 0 && encoding.word_ids[i] >= 0 && encoding.word_ids[i] == encoding.word_ids[i - 1];
    kinds.push_back(encoding.special_mask[i] != 0 || is_special_token(token) ? TokenKind::special
                    : is_unknown || is_unknown_token(token)                  ? TokenKind::unknown
                    : is_punctuation_token(token)                            ? TokenKind::punctuation
                    : is_number(token)                                       ? TokenKind::number
                    : piece                                                  ? TokenKind::piece
                                                                             : TokenKind::word);
  }
  return kinds;
}

MeasureOptions measure_options(const Encoding& encoding) {
  MeasureOptions options;
  options.tokens = encoding.tokens;
  options.key_tokens = encoding.tokens;
  for (const UnknownToken& token : encoding.unknown) options.unknown.push_back(token.place);
  options.unknown_keys = options.unknown;
  options.measures = study_measures();
  // What the roles need beside these; texts that repeat themselves as a whole have induction.
  options.measures.push_back(Measure::induction);
  options.measures.push_back(Measure::induction_lift);
  options.rows = true;
  options.head_mean = false;
  return options;
}

// Thrown by the probe when it has seen the last layer: what the model computes after that (an eighth of
// MiniLM's products) nobody asked for.
struct SeenAll {};

// Measures each layer as its attention is called. N = M: the queries are the keys.
class StudyProbe final : public Probe {
 public:
  StudyProbe(const StudyHeader& header, const Encoding& encoding, MeasuredText& text)
      : header_(header),
        plan_(measure_options(encoding), encoding.size(), encoding.size()),
        text_(text),
        n_(encoding.size()),
        compared_(compared_rows(text.hash, n_, header.options.similarity_rows)) {
    plan_.absent = std::numeric_limits<double>::quiet_NaN();
    text.heads.resize(at(header.all_heads()));
    for (Index i = 0; i < n_; ++i)
      content_.push_back(text.kinds[at(i)] == TokenKind::special ? 0.0f : 1.0f);
    compared_weights_.resize(compared_.size() * at(header.all_heads() * n_));
  }

  void attention(const AttentionCall& call) override {
    if (call.kind != header_.kind) return;
    const bool one_band = band_rows(header_.heads * n_) >= n_;
    const AttentionStatistics statistics =
        attention_statistics(call.q, call.k, call.options, {.thumbnail = 0, .weights = one_band});
    accumulators_.resize(at(header_.heads), HeadAccumulator(plan_));
    for (Index h = 0; h < header_.heads; ++h) prepare(head(call.layer, h));
    const ScoreExtents extents{1, 1, header_.heads, n_, n_};
    VisibleKeys visible(call.options.mask.node(), extents);
    std::vector<Index> keys_90;
    for_each_row_band(0, n_, header_.heads * n_, [&](Index begin, Index end) {
      keys_90.resize(at(end - begin));
      const Tensor band =
          one_band ? Tensor() : attention_crop(call.q, call.k, call.options, {begin, end, 0, n_});
      const Tensor& weights = one_band ? statistics.weights : band;
      for (Index h = 0; h < header_.heads; ++h) {
        const float* const rows = weights.data() + h * (end - begin) * n_;
        keys_holding(kHeldShare, rows, n_, keys_90);
        for (Index i = begin; i < end; ++i) {
          visible.set_row(0, h, i);
          add_row(accumulators_[at(h)], statistics, call.layer, h, i, {rows + (i - begin) * n_, at(n_)},
                  visible, keys_90[at(i - begin)]);
        }
      }
    });
    for (Index h = 0; h < header_.heads; ++h) {
      const float* received = statistics.received.data() + h * n_;
      HeadAccumulator& accumulator = accumulators_[at(h)];
      for (Index j = 0; j < n_; ++j) accumulator.add_received(j, static_cast<double>(received[j]));
      HeadMeasures measures = accumulator.finish();
      finish(head(call.layer, h), measures);
      accumulator.restart(std::move(measures));
    }
    if (call.layer + 1 == header_.layers) throw SeenAll();
  }

  void compare_heads() {
    text_.divergence =
        divergence_sums(compared_weights_, static_cast<Index>(compared_.size()), header_.all_heads(), n_);
    text_.divergence_rows = static_cast<Index>(compared_.size());
  }

 private:
  HeadOfText& head(Index layer, Index h) { return text_.heads[at(layer * header_.heads + h)]; }

  void prepare(HeadOfText& head) const {
    head.distance_weight.assign(at(2 * n_ - 1), 0.0);
    head.distance_pairs.assign(at(2 * n_), 0);  // differences, until finish()
    head.strongest.assign(at(n_), -1);
    head.strongest_weight.assign(at(n_), 0.0f);
  }

  void add_row(HeadAccumulator& accumulator, const AttentionStatistics& statistics, Index layer, Index h,
               Index i, std::span<const float> weights, const VisibleKeys& visible, Index keys_90) {
    const Index place = h * n_ + i;
    const auto value = [&](const Tensor& measure) { return static_cast<double>(measure.data()[place]); };
    if (std::isnan(statistics.entropy.data()[place])) {
      fail("[study] layer {}, head {}: a score that is NaN or +inf in a text of {} tokens", layer, h, n_);
    }
    const double maximum = value(statistics.maximum);
    accumulator.add_row({maximum > 0 ? 1.0 : 0.0, value(statistics.entropy), maximum,
                         value(statistics.distance), value(statistics.diagonal)},
                        visible, weights, keys_90);
    HeadOfText& head = this->head(layer, h);
    add_row_to_sums(weights, head.distance_weight.data() + (n_ - 1 - i));
    // One more from where an interval begins, one less from where it ends.
    std::int64_t* pairs = head.distance_pairs.data() + (n_ - 1 - i);
    for (const Interval& keys : visible.intervals()) ++pairs[keys.begin], --pairs[keys.end];
    if (content_[at(i)] != 0) note_strongest(head, i, weights);
    const auto found = std::find(compared_.begin(), compared_.end(), i);
    if (found == compared_.end()) return;
    const auto row = static_cast<std::size_t>(found - compared_.begin());
    std::copy_n(weights.data(), n_,
                compared_weights_.data() +
                    (row * at(header_.all_heads()) + at(layer * header_.heads + h)) * at(n_));
  }

  // The largest weights of all keys that are not special, and of those that are not the query itself.
  void note_strongest(HeadOfText& head, Index i, std::span<const float> weights) {
    content_[at(i)] = 0;
    const LargestOfRow other = largest_of_row(weights, content_.data());
    content_[at(i)] = 1;
    const float own = weights[at(i)];
    const bool is_own = own > other.weight || (own == other.weight && i < other.key);
    head.strongest[at(i)] = static_cast<std::int32_t>(is_own ? i : other.key);
    head.strongest_weight[at(i)] = is_own ? own : other.weight;
    if (other.weight <= head.best_weight) return;
    head.best_weight = other.weight;
    head.best_query = static_cast<std::int32_t>(i);
    head.best_key = static_cast<std::int32_t>(other.key);
    head.best_row.assign(weights.begin(), weights.end());
  }

  void finish(HeadOfText& head, const HeadMeasures& measures) const {
    std::partial_sum(head.distance_pairs.begin(), head.distance_pairs.end(), head.distance_pairs.begin());
    head.distance_pairs.pop_back();
    head.role = study_role(role_of(measures, text_.tokens).id);
    head.rows.reserve(study_measures().size() * at(n_));
    for (const Measure measure : study_measures()) {
      const std::vector<double>& rows = measures.rows(measure);
      head.rows.insert(head.rows.end(), rows.begin(), rows.end());
      if (rows.empty()) head.rows.resize(head.rows.size() + at(n_), plan_.absent);
      const bool of_text = measure == Measure::received || measure == Measure::sink_share;
      if (of_text) head.rows[head.rows.size() - at(n_)] = measures[measure];
    }
    head.received = measures.received;
  }

  const StudyHeader& header_;
  MeasurePlan plan_;
  std::vector<HeadAccumulator> accumulators_;  // of the heads of a layer
  MeasuredText& text_;
  Index n_;
  std::vector<Index> compared_;
  std::vector<float> content_;           // [N] 1: not special
  std::vector<float> compared_weights_;  // [rows, A, N]
};

Ids one_row_of(const std::vector<Index>& ids) { return Ids({1, static_cast<Index>(ids.size())}, ids); }

}  // namespace

MeasuredText measure_text(const TextModel& model, const StudyHeader& header, const std::string& text) {
  EncodeOptions options;
  options.max_length = header.options.length;
  const Encoding encoding = model.tokenizer().encode(text, options);
  MeasuredText measured;
  measured.hash = text_hash(text);
  measured.kinds = kinds_of(encoding);
  const bool any = std::any_of(measured.kinds.begin(), measured.kinds.end(),
                               [](TokenKind kind) { return kind != TokenKind::special; });
  if (!any) return measured;
  measured.ids = encoding.ids;
  measured.tokens = encoding.tokens;
  measured.cut = encoding.cut > 0;
  measured.unknown = static_cast<Index>(encoding.unknown.size());
  ModelInput input{one_row_of(encoding.ids), {}, {}, {}};
  if (model.model().config().family == ModelFamily::bert) input.segments = one_row_of(encoding.type_ids);
  StudyProbe probe(header, encoding, measured);
  try {
    static_cast<void>(model.model().run(input, {&probe, false}));
  } catch (const SeenAll&) {
  }
  probe.compare_heads();
  return measured;
}

}  // namespace internal
}  // namespace fovea
