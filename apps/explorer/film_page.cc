#include "film_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "analysis.h"
#include "film_store.h"
#include "fovea/base64.h"
#include "fovea/error.h"
#include "fovea/head_roles.h"
#include "fovea/json_writer.h"
#include "fovea/measures.h"
#include "fovea/safetensors.h"
#include "state.h"

namespace fovea::explorer {
namespace {

void check_size(const Film& film) {
  double weights = 0;
  for (std::size_t t = 0; t < film.texts().size(); ++t) {
    for (const LayerView& layer : film.run(0, static_cast<Index>(t)).layers()) {
      const Index tokens = std::max(layer.queries(), layer.keys());
      if (tokens > kStoredTokens) {
        throw Error(fmt::format("[film] text {} has {} tokens, a page takes texts of at most {}", t, tokens,
                                kStoredTokens));
      }
      weights += static_cast<double>(film.frames().size()) * static_cast<double>(layer.heads()) *
                 static_cast<double>(layer.queries()) * static_cast<double>(layer.keys());
    }
  }
  if (weights <= static_cast<double>(kMostFilmWeights)) return;
  throw Error(
      fmt::format("[film] the weights of all frames would take {:.0f} MB, a page takes at most {:.0f}: "
                  "film fewer steps, or look at it with fovea serve --film",
                  weights / 1e6, static_cast<double>(kMostFilmWeights) / 1e6));
}

// One array with an axis for the frames in front.
class Frames {
 public:
  Frames(Index frames, const Shape& one) : size_(one.elements()) {
    std::vector<Index> extents = {frames};
    for (int axis = 0; axis < one.rank(); ++axis) extents.push_back(one[axis]);
    all_ = Tensor::uninitialized(Shape(extents));
  }
  float* frame(Index frame) { return all_.data() + frame * size_; }
  Tensor take() { return std::move(all_); }

 private:
  Index size_;
  Tensor all_;
};

// All frames of one text, kind by kind: "f0.decoder.weights" and so on.
class FilmData {
 public:
  explicit FilmData(const Film& film)
      : film_(film), frames_(static_cast<Index>(film.frames().size())), arrays_("[page]") {}

  void add_text(Index text) {
    for (const AttentionKind kind : film_.run(0, text).kinds()) {
      const std::string prefix = fmt::format("f{}.{}.", text, to_string(kind));
      std::vector<Run> runs;
      for (Index f = 0; f < frames_; ++f) runs.push_back(film_.run(f, text).select(kind));
      add_weights(runs, kind, prefix);
      if (kind != AttentionKind::cross) add_rollouts(runs, kind, prefix);
      add_similarities(runs, kind, prefix);
      add_measures(runs, kind, prefix);
    }
  }
  void add_texts(const std::string& state);
  std::string bytes() const { return safetensors_bytes(arrays_, types_); }
  double loss() const { return loss_; }

 private:
  void add_weights(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix);
  void add_rollouts(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix);
  void add_similarities(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix);
  void add_measures(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix);
  // Shares as 0 to 255 of the largest one of their row, which stands in NAME.row_max: a model that has
  // learned nothing gives each of many keys little, and steps of 1/255 would be all that one sees. The
  // largest error.
  double add_shares(const std::string& name, const Shape& one, const std::function<Tensor(Index)>& frame);

  const Film& film_;
  const Index frames_;
  NamedArrays arrays_;
  std::map<std::string, StoredType> types_;
  double loss_ = 0;
};

double FilmData::add_shares(const std::string& name, const Shape& one,
                            const std::function<Tensor(Index)>& frame) {
  const Index columns = one.back(), rows = one.elements() / columns;
  Frames bytes(frames_, one), row_max(frames_, {rows});
  double error = 0;
  for (Index f = 0; f < frames_; ++f) {
    const Tensor shares = frame(f);
    for (Index row = 0; row < rows; ++row) {
      const float* from = shares.data() + row * columns;
      float* to = bytes.frame(f) + row * columns;
      const float most = *std::max_element(from, from + columns);
      row_max.frame(f)[row] = most;
      for (Index i = 0; i < columns; ++i) {
        to[i] = most > 0 ? std::clamp(std::round(from[i] / most * 255), 0.0f, 255.0f) : 0;
        error = std::max(error,
                         std::abs(static_cast<double>(from[i]) - static_cast<double>(to[i] * most) / 255));
      }
    }
  }
  arrays_.add(name, bytes.take());
  types_[name] = StoredType::u8;
  arrays_.add(name + ".row_max", row_max.take());
  return error;
}

void FilmData::add_weights(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix) {
  const LayerView& layer = runs[0].layer(kind, 0);
  const Shape one{runs[0].layers(kind), layer.heads(), layer.queries(), layer.keys()};
  const double error = add_shares(prefix + "weights", one, [&](Index f) {
    return runs[static_cast<std::size_t>(f)].all_weights(kind);
  });
  loss_ = std::max(loss_, error);
}

void FilmData::add_rollouts(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix) {
  const Index tokens = runs[0].layer(kind, 0).queries();
  if (tokens != runs[0].layer(kind, 0).keys()) return;
  add_shares(prefix + "rollout", {runs[0].layers(kind), tokens, tokens},
             [&](Index f) { return rollout_of(runs[static_cast<std::size_t>(f)], kind); });
}

void FilmData::add_similarities(const std::vector<Run>& runs, AttentionKind kind,
                                const std::string& prefix) {
  const Index heads = runs[0].layers(kind) * runs[0].layer(kind, 0).heads();
  Frames divergence(frames_, {heads, heads}), layout(frames_, {heads, 2});
  Ids order = Ids::filled({frames_, heads}, 0);
  for (Index f = 0; f < frames_; ++f) {
    const HeadSimilarity one = similarity_of(runs[static_cast<std::size_t>(f)], kind);
    const Tensor of_heads = one.divergence.to_tensor(), map = one.layout.to_tensor();
    std::copy_n(of_heads.data(), heads * heads, divergence.frame(f));
    std::copy_n(map.data(), heads * 2, layout.frame(f));
    std::copy(one.order.begin(), one.order.end(), order.data() + f * heads);
  }
  arrays_.add(prefix + "similarity.divergence", divergence.take());
  types_[prefix + "similarity.divergence"] = StoredType::f16;
  arrays_.add(prefix + "similarity.layout", layout.take());
  arrays_.add(prefix + "similarity.order", std::move(order));
}

// Measures as one array [F, L, H, measures], NaN where one does not apply; what has words as JSON.
void FilmData::add_measures(const std::vector<Run>& runs, AttentionKind kind, const std::string& prefix) {
  const Index layers = runs[0].layers(kind), heads = runs[0].layer(kind, 0).heads();
  const std::vector<std::string> key_labels = runs[0].key_labels(kind);
  Frames measures(frames_, {layers, heads, static_cast<Index>(kMeasureCount)});
  MeasureOptions options;
  options.rows = options.head_mean = false;
  JsonWriter roles(JsonStyle::compact);
  roles.begin_array();
  for (Index f = 0; f < frames_; ++f) {
    float* to = measures.frame(f);
    roles.begin_array();
    for (const std::vector<HeadMeasures>& layer :
         measure_attention(runs[static_cast<std::size_t>(f)], options).heads) {
      for (const HeadMeasures& head : layer) {
        for (const Measure measure : all_measures()) *to++ = static_cast<float>(head[measure]);
        const HeadRole role = role_of(head, key_labels);
        roles.begin_array();
        roles.string(role.id);
        roles.text(role.name);
        roles.text(role.rule);
        roles.integer(head.most_attended());
        roles.end_array();
      }
    }
    roles.end_array();
  }
  roles.end_array();
  arrays_.add(prefix + "measures", measures.take());
  arrays_.metadata()[prefix + "roles"] = roles.take();
}

void FilmData::add_texts(const std::string& state) {
  std::map<std::string, std::string>& texts = arrays_.metadata();
  texts["state"] = state;
  texts["examples"] = examples_json();
  JsonWriter notes(JsonStyle::compact);
  notes.begin_object();
  notes.key("weights_dtype").string("U8");
  notes.key("loss").string(fmt::format("{:.2g}", loss_));
  notes.end_object();
  texts["notes"] = notes.take();
}

}  // namespace

PageFile film_page(const Page& page, Film film) {
  check_size(film);
  const FilmStore store(std::move(film), Limits());
  FilmData data(store.film());
  for (std::size_t t = 0; t < store.film().texts().size(); ++t) data.add_text(static_cast<Index>(t));
  const std::vector<CapturePtr> texts = store.texts();
  std::vector<const StoredCapture*> captures;
  for (const CapturePtr& text : texts) captures.push_back(text.get());
  data.add_texts(state_json({}, captures, Limits(), &store));
  return {with_data(page.html, to_base64(data.bytes())), "U8", data.loss()};
}

}  // namespace fovea::explorer
