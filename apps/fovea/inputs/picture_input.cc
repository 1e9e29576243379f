#include "inputs/picture_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fovea/error.h"
#include "fovea/measure_definitions.h"

namespace fovea::command {
namespace {

// The layers and heads that make up the places; throws unless each layer has the same heads.
MeasureTable table_of(const std::vector<HeadChoice>& chosen) {
  MeasureTable table;
  for (const HeadChoice& place : chosen) {
    if (place.merge != HeadMerge::none)
      throw UsageError("--heads: this matrix shows single heads, not their mean");
    const auto add = [](std::vector<Index>& list, Index value) {
      if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    add(table.layers, place.layer);
    add(table.heads, place.head);
  }
  if (table.layers.size() * table.heads.size() != chosen.size()) {
    throw UsageError("--heads: choose the same heads in each layer, as in --layer 0-3 --heads 1,5");
  }
  table.values = Matrix(static_cast<Index>(table.layers.size()), static_cast<Index>(table.heads.size()));
  return table;
}

// The weights themselves where they are few, cells of them otherwise.
Tensor picture_of(const OpenRun& open, const HeadChoice& choice, Index most, const std::stop_token& stop) {
  const LayerView& layer = open.layer(choice.layer);
  // Weights of a file are there anyway: whoever draws them makes the cells.
  const bool whole = layer.stored() || most == kWhole || std::max(layer.queries(), layer.keys()) <= most;
  if (whole) return open.run.weights(choice, stop);
  WeightCells cells = open.run.cells(choice, most, stop);
  return std::move(choice.merge == HeadMerge::max ? cells.max : cells.mean);
}

// [K, R, C] of K matrices [R, C].
Tensor stacked(const std::vector<Tensor>& matrices) {
  const Shape one = matrices.front().shape();
  Tensor all = Tensor::uninitialized({static_cast<Index>(matrices.size()), one[0], one[1]});
  float* to = all.data();
  for (const Tensor& matrix : matrices) to = std::copy_n(matrix.data(), one.elements(), to);
  return all;
}

}  // namespace

void PictureSource::declare(OptionList& options) {
  options.choice("--show", {"weights", "passed-on"}, show_,
                 tr("passed-on: what heads really pass on, the norm of weight · value · W_O; needs --model "
                    "or --capture; default: weights"));
  selection_.declare(options);
  input_.declare(options);
}

void PictureSource::check(std::size_t words) const {
  input_.check(words);
  if (input_.takes_texts()) return;
  if (input_.computed() && words > 0) throw UsageError("FILE and --q: choose one of them");
  if (!input_.computed() && words == 0)
    throw UsageError("FILE is missing (weights; or --model and a text, or --q and --k)");
  if (words > 1) throw UsageError(fmt::format("got {} files, expected one", words));
}

std::vector<HeadChoice> PictureSource::chosen(const OpenRun& open, DefaultHeads otherwise) const {
  if (passed_on() && !open.run.has_value_norms(open.kind)) {
    throw UsageError("--show passed-on needs --model, or a run that fovea generate --capture saved");
  }
  std::vector<HeadChoice> heads = selection_.choose(open, otherwise);
  for (HeadChoice& head : heads) head.passed_on = passed_on();
  return heads;
}

PictureInput PictureSource::picture(const OpenRun& open, DefaultHeads otherwise, Index most,
                                    const std::stop_token& stop) const {
  constexpr Index kMostWhole = 4096;
  PictureInput input;
  input.queries = open.layer().queries(), input.keys = open.layer().keys();
  if (!open.layer().stored() && most == kWhole && std::max(input.queries, input.keys) > kMostWhole) {
    throw Error(
        fmt::format("[plot] {} queries and {} keys are too many to show single weights (at most {}); a "
                    "heatmap shows means",
                    input.queries, input.keys, kMostWhole));
  }
  input.heads = chosen(open, otherwise);
  const Index batch = input.heads.front().batch;
  input.query_labels = open.query_labels(batch), input.key_labels = open.key_labels(batch);
  input.layers = open.layers(), input.layer_heads = open.layer().heads();
  input.model = open.run.model();
  std::vector<Tensor> pictures;
  for (const HeadChoice& choice : input.heads) {
    pictures.push_back(picture_of(open, choice, most, stop));
    input.masks.push_back(open.run.visible(choice));
  }
  input.values = stacked(pictures);
  return input;
}

ReceivedAttention PictureSource::received(const OpenRun& open, const std::stop_token& stop) const {
  const std::vector<HeadChoice> heads = chosen(open, DefaultHeads::one_mean);
  return {received_attention(open.run, heads, stop), open.key_labels(heads.front().batch),
          open.layer().queries(), passed_on()};
}

MeasureTable PictureSource::measure(const OpenRun& open, Measure measure,
                                    const std::stop_token& stop) const {
  const std::vector<HeadChoice> heads = selection_.choose(open, DefaultHeads::all);
  MeasureOptions options;
  options.measures = {measure};
  options.rows = options.head_mean = false;
  options.stop = stop;
  MeasureTable table = table_of(heads);
  table.measure = measure;
  HeadChoice one = heads.front();
  for (std::size_t l = 0; l < table.layers.size(); ++l) {
    for (std::size_t h = 0; h < table.heads.size(); ++h) {
      one.layer = table.layers[l], one.head = table.heads[h];
      const double value = measure_attention(open.run, one, options)[measure];
      if (std::isnan(value)) {
        throw Error(
            fmt::format("[plot] {0} does not apply to {1}; fovea analyze --explain {0} says what it needs",
                        measure_definition(measure).name, one.name()));
      }
      table.values(static_cast<Index>(l), static_cast<Index>(h)) = value;
    }
  }
  return table;
}

}  // namespace fovea::command
