#include "fovea/run.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/head_similarity.h"
#include "fovea/measures_report.h"
#include "fovea/rollout.h"
#include "interrupt.h"
#include "kinds.h"
#include "measures.h"
#include "options.h"
#include "statistics.h"

namespace fovea::python {

AttentionKind kind_of(const std::string& name) {
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (name == to_string(kind)) return kind;
  }
  throw nb::value_error(
      ("kind: got \"" + name + "\", expected \"encoder\", \"decoder\" or \"cross\"").c_str());
}

namespace {

std::vector<std::string> kinds(const Run& run) {
  std::vector<std::string> names;
  for (const AttentionKind kind : run.kinds()) names.emplace_back(to_string(kind));
  return names;
}

// A number, "mean" or "max".
HeadChoice choice_of(const std::string& kind, Index layer, nb::handle head, Index batch, nb::handle mask) {
  HeadChoice choice;
  choice.kind = kind_of(kind);
  choice.layer = layer;
  choice.batch = batch;
  choice.mask = mask_of(mask);
  if (!nb::isinstance<nb::str>(head)) {
    choice.head = nb::cast<Index>(head);
    return choice;
  }
  const auto merge = nb::cast<std::string>(head);
  if (merge != "mean" && merge != "max") {
    throw nb::value_error(("head: got \"" + merge + "\", expected a number, \"mean\" or \"max\"").c_str());
  }
  choice.merge = merge == "mean" ? HeadMerge::mean : HeadMerge::max;
  return choice;
}

nb::object weights(const Run& run, const std::string& kind, Index layer, nb::handle head, Index batch,
                   nb::handle mask, const std::optional<std::vector<Index>>& crop) {
  const HeadChoice choice = choice_of(kind, layer, head, batch, mask);
  Tensor result;
  interruptible([&](const std::stop_token& stop) {
    result = crop ? run.weights(choice, Crop{crop->at(0), crop->at(1), crop->at(2), crop->at(3)}, stop)
                  : run.weights(choice, stop);
  });
  return to_python(std::move(result));
}

nb::dict statistics(const Run& run, const std::string& kind, Index layer, nb::handle head, Index batch,
                    nb::handle mask, Index thumbnail, Index top_k) {
  const HeadChoice choice = choice_of(kind, layer, head, batch, mask);
  AttentionStatistics result;
  interruptible([&](const std::stop_token& stop) {
    result = run.statistics(choice, {.thumbnail = thumbnail, .top_k = top_k, .stop = stop});
  });
  return to_dict(std::move(result));
}

// Of all heads of a layer, arrays [B, H, ..].
nb::dict layer_statistics(const Run& run, const std::string& kind, Index layer, Index thumbnail,
                          Index top_k) {
  const LayerView& view = run.layer(kind_of(kind), layer);
  AttentionStatistics result;
  interruptible([&](const std::stop_token& stop) {
    result = view.statistics({.thumbnail = thumbnail, .top_k = top_k, .stop = stop});
  });
  return to_dict(std::move(result));
}

nb::list measures(const Run& run, const std::string& kind, Index batch, const std::string& lang) {
  const AttentionKind chosen = kind_of(kind);
  MeasuresReport report;
  watched("measures", [&](const Watch& watch) {
    MeasureOptions options;
    options.rows = false;
    options.stop = watch.stop;
    options.progress = watch.progress;
    report = measures_report(run.select(chosen, batch), options);
  });
  return to_rows(report, language_of(lang));
}

nb::object rollout(const Run& run, const std::string& kind, Index batch, std::optional<Index> position) {
  const Run selected = run.select(kind_of(kind), batch);
  Matrix whole;
  std::vector<double> row;
  watched("rollout", [&](const Watch& watch) {
    RolloutOptions options;
    options.stop = watch.stop;
    options.progress = watch.progress;
    if (position) {
      row = rollout_row(selected, *position, options);
    } else {
      whole = attention_rollout(selected, options);
    }
  });
  return position ? to_python(std::move(row)) : to_python(std::move(whole));
}

nb::dict similarity(const Run& run, const std::string& kind, Index batch, Index rows) {
  const Run selected = run.select(kind_of(kind), batch);
  HeadSimilarity result;
  watched("similarity", [&](const Watch& watch) {
    HeadSimilarityOptions options;
    options.rows = rows;
    options.stop = watch.stop;
    options.progress = watch.progress;
    result = head_similarity(selected, options);
  });
  nb::dict fields;
  fields["divergence"] = to_python(std::move(result.divergence));
  fields["layout"] = to_python(std::move(result.layout));
  fields["order"] = result.order;
  return fields;
}

// calls: (kind, layer, q, k, v, mask, bias, scale, softcap), arrays [B, H, N, D]; float32 is not copied.
Run run_of_calls(const std::string& model, nb::list calls) {
  Capture capture;
  capture.model = model;
  for (nb::handle each : calls) {
    const auto call = nb::cast<nb::tuple>(each);
    auto inputs = std::make_shared<std::vector<Input>>();
    for (const auto& [place, name] : {std::pair{2, "q"}, std::pair{3, "k"}, std::pair{4, "v"}}) {
      inputs->emplace_back(call[static_cast<std::size_t>(place)], name);
    }
    const AttentionOptions options =
        options_of({call[5], call[6], nb::cast<std::optional<float>>(call[7]), nb::cast<float>(call[8])});
    // The inputs hold the arrays: they are given back with the interpreter's lock.
    std::shared_ptr<const void> memory(inputs.get(), [inputs](const void*) mutable {
      const nb::gil_scoped_acquire acquired;
      inputs.reset();
    });
    capture.keep({kind_of(nb::cast<std::string>(call[0])), nb::cast<Index>(call[1]), inputs->at(0).view(),
                  inputs->at(1).view(), inputs->at(2).view(), options, std::move(memory)});
  }
  return Run(std::move(capture));
}

nb::tuple shape(const Run& run, const std::string& kind, Index layer) {
  const LayerView& view = run.layer(kind_of(kind), layer);
  return nb::make_tuple(view.batch(), view.heads(), view.queries(), view.keys());
}

}  // namespace

void bind_run(nb::module_& m) {
  nb::class_<Run>(m, "Run")
      .def_static("load", &Run::load, nb::arg("path"))
      .def("save", &Run::save, nb::arg("path"))
      .def_static(
          "from_weights",
          [](nb::handle weights, nb::handle mask) {
            return Run::from_weights(Tensor::copy_of(Input(weights, "weights").view()), mask_of(mask));
          },
          nb::arg("weights"), nb::arg("mask").none())
      .def_static("from_calls", &run_of_calls, nb::arg("model"), nb::arg("calls"))
      .def_prop_ro("model", &Run::model)
      .def_prop_ro("kinds", &kinds)
      .def_prop_ro("bytes", &Run::bytes)
      .def(
          "layers", [](const Run& run, const std::string& kind) { return run.layers(kind_of(kind)); },
          nb::arg("kind"))
      .def("shape", &shape, nb::arg("kind"), nb::arg("layer"))
      .def(
          "query_tokens",
          [](const Run& run, const std::string& kind, Index batch) {
            return run.query_tokens(kind_of(kind), batch);
          },
          nb::arg("kind"), nb::arg("batch"))
      .def(
          "key_tokens",
          [](const Run& run, const std::string& kind, Index batch) {
            return run.key_tokens(kind_of(kind), batch);
          },
          nb::arg("kind"), nb::arg("batch"))
      .def(
          "query_labels",
          [](const Run& run, const std::string& kind, Index batch) {
            return run.query_labels(kind_of(kind), batch);
          },
          nb::arg("kind"), nb::arg("batch"))
      .def(
          "key_labels",
          [](const Run& run, const std::string& kind, Index batch) {
            return run.key_labels(kind_of(kind), batch);
          },
          nb::arg("kind"), nb::arg("batch"))
      .def(
          "set_tokens",
          [](Run& run, const std::string& kind, const std::vector<std::string>& queries,
             std::vector<std::string> keys) { run.set_tokens(kind_of(kind), queries, std::move(keys)); },
          nb::arg("kind"), nb::arg("queries"), nb::arg("keys"))
      .def(
          "set_tokens_of_each",
          [](Run& run, const std::string& kind, const std::vector<std::vector<std::string>>& queries,
             std::vector<std::vector<std::string>> keys) {
            run.set_tokens_of_each(kind_of(kind), queries, std::move(keys));
          },
          nb::arg("kind"), nb::arg("queries"), nb::arg("keys"))
      .def(
          "visible",
          [](const Run& run, const std::string& kind, Index layer, nb::handle head, Index batch,
             nb::handle mask) { return run.visible(choice_of(kind, layer, head, batch, mask)); },
          nb::arg("kind"), nb::arg("layer"), nb::arg("head"), nb::arg("batch"), nb::arg("mask").none())
      .def("weights", &weights, nb::arg("kind"), nb::arg("layer"), nb::arg("head"), nb::arg("batch"),
           nb::arg("mask").none(), nb::arg("crop").none())
      .def("statistics", &statistics, nb::arg("kind"), nb::arg("layer"), nb::arg("head"), nb::arg("batch"),
           nb::arg("mask").none(), nb::arg("thumbnail"), nb::arg("top_k"))
      .def("layer_statistics", &layer_statistics, nb::arg("kind"), nb::arg("layer"), nb::arg("thumbnail"),
           nb::arg("top_k"))
      .def("measures", &measures, nb::arg("kind"), nb::arg("batch"), nb::arg("lang"))
      .def("rollout", &rollout, nb::arg("kind"), nb::arg("batch"), nb::arg("position").none())
      .def("similarity", &similarity, nb::arg("kind"), nb::arg("batch"), nb::arg("rows"));
}

}  // namespace fovea::python
