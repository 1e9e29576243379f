// What a model predicts, and what it predicts when something is changed on the way.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/error.h"
#include "fovea/places.h"
#include "fovea/predict.h"
#include "fovea/sweep.h"
#include "fovea/text_model.h"
#include "interrupt.h"
#include "kinds.h"

namespace fovea::python {
namespace {

using Names = std::vector<std::string>;

// Of an encoder-decoder model an unfinished text: only what it was given is read.
ReadOptions reading() {
  ReadOptions options;
  options.write = false;
  return options;
}

Names predicted_tokens(const TextModel& model, const TextRun& read) {
  const bool decoder = model.model().config().has_decoder();
  return read.run.query_tokens(decoder ? AttentionKind::decoder : AttentionKind::encoder);
}

// Positions or tokens; none: where the model predicts. "all": everywhere.
std::vector<Index> positions_of(const Names& wanted, const TextModel& model, const TextRun& read) {
  if (wanted.empty()) return predicted_positions(model, read);
  const Names tokens = predicted_tokens(model, read);
  std::vector<Index> positions;
  if (wanted.size() == 1 && wanted.front() == "all") {
    for (std::size_t i = 0; i < tokens.size(); ++i) positions.push_back(static_cast<Index>(i));
    return positions;
  }
  for (const std::string& each : wanted) positions.push_back(parse_position(each, tokens));
  return positions;
}

nb::list to_list(const std::vector<TokenPrediction>& top) {
  nb::list all;
  for (const TokenPrediction& each : top) {
    all.append(nb::make_tuple(each.token, each.id, each.logit, each.probability));
  }
  return all;
}

ConstView logits_at(const TextRun& run, std::size_t place) {
  return run.output.logits.view().select(0, 0).select(0, static_cast<Index>(place));
}

nb::dict prediction(const TextModel& model, const TextRun& run, std::size_t place, Index position,
                    Index top) {
  nb::dict one;
  one["position"] = position;
  one["token"] = predicted_tokens(model, run).at(static_cast<std::size_t>(position));
  one["top"] = to_list(top_tokens(model, logits_at(run, place), top));
  return one;
}

nb::list predict(const TextModel& model, const Names& texts, const Names& wanted, Index top) {
  TextRun run;
  std::vector<Index> positions;
  {
    const nb::gil_scoped_release released;
    ReadOptions options = reading();
    const TextRun read = model.read(texts, options);
    options.output = true;
    positions = options.logits_at = positions_of(wanted, model, read);
    run = model.read_again(read, options);
  }
  nb::list all;
  for (std::size_t i = 0; i < positions.size(); ++i)
    all.append(prediction(model, run, i, positions[i], top));
  return all;
}

nb::object vector_of(const TextModel& model, const Names& texts) {
  std::vector<double> vector;
  {
    const nb::gil_scoped_release released;
    ReadOptions options;
    options.output = true;
    vector = sentence_vector(model.read(texts, options).output.hidden);
  }
  return to_python(std::move(vector));
}

struct Changes {
  Names ablate, ablate_mean;
  std::vector<std::pair<std::string, float>> scale;
  Names block, patch, patch_from;
};

Intervention intervention_of(const Changes& changes, const TextModel& model, const TextRun& read) {
  const ModelConfig& config = model.model().config();
  Intervention all;
  for (const std::string& list : changes.ablate) {
    for (const HeadPlace& heads : parse_heads(list, config)) all = all & Intervention::ablate(heads);
  }
  for (const std::string& list : changes.ablate_mean) {
    for (const HeadPlace& heads : parse_heads(list, config))
      all = all & Intervention::ablate(heads, Ablation::mean);
  }
  for (const auto& [list, factor] : changes.scale) {
    for (const HeadPlace& heads : parse_heads(list, config)) all = all & Intervention::scale(heads, factor);
  }
  for (const std::string& edges : changes.block) all = all & parse_edges(edges, config, read.run);
  if (changes.patch.empty()) return all;
  return all & parse_patches(changes.patch, model, read, model.read(changes.patch_from, reading()));
}

// Before and after: predictions of models with logits, the cosine of the text's vectors of others.
nb::dict whatif(const TextModel& model, const Names& texts, const Changes& changes, const Names& wanted,
                Index top) {
  TextRun before, after;
  std::vector<Index> positions;
  const bool logits = model.model().config().has_logits;
  interruptible([&](const std::stop_token&) {
    ReadOptions options = reading();
    options.output = true;
    const TextRun read = model.read(texts, options);
    if (logits) positions = options.logits_at = positions_of(wanted, model, read);
    before = logits ? model.read_again(read, options) : read;
    options.intervention = intervention_of(changes, model, read);
    after = model.read_again(read, options);
  });
  nb::dict result;
  nb::list old, now, divergences, moves;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    old.append(prediction(model, before, i, positions[i], top));
    now.append(prediction(model, after, i, positions[i], top));
    divergences.append(kl_divergence(logits_at(before, i), logits_at(after, i)));
    nb::list moved;
    for (const LogitMove& move : largest_moves(model, logits_at(before, i), logits_at(after, i), top))
      moved.append(nb::make_tuple(move.token, move.id, move.before, move.after));
    moves.append(moved);
  }
  result["before"] = old;
  result["after"] = now;
  result["kl"] = divergences;
  result["moved"] = moves;
  result["cosine"] = cosine(sentence_vector(before.output.hidden), sentence_vector(after.output.hidden));
  result["run_before"] = std::move(before.run);
  result["run_after"] = std::move(after.run);
  return result;
}

// (base, values [L, H] or [L, N], tokens)
nb::tuple sweep(const TextModel& model, const Names& texts, const std::string& metric, const Names& wanted,
                const std::string& kind, bool mean, const Names& patch_from) {
  Sweep found;
  Names tokens;
  interruptible([&](const std::stop_token& stop) {
    const TextRun read = model.read(texts, reading());
    SweepOptions options;
    options.metric = parse_metric(metric, model);
    options.ablation = mean ? Ablation::mean : Ablation::zero;
    options.kind = kind_of(kind);
    options.stop = stop;
    if (options.metric.kind != SweepMetric::Kind::cosine) {
      const std::vector<Index> positions = positions_of(wanted, model, read);
      if (positions.size() != 1)
        throw Error("[sweep] logits are measured at one position, got " + std::to_string(positions.size()));
      options.position = positions.front();
    }
    found = patch_from.empty() ? sweep_heads(model.model(), read.input, options)
                               : sweep_positions(model.model(), read.input,
                                                 model.read(patch_from, reading()).input, options);
    tokens = read.run.query_labels(options.kind);
  });
  return nb::make_tuple(found.base, to_python(std::move(found.values)), tokens);
}

}  // namespace

void bind_whatif(nb::module_& m) {
  nb::class_<Changes>(m, "Changes", "What is changed in a run.")
      .def(nb::init<>())
      .def_rw("ablate", &Changes::ablate)
      .def_rw("ablate_mean", &Changes::ablate_mean)
      .def_rw("scale", &Changes::scale)
      .def_rw("block", &Changes::block)
      .def_rw("patch", &Changes::patch)
      .def_rw("patch_from", &Changes::patch_from);
  m.def("predict", &predict, nb::arg("model"), nb::arg("texts"), nb::arg("positions"), nb::arg("top"));
  m.def("sentence_vector", &vector_of, nb::arg("model"), nb::arg("texts"));
  m.def("whatif", &whatif, nb::arg("model"), nb::arg("texts"), nb::arg("changes"), nb::arg("positions"),
        nb::arg("top"));
  m.def("sweep", &sweep, nb::arg("model"), nb::arg("texts"), nb::arg("metric"), nb::arg("positions"),
        nb::arg("kind"), nb::arg("mean"), nb::arg("patch_from"));
}

}  // namespace fovea::python
