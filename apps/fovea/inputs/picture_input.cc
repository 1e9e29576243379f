#include "inputs/picture_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fovea/attention_statistics.h"
#include "fovea/error.h"
#include "fovea/measure_definitions.h"

namespace fovea::command {
namespace {

std::vector<Index> heads_of(const HeadPlace& place, Index heads) {
  if (place.head >= 0) return {place.head};
  std::vector<Index> all;
  for (Index h = 0; h < heads; ++h) all.push_back(h);
  return all;
}

// The layers and heads that make up the places; throws unless each layer has the same heads.
MeasureTable table_of(const ChosenHeads& chosen) {
  MeasureTable table;
  for (const HeadPlace& place : chosen.places) {
    if (place.head < 0)
      throw UsageError("--heads: the matrix has a place for each head, not for their mean");
    const auto add = [](std::vector<Index>& list, Index value) {
      if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    add(table.layers, place.layer);
    add(table.heads, place.head);
  }
  if (table.layers.size() * table.heads.size() != chosen.places.size()) {
    throw UsageError("--heads: the same heads of each layer are needed, as in --layer 0-3 --heads 1,5");
  }
  table.values = Matrix(static_cast<Index>(table.layers.size()), static_cast<Index>(table.heads.size()));
  return table;
}

void check_tokens(const char* option, std::size_t got, Index expected, const char* each) {
  if (got == 0 || static_cast<Index>(got) == expected) return;
  throw Error(fmt::format("[plot] {}: got {} token{}, expected {}, one per {}", option, got,
                          got == 1 ? "" : "s", expected, each));
}

}  // namespace

void PictureSource::declare(OptionList& options) {
  selection_.declare(options);
  weights_.declare(options);
  query_key_.declare(options);
}

void PictureSource::check(std::size_t words) const {
  query_key_.check(words);
  if (query_key_.takes_texts()) return;
  if (query_key_.given() && words > 0) throw UsageError("FILE and --q: weights from one of them");
  if (!query_key_.given() && words == 0)
    throw UsageError("FILE is missing: weights; or --model and a text, or --q and --k");
  if (words > 1) throw UsageError(fmt::format("got {} files, expected one", words));
}

PictureInput PictureSource::picture(const std::vector<std::string>& words, DefaultHeads otherwise,
                                    Index most) const {
  if (query_key_.given()) return computed(query_key_.load(words), otherwise, most);
  AttentionWeights weights = weights_.load(words.front());
  PictureInput input;
  SelectedWeights selected = selection_.select(weights, otherwise);
  input.heads = std::move(selected.heads);
  input.values = std::move(selected.values);
  input.queries = weights.queries(), input.keys = weights.keys();
  input.query_tokens = std::move(weights.query_tokens);
  input.key_tokens = std::move(weights.key_tokens);
  input.layers = weights.layers(), input.layer_heads = weights.heads();
  input.mask = query_key_.mask();
  input.batch_entry = selection_.batch_entry(weights.batch());
  return input;
}

void PictureSource::describe(const QueryKeys& source, PictureInput& input) const {
  input.queries = source.queries(), input.keys = source.keys();
  input.model = source.model;
  input.query_tokens = weights_.tokens().queries();
  input.key_tokens = weights_.tokens().keys();
  if (input.query_tokens.empty()) input.query_tokens = source.query_tokens;
  if (input.key_tokens.empty()) input.key_tokens = source.key_tokens;
  check_tokens("--tokens", input.query_tokens.size(), input.queries, "query");
  check_tokens("--memory", input.key_tokens.size(), input.keys, "key");
  if (input.key_tokens.empty() && input.queries == input.keys) input.key_tokens = input.query_tokens;
}

PictureInput PictureSource::computed(const QueryKeys& source, DefaultHeads otherwise, Index most) const {
  constexpr Index kMostWhole = 4096;
  if (most == kWhole && std::max(source.queries(), source.keys()) > kMostWhole) {
    throw Error(
        fmt::format("[plot] {} queries and {} keys are too many for single weights, at most {}; a heatmap "
                    "shows means",
                    source.queries(), source.keys(), kMostWhole));
  }
  PictureInput input;
  input.heads = selection_.choose(source.layers(), source.heads(), otherwise);
  input.layers = source.layers(), input.layer_heads = source.heads();
  input.mask = source.options.mask;
  input.batch_entry = selection_.batch_entry(source.batch());
  describe(source, input);
  std::vector<Tensor> pictures;
  for (const HeadPlace& place : input.heads.places) {
    pictures.push_back(computed_head(source, place, input.heads.combine, most));
  }
  const Shape one = pictures.front().shape();
  input.values = Tensor::uninitialized({static_cast<Index>(pictures.size()), one[0], one[1]});
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    std::copy_n(pictures[i].data(), one.elements(),
                input.values.data() + static_cast<Index>(i) * one.elements());
  }
  return input;
}

// The weights themselves where they are few, cells of them otherwise.
Tensor PictureSource::computed_head(const QueryKeys& input, const HeadPlace& place, CombineHeads combine,
                                    Index most) const {
  const bool whole = most == kWhole || std::max(input.queries(), input.keys()) <= most;
  const Index entry = selection_.batch_entry(input.batch());
  const std::vector<Index> heads = heads_of(place, input.heads());
  const float share = 1 / static_cast<float>(heads.size());
  Tensor result;
  for (const Index head : heads) {
    const HeadInput one = input.head(place.layer, entry, head);
    Tensor picture;
    if (whole) {
      picture = attention_crop(one.q, one.k, one.options, {0, input.queries(), 0, input.keys()});
    } else {
      AttentionStatistics statistics = attention_statistics(
          one.q, one.k, one.options, {.rows = false, .received = false, .thumbnail = most, .top_k = 0});
      picture = std::move(combine == CombineHeads::max ? statistics.thumbnail_max : statistics.thumbnail);
    }
    if (result.empty()) result = Tensor(picture.shape());
    for (Index i = 0; i < picture.shape().elements(); ++i) {
      float& cell = result.data()[i];
      cell = combine == CombineHeads::max ? std::max(cell, picture.data()[i])
                                          : cell + share * picture.data()[i];
    }
  }
  return result;
}

ReceivedAttention PictureSource::received(const std::vector<std::string>& words) const {
  ReceivedAttention result;
  if (!query_key_.given()) {
    const PictureInput input = picture(words, DefaultHeads::one_mean, kWhole);
    result.heads = input.heads, result.key_tokens = input.key_tokens, result.queries = input.queries;
    result.values.assign(static_cast<std::size_t>(input.keys), 0);
    for (std::size_t head = 0; head < input.heads.places.size(); ++head) {
      const ConstView weights = input.value(head);
      for (Index i = 0; i < input.queries; ++i) {
        for (Index j = 0; j < input.keys; ++j) {
          result.values[static_cast<std::size_t>(j)] += static_cast<double>(weights(i, j));
        }
      }
    }
  } else {
    const QueryKeys source = query_key_.load(words);
    PictureInput names;
    describe(source, names);
    result.heads = selection_.choose(source.layers(), source.heads(), DefaultHeads::one_mean);
    if (result.heads.combine == CombineHeads::max) {
      throw UsageError("--heads max: sums of maxima would not be attention received; mean is");
    }
    result.key_tokens = names.key_tokens, result.queries = source.queries();
    result.values.assign(static_cast<std::size_t>(source.keys()), 0);
    const Index entry = selection_.batch_entry(source.batch());
    for (const HeadPlace& place : result.heads.places) {
      const std::vector<Index> heads = heads_of(place, source.heads());
      for (const Index head : heads) {
        const HeadInput one = source.head(place.layer, entry, head);
        const Tensor received =
            attention_statistics(one.q, one.k, one.options,
                                 {.rows = false, .received = true, .thumbnail = 0, .top_k = 0})
                .received;
        for (Index j = 0; j < source.keys(); ++j) {
          result.values[static_cast<std::size_t>(j)] +=
              static_cast<double>(received(j)) / static_cast<double>(heads.size());
        }
      }
    }
  }
  for (double& value : result.values) value /= static_cast<double>(result.heads.places.size());
  return result;
}

MeasureTable PictureSource::measure(const std::vector<std::string>& words, Measure measure) const {
  MeasureOptions options;
  options.measures = {measure};
  options.rows = options.head_mean = false;
  // measured(layer, head): the measure of one head.
  const auto fill = [&](MeasureTable table, const auto& measured) {
    table.measure = measure;
    for (std::size_t l = 0; l < table.layers.size(); ++l) {
      for (std::size_t h = 0; h < table.heads.size(); ++h) {
        const double value = measured(table.layers[l], table.heads[h]);
        if (std::isnan(value)) {
          throw Error(fmt::format(
              "[plot] {} does not apply to L{}H{}; fovea analyze --explain {} says what it needs",
              measure_definition(measure).name, table.layers[l], table.heads[h],
              measure_definition(measure).name));
        }
        table.values(static_cast<Index>(l), static_cast<Index>(h)) = value;
      }
    }
    return table;
  };
  if (query_key_.given()) {
    const QueryKeys source = query_key_.load(words);
    const Index entry = selection_.batch_entry(source.batch());
    PictureInput names;
    describe(source, names);
    options.tokens = names.query_tokens, options.key_tokens = names.key_tokens;
    options.segments = source.segments;
    return fill(table_of(selection_.choose(source.layers(), source.heads(), DefaultHeads::all)),
                [&](Index layer, Index head) {
                  const HeadInput one = source.head(layer, entry, head);
                  return measure_attention(one.q, one.k, one.options, options).heads[0][0][measure];
                });
  }
  const AttentionWeights weights = weights_.load(words.front());
  const Index entry = selection_.batch_entry(weights.batch());
  options.tokens = weights.query_tokens, options.key_tokens = weights.key_tokens;
  // A mask that tells batch entries apart does not fit the weights of one entry.
  const Mask mask = query_key_.mask().batch() > 1 ? Mask() : query_key_.mask();
  return fill(
      table_of(selection_.choose(weights.layers(), weights.heads(), DefaultHeads::all)),
      [&](Index layer, Index head) {
        return measure_attention(weights.head(layer, entry, head), mask, options).heads[0][0][measure];
      });
}

}  // namespace fovea::command
