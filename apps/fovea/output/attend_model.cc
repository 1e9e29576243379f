#include "output/attend_model.h"

#include <fmt/core.h>

#include <algorithm>

#include "fovea/ascii.h"
#include "fovea/attention_path.h"
#include "fovea/capture.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "fovea/json_writer.h"
#include "fovea/npz.h"
#include "fovea/safetensors.h"
#include "inputs/arrays.h"
#include "inputs/model_input.h"
#include "words.h"

namespace fovea::command {
namespace {

// [layers, B, H, N, M] of one kind of attention; one layer or head where only that was asked for.
Tensor all_weights(const Capture& capture, AttentionKind kind, const ModelAttention& request) {
  const Index layers = capture.layers(kind);
  const Shape& q = capture.at(kind, request.layer.value_or(0)).q.shape();
  const Index keys = capture.at(kind, 0).k.shape()[2];
  if (request.head && *request.head >= q[1]) {
    throw Error(fmt::format("[attend] head {} was asked for, the model has {}, counted from 0",
                            *request.head, q[1]));
  }
  const Index count = request.layer ? 1 : layers, heads = request.head ? 1 : q[1];
  Tensor all = Tensor::uninitialized({count, q[0], heads, q[2], keys});
  float* to = all.data();
  for (Index i = 0; i < count; ++i) {
    const Index layer = request.layer.value_or(i);
    if (request.head) {
      const Tensor one = capture.weights(kind, layer, *request.head);
      to = std::copy_n(one.data(), one.shape().elements(), to);
    } else {
      const Tensor weights = capture.weights(kind, layer);
      to = std::copy_n(weights.data(), weights.shape().elements(), to);
    }
  }
  return all;
}

// The calls of attention() in the order of the layers that made them.
void print_paths(const Capture& capture, const std::vector<AttentionPath>& paths) {
  for (std::size_t i = 0; i < std::min(paths.size(), capture.calls().size()); ++i) {
    const CapturedAttention& call = capture.calls()[i];
    print_message(fmt::format("{} layer {}: {}", to_string(call.kind), call.layer, paths[i].to_string()));
  }
}

struct Export {
  NamedArrays arrays{"[attend]"};
  std::vector<NamedTexts> texts;
};

void add_tokens(Export& to, const std::string& prefix, const TokenSequence& sequence) {
  const auto count = static_cast<Index>(sequence.ids.size());
  to.arrays.add(prefix + "ids", Ids({1, count}, sequence.ids));
  to.texts.push_back({prefix + "tokens", {1, count}, sequence.tokens});
}

Export exported(const Capture& capture, const ModelAttention& request) {
  Export result;
  const bool both = !capture.decoder_sequences.empty();
  for (const AttentionKind kind : capture.kinds()) {
    const std::string name = both ? fmt::format("{}_attentions", to_string(kind)) : "attentions";
    result.arrays.add(name, all_weights(capture, kind, request));
  }
  add_tokens(result, "", capture.sequences.front());
  if (both) add_tokens(result, "decoder_", capture.decoder_sequences.front());
  return result;
}

// Lists within lists, as deep as the tensor has axes.
void write_tensor(JsonWriter& json, ConstView view) {
  if (view.shape().rank() == 1) {
    std::vector<double> row;
    for (Index i = 0; i < view.shape()[0]; ++i) row.push_back(static_cast<double>(view(i)));
    json.numbers(row);
    return;
  }
  json.begin_array();
  for (Index i = 0; i < view.shape()[0]; ++i) write_tensor(json, view.select(0, i));
  json.end_array();
}

std::string json_of(const Export& all, const std::string& model) {
  JsonWriter json;
  json.begin_object();
  json.key("model").string(model);
  for (const NamedTexts& texts : all.texts) {
    json.key(texts.name).begin_array();
    json.strings(texts.values);
    json.end_array();
  }
  for (const NamedArrays::Entry& entry : all.arrays) {
    json.key(entry.name);
    if (entry.is_tensor()) {
      write_tensor(json, std::get<Tensor>(entry.array));
      continue;
    }
    json.begin_array();
    json.begin_array();
    for (const Index id : std::get<Ids>(entry.array).values()) json.integer(id);
    json.end_array();
    json.end_array();
  }
  json.end_object();
  return json.take();
}

void save(Export& all, const std::string& path, const std::string& model) {
  const std::string name = ascii_lower_case(path);
  if (name.ends_with(".json")) return write_file(path, json_of(all, model));
  if (name.ends_with(".npz")) return save_npz(path, all.arrays, all.texts);
  all.arrays.metadata()["model"] = model;
  for (const NamedTexts& texts : all.texts) {
    JsonWriter json;
    json.begin_array();
    json.strings(texts.values);
    json.end_array();
    all.arrays.metadata()[texts.name] = json.take();
  }
  save_safetensors(path, all.arrays);
}

}  // namespace

void check_model_output(const std::string& path) {
  const std::string name = ascii_lower_case(path);
  if (name.ends_with(".npz") || name.ends_with(".safetensors") || name.ends_with(".json")) return;
  throw UsageError(fmt::format(
      "--output: got \"{}\", expected a name ending in .npz, .safetensors or .json", one_line(path)));
}

void attend_by_model(const Context& context, const ModelAttention& request) {
  std::vector<AttentionPath> paths;
  if (request.verbose) observe_attention([&](const AttentionPath& path) { paths.push_back(path); });
  const Capture capture = capture_arguments(request.model, request.texts);
  observe_attention({});  // the weights that are computed next are no part of the model's run
  if (request.verbose) print_paths(capture, paths);
  Export all = exported(capture, request);
  save(all, request.output, capture.model);
  report_written(context, request.output, all.arrays, request.json);
}

}  // namespace fovea::command
