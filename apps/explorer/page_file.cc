#include "page_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis.h"
#include "fovea/base64.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/safetensors.h"
#include "limits.h"
#include "overview.h"
#include "state.h"
#include "steps.h"

namespace fovea::explorer {
namespace {

Tensor round_trip(const Tensor& tensor) {
  NamedArrays arrays("[page]");
  arrays.add("t", tensor);
  return parse_safetensors(safetensors_bytes(arrays, {{"t", StoredType::f16}}), "[page]").tensor("t");
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (Index i = 0; i < a.shape().elements(); ++i) {
    largest =
        std::max(largest, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
  }
  return largest;
}

// All that goes into the file, kind by kind.
class FileData {
 public:
  explicit FileData(const StoredCapture& stored) : stored_(stored), arrays_("[page]") {
    for (const AttentionKind kind : run().kinds()) {
      const LayerView& layer = run().layer(kind, 0);
      tokens_ = std::max({tokens_, layer.queries(), layer.keys()});
    }
  }

  void add_kind(AttentionKind kind);
  void add_steps_of(const StepsChoice& choice);
  void add_texts(const std::string& state);
  std::string bytes() const { return safetensors_bytes(arrays_, types_); }

  std::string weights_type() const {
    return tokens_ <= kHalfTokens ? "F16" : tokens_ <= kStoredTokens ? "U8" : "";
  }
  double loss() const { return loss_; }

 private:
  const Run& run() const { return stored_.run(); }
  void add_weights(AttentionKind kind, const std::string& prefix);
  void add_rows(AttentionKind kind, const std::string& prefix);
  // Numbers between 0 and 1 as float16 or 8 bits; the error that makes.
  double add_share(const std::string& name, Tensor tensor);
  void add_half(const std::string& name, Tensor tensor) {
    arrays_.add(name, std::move(tensor));
    types_[name] = StoredType::f16;
  }

  const StoredCapture& stored_;
  NamedArrays arrays_;
  std::map<std::string, StoredType> types_;
  Index tokens_ = 0;  // of the longest sequence
  double loss_ = 0;
};

double FileData::add_share(const std::string& name, Tensor tensor) {
  if (weights_type() == "F16") {
    const double error = largest_difference(tensor, round_trip(tensor));
    add_half(name, std::move(tensor));
    return error;
  }
  double error = 0;
  for (Index i = 0; i < tensor.shape().elements(); ++i) {
    const float value = tensor.data()[i];
    const float steps = std::clamp(std::round(value * 255), 0.0f, 255.0f);
    error = std::max(error, std::abs(static_cast<double>(value) - static_cast<double>(steps) / 255));
    tensor.data()[i] = steps;
  }
  arrays_.add(name, std::move(tensor));
  types_[name] = StoredType::u8;
  return error;
}

void FileData::add_weights(AttentionKind kind, const std::string& prefix) {
  Tensor all = run().select(kind).all_weights(kind);
  const Shape w = all.shape();  // [L, 1, H, N, M]
  all = std::move(all).reshaped({w[0], w[2], w[3], w[4]});
  loss_ = std::max(loss_, add_share(prefix + "weights", std::move(all)));
  if (kind != AttentionKind::cross && w[3] == w[4]) add_share(prefix + "rollout", rollout_of(run(), kind));
}

void FileData::add_rows(AttentionKind kind, const std::string& prefix) {
  StatisticsOptions wanted;
  wanted.thumbnail = 0;
  AttentionStatistics rows = run().select(kind).all_statistics(kind, wanted);
  const auto without_batch = [](Tensor all) {  // [L, 1, H, ..]
    const Shape s = all.shape();
    return std::move(all).reshaped({s[0], s[2], s[3]});
  };
  arrays_.add(prefix + "rows.entropy", without_batch(std::move(rows.entropy)));
  arrays_.add(prefix + "rows.received", without_batch(std::move(rows.received)));
}

void FileData::add_kind(AttentionKind kind) {
  const std::string prefix = std::string(to_string(kind)) + ".";
  if (!weights_type().empty()) add_weights(kind, prefix);
  Thumbnails thumbnails = thumbnails_of(run(), kind, kThumbnailCells);
  add_half(prefix + "thumbnails.mean", std::move(thumbnails.mean));
  add_half(prefix + "thumbnails.max", std::move(thumbnails.max));
  add_rows(kind, prefix);
  const HeadSimilarity similarity = similarity_of(run(), kind);
  arrays_.add(prefix + "similarity.divergence", similarity.divergence.to_tensor());
  arrays_.add(prefix + "similarity.layout", similarity.layout.to_tensor());
  arrays_.add(prefix + "similarity.order",
              Ids({static_cast<Index>(similarity.order.size())}, similarity.order));
  arrays_.metadata()[std::string("overview.") + to_string(kind)] = overview_json(stored_, kind);
}

void FileData::add_steps_of(const StepsChoice& choice) {
  if (!stored_.model) throw Error("[page] this run came without its model: there are no steps to store");
  const LayerRun run(stored_.model->model(), stored_.read.input, choice.kind, choice.layer);
  const Crop crop = {0, std::min(run.queries(), kStoredStepTokens), 0,
                     std::min(run.keys(), kStoredStepTokens)};
  const std::string prefix =
      fmt::format("{}.steps.{}.{}.", to_string(choice.kind), choice.layer, choice.head);
  const HeadSteps steps = run.head(choice.head, crop);
  add_steps(steps, prefix, arrays_, types_);
  // The parameters of a model that was published in float16 fit into it again: half the bytes, no loss.
  for (const char* name : {"w_q", "w_k", "w_v", "w_o"}) {
    const Tensor& parameters = arrays_.tensor(prefix + name);
    if (largest_difference(parameters, round_trip(parameters)) == 0)
      types_[prefix + name] = StoredType::f16;
  }
}

void FileData::add_texts(const std::string& state) {
  std::map<std::string, std::string>& texts = arrays_.metadata();
  texts["state"] = state;
  texts["examples"] = examples_json();
  if (weights_type().empty()) return;
  JsonWriter notes(JsonStyle::compact);
  notes.begin_object();
  notes.key("weights_dtype").string(weights_type());
  notes.key("loss").string(fmt::format("{:.2g}", loss_));
  notes.end_object();
  texts["notes"] = notes.take();
}

}  // namespace

std::string with_data(const std::string& html, const std::string& data) {
  const std::size_t place = html.find(kDataMarker);
  if (place == std::string::npos) {
    throw Error(fmt::format("[page] the page has no placeholder for its data ({})", kDataMarker));
  }
  std::string whole;
  whole.reserve(html.size() + data.size() + 100);
  whole.append(html, 0, place);
  whole += R"(<script type="application/octet-stream" id="fovea-data">)";
  whole += data;
  whole += "</script>";
  whole.append(html, place + std::string_view(kDataMarker).size());
  return whole;
}

PageFile page_file(const Page& page, const StoredCapture& stored, const std::vector<StepsChoice>& steps) {
  FileData data(stored);
  for (const AttentionKind kind : stored.run().kinds()) data.add_kind(kind);
  for (const StepsChoice& choice : steps) data.add_steps_of(choice);
  ModelState model = {stored.model_id, stored.model_id, {}, true};
  if (stored.model) {
    model.name = stored.model->model().name();
    model.config = stored.model->model().config();
  }
  data.add_texts(state_json({model}, {&stored}, Limits()));
  return {with_data(page.html, to_base64(data.bytes())), data.weights_type(), data.loss()};
}

}  // namespace fovea::explorer
