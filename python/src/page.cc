// The explorer's page with a run inside, and what it asks of a run that is served.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.h"
#include "explorer/analysis.h"
#include "explorer/head_weights.h"
#include "explorer/overview.h"
#include "explorer/page_file.h"
#include "explorer/request_error.h"
#include "explorer/state.h"
#include "explorer/steps.h"
#include "fovea/error.h"
#include "fovea/text_model.h"
#include "interrupt.h"
#include "kinds.h"

namespace fovea::python {
namespace {

namespace nb = nanobind;
using namespace explorer;

// A run as the page shows it; of a run of our own models with the model, for the steps of a head.
struct Shown {
  CapturePtr stored;
  std::shared_ptr<CaptureStore> layers;  // keeps the last layers that were run again
};

// What has no names gets numbers: the page shows tokens.
Run with_names(Run run) {
  for (const AttentionKind kind : run.kinds()) {
    if (!run.tokens(kind).queries.empty() && !run.tokens(kind).keys.empty()) continue;
    const auto numbers = [](Index count) {
      std::vector<std::string> names;
      for (Index i = 0; i < count; ++i) names.push_back(std::to_string(i));
      return names;
    };
    const LayerView& layer = run.layer(kind, 0);
    run.set_tokens(kind, numbers(layer.queries()), numbers(layer.keys()));
  }
  return run;
}

Shown show(const std::string& id, const std::string& name, const Run& run, const std::string& text,
           std::optional<std::string> second_text, const TextModel* model, const ModelInput* input,
           Index cut) {
  StoredCapture stored;
  stored.id = id;
  stored.model_id = name;
  stored.text = text;
  stored.second_text = std::move(second_text);
  stored.read.run = with_names(run);
  stored.read.cut = cut;
  if (model != nullptr && input != nullptr) {
    stored.model = *model;
    stored.read.input = *input;
  }
  const auto no_models = [](const std::string&) -> TextModel {
    throw Error("[page] no models are served");
  };
  return {std::make_shared<const StoredCapture>(std::move(stored)),
          std::make_shared<CaptureStore>(std::vector<ServedModel>(), no_models, Limits())};
}

// (html, how weights are stored: "F16", "U8" or "", the largest error of a stored weight)
nb::tuple file_of(const Shown& shown, const std::string& page,
                  const std::vector<std::tuple<std::string, Index, Index>>& steps) {
  std::vector<StepsChoice> choices;
  for (const auto& [kind, layer, head] : steps) choices.push_back({kind_of(kind), layer, head});
  PageFile file;
  interruptible([&](const std::stop_token&) { file = page_file({page, ""}, *shown.stored, choices); });
  return nb::make_tuple(nb::bytes(file.html.data(), file.html.size()), file.weights, file.loss);
}

std::string state_of(const std::vector<Shown>& all) {
  std::vector<ModelState> models;
  std::vector<const StoredCapture*> captures;
  for (const Shown& each : all) {
    captures.push_back(each.stored.get());
    if (!models.empty()) continue;  // one model, or none
    const std::optional<TextModel>& model = each.stored->model;
    models.push_back({each.stored->model_id, model ? model->model().name() : each.stored->model_id,
                      model ? std::optional(model->model().config()) : std::nullopt, true});
  }
  return state_json(models, captures, Limits());
}

std::string study_of(const Shown& shown, const std::string& what, const Parameters& parameters) {
  const StoredCapture& stored = *shown.stored;
  const AttentionKind kind = kind_parameter(parameters, stored.run());
  const auto kept = [&](const auto& make) {
    return stored.answers->get(what + " " + to_string(kind), make);
  };
  if (what == "overview") return kept([&] { return overview_json(stored, kind); });
  if (what == "thumbnails")
    return kept([&] { return thumbnails_bytes(stored.run(), kind, kThumbnailCells); });
  if (what == "similarity") return kept([&] { return similarity_bytes(stored.run(), kind); });
  if (what != "rollout") throw RequestError(404, "there is no such address");
  check_rollout(stored.run(), kind);
  const Index queries = stored.run().layer(kind, 0).queries();
  if (const auto query = integer_parameter(parameters, "query", 0, queries - 1))
    return rollout_row_bytes(stored.run(), kind, *query, {});
  return kept([&] { return rollout_bytes(stored.run(), kind); });
}

std::string bytes_of(const Shown& shown, const std::string& what, const Parameters& parameters) {
  if (what == "weights") return weights_bytes(shown.stored->run(), parameters);
  if (what == "rows") return rows_bytes(shown.stored->run(), parameters);
  if (what == "steps") return steps_bytes(*shown.layers, shown.stored, parameters);
  return study_of(shown, what, parameters);
}

// (status, body): what GET /api/captures/ID/WHAT?PARAMETERS of the explorer's server gives; of an error,
// its message.
nb::tuple answer(const Shown& shown, const std::string& what,
                 const std::vector<std::pair<std::string, std::string>>& parameters) {
  const Parameters read(parameters.begin(), parameters.end());
  int status = 200;
  std::string body;
  {
    const nb::gil_scoped_release released;
    try {
      body = bytes_of(shown, what, read);
    } catch (const RequestError& error) {
      status = error.status();
      body = error.what();
    } catch (const Error& error) {
      status = 400;
      body = error.what();
    }
  }
  return nb::make_tuple(status, nb::bytes(body.data(), body.size()));
}

}  // namespace

void bind_page(nanobind::module_& m) {
  nb::class_<Shown>(m, "Shown", "A run as the explorer's page shows it.")
      .def_static("of", &show, nb::arg("id"), nb::arg("name"), nb::arg("run"), nb::arg("text"),
                  nb::arg("second_text").none(), nb::arg("model").none(), nb::arg("input").none(),
                  nb::arg("cut"))
      .def("file", &file_of, nb::arg("page"), nb::arg("steps"))
      .def("answer", &answer, nb::arg("what"), nb::arg("parameters"));
  m.def("page_state", &state_of, nb::arg("shown"));
  m.def("page_examples", &examples_json);
}

}  // namespace fovea::python
