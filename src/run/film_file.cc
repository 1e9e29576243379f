// A film as one safetensors file: "frames.step" and "frames.loss" [F], "losses.step" and "losses.loss" [S],
// per text and layer "0.decoder.1.q" [F, H, N, D] and ".k", and the rest as JSON in its metadata.
#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "fovea/film.h"
#include "fovea/safetensors.h"
#include "io/byte_source.h"
#include "io/json.h"
#include "io/messages.h"
#include "io/safetensors_format.h"
#include "run/film_checks.h"
#include "run/run_file.h"

namespace fovea {
namespace {

constexpr const char* kFilmMetadata = "fovea.film";
constexpr Index kFilmVersion = 1;
constexpr std::size_t kMostViews = 500'000;  // layers of all frames and texts, each some hundred bytes

void add_points(NamedArrays& arrays, const std::string& name, const std::vector<FilmPoint>& points) {
  if (points.empty()) return;
  const Shape shape{static_cast<Index>(points.size())};
  Ids steps = Ids::filled(shape, 0);
  Tensor losses = Tensor::uninitialized(shape);
  for (Index i = 0; i < shape[0]; ++i) {
    steps(i) = points[static_cast<std::size_t>(i)].step;
    losses(i) = points[static_cast<std::size_t>(i)].loss;
  }
  arrays.add(name + ".step", std::move(steps));
  arrays.add(name + ".loss", std::move(losses));
}

// [1, H, N, D] of every frame → [F, H, N, D]. A film's own copies, and parts of its file, are contiguous.
Tensor stacked(const std::vector<Run>& frames, std::size_t layer, ConstView AttentionView::*side) {
  const ConstView first = frames.front().layers()[layer].*side;
  const Shape& one = first.shape();
  Tensor all = Tensor::uninitialized({static_cast<Index>(frames.size()), one[1], one[2], one[3]});
  float* to = all.data();
  for (const Run& frame : frames) {
    const LayerView& from =
        frame.layer(frames.front().layers()[layer].kind, frames.front().layers()[layer].layer);
    to = std::copy_n((from.*side).data(), one.elements(), to);
  }
  return all;
}

}  // namespace

// Makes a film of a file.
class FilmReader {
 public:
  FilmReader(NamedArrays arrays, std::string where)
      : arrays_(std::make_shared<const NamedArrays>(std::move(arrays))), where_(std::move(where)) {}

  Film read() {
    const auto found = arrays_->metadata().find(kFilmMetadata);
    if (found == arrays_->metadata().end()) fail("{}: not a film: it has no {}", where_, kFilmMetadata);
    const Json document = parse_json(found->second, where_);
    const JsonFields root(document, where_);
    const Index version = root.integer("version");
    if (version != kFilmVersion) fail("{}: version {}, expected {}", where_, version, kFilmVersion);
    film_.model_ = root.text("model");
    film_.frames_ = points("frames");
    if (arrays_->contains("losses.step")) film_.losses_ = points("losses");
    for (const Json& text : root.list("texts")) add_text({text, where_});
    if (film_.texts_.empty()) fail("{}: no texts", where_);
    return std::move(film_);
  }

 private:
  std::vector<FilmPoint> points(const std::string& name) const {
    const Ids& steps = arrays_->ids(name + ".step");
    const Tensor& losses = arrays_->tensor(name + ".loss");
    if (steps.shape().rank() != 1 || !(steps.shape() == losses.shape()) || steps.shape()[0] == 0) {
      fail("{}: {}.step is {}, {}.loss {}; expected [F] twice", where_, name, steps.shape().to_string(),
           name, losses.shape().to_string());
    }
    std::vector<FilmPoint> all;
    for (Index i = 0; i < steps.shape()[0]; ++i) {
      const Index step = steps(i), least = all.empty() ? 0 : all.back().step + 1;
      if (step < least) {
        fail("{}: {}.step has {} at {}, expected {} or more", where_, name, step, i, least);
      }
      all.push_back({step, losses(i)});
    }
    return all;
  }

  void add_text(const JsonFields& fields) {
    film_.texts_.push_back(fields.text("text"));
    const std::string where = fmt::format("{}: text {}", where_, film_.texts_.size() - 1);
    const Run all = RunReader(arrays_, where)
                        .read_frames(fields, fmt::format("{}.", film_.texts_.size() - 1), film_.model_);
    const auto frames = static_cast<Index>(film_.frames_.size());
    std::vector<Run> each;
    for (const LayerView& layer : all.layers()) {
      if (layer.batch() == frames) continue;
      fail("{}: {} layer {} has {} frames, there are {}", where, to_string(layer.kind), layer.layer,
           layer.batch(), frames);
    }
    views_ += film_.frames_.size() * all.layers().size();
    if (views_ > kMostViews) {
      fail("{}: {} layers in all frames together, at most {} are read", where, grouped(views_),
           grouped(kMostViews));
    }
    for (Index f = 0; f < frames; ++f) {
      each.push_back(RunReader::frame_of(all, f));
      check_film_run(each.back(), film_.texts_.back(), where);
    }
    film_.runs_.push_back(std::move(each));
  }

  std::shared_ptr<const NamedArrays> arrays_;
  std::string where_;
  std::size_t views_ = 0;
  Film film_;
};

namespace {

Film read_film(const ByteSource& file, std::size_t most_bytes) {
  SafetensorsIndex index = index_safetensors(file);
  std::size_t bytes = 0;
  for (const SafetensorsIndex::Entry& entry : index.entries) {
    const auto elements = static_cast<std::size_t>(entry.raw.shape.elements());
    bytes += elements * sizeof(float);  // each at most 2^63 / element size: the file holds them
    if (bytes > most_bytes) {
      fail("{}: queries and keys take more than the {} bytes that are read", file.where(),
           grouped(most_bytes));
    }
  }
  return FilmReader(decode_safetensors(std::move(index), file.where()), file.where()).read();
}

}  // namespace

void Film::save(const std::string& path) const {
  const std::string where = "[film] " + path;
  if (frames_.empty()) fail("{}: a film without frames is not saved", where);
  NamedArrays arrays(where);
  add_points(arrays, "frames", frames_);
  add_points(arrays, "losses", losses_);
  JsonWriter json;
  json.begin_object();
  json.key("version").integer(kFilmVersion);
  json.key("model").string(model_);
  json.key("texts").begin_array();
  for (std::size_t t = 0; t < texts_.size(); ++t) {
    const Run& first = runs_[t].front();
    json.begin_object();
    json.key("text").string(texts_[t]);
    write_tokens(json, first);
    json.key("layers").begin_array();
    for (std::size_t l = 0; l < first.layers().size(); ++l) {
      const LayerView& layer = first.layers()[l];
      write_layer(json, layer, where);
      const std::string prefix = fmt::format("{}.{}", t, array_prefix(layer.kind, layer.layer));
      arrays.add(prefix + "q", stacked(runs_[t], l, &AttentionView::q));
      arrays.add(prefix + "k", stacked(runs_[t], l, &AttentionView::k));
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  arrays.metadata()[kFilmMetadata] = json.take();
  save_safetensors(path, arrays);
}

Film Film::load(const std::string& path, std::size_t most_bytes) {
  return read_film(InputFile(path, "film"), most_bytes);
}

Film Film::parse(std::string_view bytes, const std::string& where, std::size_t most_bytes) {
  return read_film(MemorySource(bytes, where), most_bytes);
}

}  // namespace fovea
