#include "output/attend_model.h"

#include <fmt/core.h>

#include <algorithm>

#include "end_signal.h"
#include "fovea/ascii.h"
#include "fovea/attention_path.h"
#include "fovea/attention_weights.h"
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
Tensor weights_of(const Run& run, AttentionKind kind, const ModelAttention& request,
                  const std::stop_token& stop) {
  const LayerView& layer = run.layer(kind, request.layer.value_or(0));
  if (request.head && *request.head >= layer.heads()) {
    throw Error(fmt::format("[attend] head {} does not exist: the model has {}, counted from 0",
                            *request.head, layer.heads()));
  }
  if (!request.layer && !request.head) return run.all_weights(kind, stop);
  std::vector<Tensor> parts;
  for (Index l = 0; l < run.layers(kind); ++l) {
    if (request.layer && l != *request.layer) continue;
    const LayerView& one = run.layer(kind, l);
    parts.push_back(request.head ? run.weights({.kind = kind, .layer = l, .head = *request.head}, stop)
                                 : one.crop({0, one.queries(), 0, one.keys()}));
  }
  const auto count = static_cast<Index>(parts.size()), heads = request.head ? 1 : layer.heads();
  Tensor all = Tensor::uninitialized({count, layer.batch(), heads, layer.queries(), layer.keys()});
  float* to = all.data();
  for (const Tensor& part : parts) to = std::copy_n(part.data(), part.shape().elements(), to);
  return all;
}

// Throws Error for weights that are NaN, as those of a model whose own weights are.
Tensor checked(Tensor values, const std::string& model, AttentionKind kind, std::optional<Index> layer) {
  AttentionWeights weights;
  weights.values = std::move(values);
  weights.source = fmt::format("[attend] {}, {}{}", model, to_string(kind),
                               layer ? fmt::format(" from layer {} on", *layer) : "");
  check_weights(weights);
  return std::move(weights.values);
}

// The calls of attention() in the order of the layers that made them.
void print_paths(const Run& run, const std::vector<AttentionPath>& paths) {
  for (std::size_t i = 0; i < std::min(paths.size(), run.layers().size()); ++i) {
    const LayerView& layer = run.layers()[i];
    print_message(fmt::format("{} layer {}: {}", to_string(layer.kind), layer.layer, paths[i].to_string()));
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

Export exported(const Run& run, const ModelAttention& request, const std::stop_token& stop) {
  Export result;
  const std::vector<AttentionKind> kinds = run.kinds();
  const bool both = kinds.size() > 1;
  for (const AttentionKind kind : kinds) {
    const std::string name = both ? fmt::format("{}_attentions", to_string(kind)) : "attentions";
    result.arrays.add(name,
                      checked(weights_of(run, kind, request, stop), run.model(), kind, request.layer));
  }
  add_tokens(result, "", run.tokens(kinds.front()).queries.front());
  if (both) add_tokens(result, "decoder_", run.tokens(AttentionKind::decoder).queries.front());
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
  const Run run = read_arguments(request.model, request.texts, context.language, request.load);
  observe_attention({});  // the weights that are computed next are no part of the model's run
  if (request.verbose) print_paths(run, paths);
  const StopOnSignal interrupt;
  Export all = exported(run, request, interrupt.token());
  save(all, request.output, run.model());
  report_written(context, request.output, all.arrays, request.json);
}

}  // namespace fovea::command
