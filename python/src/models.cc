#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "fovea/generation.h"
#include "fovea/text_model.h"
#include "interrupt.h"
#include "options.h"

namespace fovea::python {
namespace {

TextModel load(const std::string& folder, const std::string& weights, const std::string& precision) {
  const ModelOptions options{.weights = float_type_of(weights), .precision = precision_of(precision)};
  const nb::gil_scoped_release released;
  Model model = load_model(folder, options);
  return {std::move(model), Tokenizer::load(folder)};
}

// (run, tokens cut off, what was read)
nb::tuple read(const TextModel& model, const std::vector<std::string>& texts) {
  TextRun read;
  {
    const nb::gil_scoped_release released;
    read = model.read(texts);
  }
  return nb::make_tuple(std::move(read.run), read.cut, std::move(read.input));
}

// (logits or None, hidden) of a text, [T, V] and [T, E].
nb::tuple outputs(const TextModel& model, const std::vector<std::string>& texts) {
  ModelOutput output;
  {
    const nb::gil_scoped_release released;
    const TextRun read = model.read(texts);
    output = model.model().run(read.input);
  }
  return nb::make_tuple(to_python(std::move(output.logits)), to_python(std::move(output.hidden)));
}

// (text, ids, ended, run of prompt and new tokens, what was read)
nb::tuple generate_text(const TextModel& model, const std::string& prompt, GenerationOptions options) {
  Generation generation;
  TextRun read;
  const Encoding encoding = model.encode({prompt}, 1);
  Index tokens = 0;
  watched("generate", [&](const Watch& watch) {
    options.stop = watch.stop;
    options.on_token = [&](Index) {
      watch.progress(static_cast<double>(++tokens) / static_cast<double>(options.max_tokens));
    };
    generation = generate(model.model(), encoding.ids, options);
    read = model.read_generated(encoding, generation.ids);
  });
  return nb::make_tuple(model.tokenizer().decode(generation.ids), generation.ids, generation.ended,
                        std::move(read.run), std::move(read.input));
}

nb::dict config(const TextModel& model) {
  const ModelConfig& config = model.model().config();
  nb::dict fields;
  fields["name"] = model.model().name();
  fields["family"] = to_string(config.family);
  fields["type"] = config.type;
  fields["parameters"] = model.model().parameters();
  fields["weights"] = to_string(model.model().weights());
  fields["precision"] = to_string(model.model().precision());
  fields["layers"] = config.layers;
  fields["decoder_layers"] = config.decoder_layers;
  fields["heads"] = config.heads;
  fields["kv_heads"] = config.kv_heads;
  fields["head_width"] = config.head_width;
  fields["width"] = config.width;
  fields["vocabulary"] = config.vocabulary;
  fields["max_tokens"] = config.max_tokens;
  fields["has_logits"] = config.has_logits;
  fields["has_decoder"] = config.has_decoder();
  fields["has_encoder"] = config.has_encoder();
  return fields;
}

}  // namespace

void bind_models(nb::module_& m) {
  nb::class_<ModelInput>(m, "ModelInput", "What a model read, to run it again.");
  nb::class_<TextModel>(m, "TextModel")
      .def_static("load", &load, nb::arg("folder"), nb::arg("weights"), nb::arg("precision"))
      .def("config", &config)
      .def("read", &read, nb::arg("texts"))
      .def("outputs", &outputs, nb::arg("texts"))
      .def(
          "encode",
          [](const TextModel& model, const std::vector<std::string>& texts) {
            const Encoding encoding = model.encode(texts);
            return nb::make_tuple(encoding.ids, encoding.tokens);
          },
          nb::arg("texts"))
      .def(
          "decode",
          [](const TextModel& model, const std::vector<Index>& ids) {
            return model.tokenizer().decode(ids);
          },
          nb::arg("ids"))
      .def(
          "generate",
          [](const TextModel& model, const std::string& prompt, Index max_tokens, double temperature,
             Index top_k, double top_p, std::uint64_t seed, Index beams) {
            GenerationOptions options;
            options.max_tokens = max_tokens;
            options.temperature = temperature;
            options.top_k = top_k;
            options.top_p = top_p;
            options.seed = seed;
            options.beams = beams;
            return generate_text(model, prompt, std::move(options));
          },
          nb::arg("prompt"), nb::arg("max_tokens"), nb::arg("temperature"), nb::arg("top_k"),
          nb::arg("top_p"), nb::arg("seed"), nb::arg("beams"));
}

}  // namespace fovea::python
