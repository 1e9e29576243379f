// The explorer's page with a run inside, and what it asks of a run that is served.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.h"
#include "explorer/page_file.h"
#include "explorer/request_error.h"
#include "explorer/run_answer.h"
#include "explorer/state.h"
#include "explorer/study_store.h"
#include "explorer/summary.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/passed_on.h"
#include "fovea/study.h"
#include "fovea/text_model.h"
#include "interrupt.h"
#include "kinds.h"

namespace fovea::python {
namespace {

namespace nb = nanobind;
using namespace explorer;

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

// A run as the page shows it: one sequence; of a run of our own models with the model, for the steps of a
// head and for what is changed.
CapturePtr show(const std::string& name, const Run& run, Index batch, const std::string& text,
                std::optional<std::string> second_text, const TextModel* model, const ModelInput* input,
                Index cut) {
  StoredCapture stored;
  stored.id = "c1";
  stored.model_id = name;
  stored.text = text;
  stored.second_text = std::move(second_text);
  stored.read.run = with_names(run.sequence(batch));
  stored.read.cut = cut;
  if (model != nullptr && input != nullptr) {
    stored.model = *model;
    stored.read.input = *input;
    const nb::gil_scoped_release released;
    add_value_norms(model->model(), stored.read.run);
  }
  return std::make_shared<const StoredCapture>(std::move(stored));
}

// (html, how weights are stored: "F16", "U8" or "", the largest error of a stored weight)
nb::tuple file_of(const CapturePtr& shown, const std::string& page,
                  const std::vector<std::tuple<std::string, Index, Index>>& steps) {
  std::vector<StepsChoice> choices;
  for (const auto& [kind, layer, head] : steps) choices.push_back({kind_of(kind), layer, head});
  PageFile file;
  interruptible([&](const std::stop_token&) { file = page_file({page, ""}, *shown, choices); });
  return nb::make_tuple(nb::bytes(file.html.data(), file.html.size()), file.weights, file.loss);
}

// What the page asks for while a run is served, without HTTP. Several threads may ask at once.
class Served {
 public:
  Served(const CapturePtr& shown, const std::vector<Study>& studies)
      : runs_texts_(shown->model.has_value()),
        captures_(models_of(*shown), loader_of(*shown), Limits()),
        whatif_(Limits()),
        studies_(studies) {
    StoredCapture first;
    first.model_id = shown->model_id;
    first.model = shown->model;
    first.text = shown->text;
    first.second_text = shown->second_text;
    first.read = shown->read;
    captures_.keep(std::move(first));
  }

  std::string state() const {
    const std::vector<CapturePtr> kept = captures_.captures();
    std::vector<const StoredCapture*> all;
    for (const CapturePtr& each : kept) all.push_back(each.get());
    return state_json(captures_.models(), all, Limits(), nullptr, studies_.empty() ? nullptr : &studies_);
  }

  std::string add(const CaptureRequest& request) {
    if (!runs_texts_)
      throw RequestError(422, "this run came without its model: only what is on the screen can be shown");
    JsonWriter json(JsonStyle::compact);
    write_summary(json, *captures_.add(request));
    return json.take();
  }

  void remove(const std::string& id) {
    captures_.remove(id);
    whatif_.forget(id);
  }

  std::string answer(const std::string& id, const std::string& name, const Parameters& parameters) {
    return run_answer(captures_, whatif_, captures_.get(id), name, parameters, {});
  }

  std::string study(const std::string& id) const { return *studies_.overview(id); }
  std::string study_head(const std::string& id, Index head) const { return *studies_.head(id, head); }

 private:
  static std::vector<ServedModel> models_of(const StoredCapture& shown) {
    return {{shown.model_id, shown.model ? shown.model->model().path() : ""}};
  }
  // The one model that there is, is loaded already.
  static ModelLoader loader_of(const StoredCapture& shown) {
    return [model = shown.model](const std::string&) { return model.value(); };
  }

  const bool runs_texts_;
  CaptureStore captures_;
  WhatIfStore whatif_;
  const StudyStore studies_;
};

// (status, body): of an error its message.
nb::tuple answered(int status, int status_of_error, const std::function<std::string()>& work) {
  std::string body;
  {
    const nb::gil_scoped_release released;
    try {
      body = work();
    } catch (const RequestError& error) {
      status = error.status();
      body = error.what();
    } catch (const Error& error) {
      status = status_of_error;
      body = error.what();
    }
  }
  return nb::make_tuple(status, nb::bytes(body.data(), body.size()));
}

nb::tuple study(const Served& served, const std::string& id) {
  return answered(200, 400, [&] { return served.study(id); });
}

nb::tuple study_head(const Served& served, const std::string& id, Index head) {
  return answered(200, 400, [&] { return served.study_head(id, head); });
}

nb::tuple post(Served& served, const std::string& model, const std::string& text,
               const std::optional<std::string>& second_text, const std::vector<Index>& more,
               const std::string& replaces) {
  return answered(201, 422, [&] { return served.add({model, text, second_text, more, replaces}); });
}

nb::tuple remove(Served& served, const std::string& id) {
  return answered(204, 400, [&] {
    served.remove(id);
    return std::string();
  });
}

nb::tuple get(Served& served, const std::string& id, const std::string& name,
              const std::vector<std::pair<std::string, std::string>>& parameters) {
  return answered(
      200, 400, [&] { return served.answer(id, name, Parameters(parameters.begin(), parameters.end())); });
}

}  // namespace

void bind_page(nanobind::module_& m) {
  nb::class_<StoredCapture>(m, "Shown", "A run as the explorer's page shows it.")
      .def_static("of", &show, nb::arg("name"), nb::arg("run"), nb::arg("batch"), nb::arg("text"),
                  nb::arg("second_text").none(), nb::arg("model").none(), nb::arg("input").none(),
                  nb::arg("cut"));
  m.def("page_file", &file_of, nb::arg("shown"), nb::arg("page"), nb::arg("steps"));
  m.def("page_examples", &examples_json);
  m.def("answer_is_json", &is_json, nb::arg("name"));
  nb::class_<Served>(m, "Served", "A run, and what is run beside it, for the page. (status, body) each.")
      .def(nb::init<const CapturePtr&, const std::vector<Study>&>(), nb::arg("shown"), nb::arg("studies"))
      .def("study", &study, nb::arg("id"))
      .def("study_head", &study_head, nb::arg("id"), nb::arg("head"))
      .def("state", &Served::state, nb::call_guard<nb::gil_scoped_release>())
      .def("get", &get, nb::arg("id"), nb::arg("name"), nb::arg("parameters"))
      .def("post", &post, nb::arg("model"), nb::arg("text"), nb::arg("second_text").none(), nb::arg("more"),
           nb::arg("replaces"))
      .def("remove", &remove, nb::arg("id"));
}

}  // namespace fovea::python
