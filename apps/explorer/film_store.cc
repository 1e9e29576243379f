#include "film_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "fovea/error.h"
#include "fovea/text_pairs.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr std::size_t kCurvePoints = 600;  // of the loss: more than a screen has room for

struct FramePlace {
  Index text = 0, frame = 0;
};

// "f0x12", or "f0" for the last frame; nullopt for anything else.
std::optional<FramePlace> frame_place(const std::string& id, const Film& film) {
  const auto frames = static_cast<Index>(film.frames().size());
  FramePlace place{0, frames - 1};
  const char *at = id.data() + 1, *const end = id.data() + id.size();
  const auto number = [&](Index& value, std::size_t count) {
    if (at == end || *at < '0' || *at > '9') return false;
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop;
    return error == std::errc() && value < static_cast<Index>(count);
  };
  if (!id.starts_with("f") || !number(place.text, film.texts().size())) return std::nullopt;
  if (at != end && (*at++ != 'x' || !number(place.frame, film.frames().size()))) return std::nullopt;
  const bool one_name =
      id == fmt::format("f{}", place.text) || id == fmt::format("f{}x{}", place.text, place.frame);
  return at == end && one_name ? std::optional(place) : std::nullopt;  // no second name: 01
}

std::vector<FilmPoint> thinned(const std::vector<FilmPoint>& points) {
  if (points.size() <= kCurvePoints) return points;
  std::vector<FilmPoint> means;
  for (std::size_t i = 0; i < kCurvePoints; ++i) {
    const std::size_t begin = i * points.size() / kCurvePoints,
                      end = (i + 1) * points.size() / kCurvePoints;
    double sum = 0;
    for (std::size_t p = begin; p < end; ++p) sum += static_cast<double>(points[p].loss);
    means.push_back({points[end - 1].step, static_cast<float>(sum / static_cast<double>(end - begin))});
  }
  return means;
}

void write_points(JsonWriter& json, const std::vector<FilmPoint>& points) {
  json.begin_object();
  json.key("step").begin_array();
  for (const FilmPoint& point : points) json.integer(point.step);
  json.end_array();
  json.key("loss").begin_array();
  for (const FilmPoint& point : points) {
    json.number_or_null(std::isfinite(point.loss) ? static_cast<double>(point.loss)
                                                  : std::numeric_limits<double>::quiet_NaN());
  }
  json.end_array();
  json.end_object();
}

}  // namespace

FilmStore::FilmStore(Film film, const Limits& limits)
    : film_(std::move(film)), kept_frames_(limits.film_frames) {
  if (film_.frames().empty()) throw Error("[film] it has no frames");
  if (film_.bytes() > limits.film_bytes) {
    throw Error(fmt::format("[film] its queries and keys take {:.1f} MB, at most {:.1f} are shown",
                            static_cast<double>(film_.bytes()) / 1e6,
                            static_cast<double>(limits.film_bytes) / 1e6));
  }
  for (std::size_t t = 0; t < film_.texts().size(); ++t) {
    for (const LayerView& layer : film_.run(0, static_cast<Index>(t)).layers()) {
      const Index tokens = std::max(layer.queries(), layer.keys());
      if (tokens <= limits.tokens) continue;
      throw Error(
          fmt::format("[film] text {} has {} tokens, at most {} are shown", t, tokens, limits.tokens));
    }
  }
}

CapturePtr FilmStore::made(const std::string& id, Index text, Index frame) const {
  StoredCapture stored;
  stored.id = id;
  stored.film = true;
  stored.model_id = film_.model().empty() ? "film" : film_.model();
  stored.text = film_.texts()[static_cast<std::size_t>(text)];
  stored.read.run = film_.run(frame, text);
  if (stored.read.run.layers(AttentionKind::cross) > 0) {  // "source TAB target"
    const TextPairs read = parse_text_pairs(stored.text);
    if (read.pairs.size() == 1) {
      stored.text = read.pairs[0].source;
      stored.second_text = read.pairs[0].target;
    }
  }
  return std::make_shared<const StoredCapture>(std::move(stored));
}

CapturePtr FilmStore::get(const std::string& id) const {
  const std::optional<FramePlace> place = frame_place(id, film_);
  if (!place) {
    throw RequestError(404, fmt::format("the film has texts f0 to f{} and frames f0x0 to f0x{}",
                                        film_.texts().size() - 1, film_.frames().size() - 1));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const CapturePtr& each) { return each->id == id; });
  CapturePtr capture = found != kept_.end() ? *found : made(id, place->text, place->frame);
  if (found != kept_.end()) kept_.erase(found);
  kept_.push_back(capture);
  if (kept_.size() > kept_frames_) kept_.pop_front();
  return capture;
}

std::vector<CapturePtr> FilmStore::texts() const {
  std::vector<CapturePtr> all;
  const auto last = static_cast<Index>(film_.frames().size()) - 1;
  for (std::size_t t = 0; t < film_.texts().size(); ++t) {
    all.push_back(made(fmt::format("f{}", t), static_cast<Index>(t), last));
  }
  return all;
}

void FilmStore::write_json(JsonWriter& json) const {
  json.begin_object();
  std::vector<std::string> ids;
  for (std::size_t t = 0; t < film_.texts().size(); ++t) ids.push_back(fmt::format("f{}", t));
  json.key("texts").strings(ids);
  json.key("frames");
  write_points(json, film_.frames());
  json.key("losses");
  write_points(json, thinned(film_.losses()));
  json.end_object();
}

}  // namespace fovea::explorer
