#include "capture_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "film_store.h"
#include "fovea/error.h"
#include "fovea/passed_on.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr std::size_t kKeptLayers = 4;

// A text that goes on leaves a run behind with every token; the page asks for a moment about the last ones.
constexpr std::size_t kReplacedCaptures = 8;

std::vector<std::string> texts_of(const CaptureRequest& request) {
  if (request.second_text) return {request.text, *request.second_text};
  return {request.text};
}

// Only what reads from left to right goes on with a token.
void check_continuation(const CaptureRequest& request, const TextModel& model) {
  if (request.more.empty()) return;
  const ModelConfig& config = model.model().config();
  if (config.has_encoder()) {
    throw RequestError(422, fmt::format("{} does not continue texts: it has no decoder, or writes a text "
                                        "of its own",
                                        request.model));
  }
  for (const Index id : request.more) {
    if (id >= 0 && id < config.vocabulary) continue;
    throw RequestError(422, fmt::format("more: token {}, there are 0 to {}", id, config.vocabulary - 1));
  }
}

}  // namespace

StoredCapture capture_text(const TextModel& model, const CaptureRequest& request, const std::string& id) {
  const auto start = std::chrono::steady_clock::now();
  TextRun read = request.more.empty() ? model.read(texts_of(request))
                                      : model.read_generated(model.encode(texts_of(request)), request.more);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  add_value_norms(model.model(), read.run);
  return {.id = id,
          .model_id = request.model,
          .model = model,
          .text = request.text,
          .second_text = request.second_text,
          .read = std::move(read),
          .seconds = time.count(),
          .more = request.more};
}

CaptureStore::CaptureStore(std::vector<ServedModel> models, ModelLoader loader, const Limits& limits)
    : loader_(std::move(loader)), limits_(limits) {
  for (ServedModel& served : models) {
    auto slot = std::make_unique<Slot>();
    slot->served = std::move(served);
    if (!slot->served.folder.empty()) {
      try {
        slot->info = inspect_model(slot->served.folder);
      } catch (const Error&) {
        // A folder that is broken is as good as none; who asks for it is told why.
      }
    }
    models_.push_back(std::move(slot));
  }
}

CaptureStore::~CaptureStore() = default;

void CaptureStore::show(Film film) { film_ = std::make_unique<FilmStore>(std::move(film), limits_); }

std::vector<ModelState> CaptureStore::models() const {
  std::vector<ModelState> states;
  for (const std::unique_ptr<Slot>& slot : models_) {
    ModelState state{slot->served.id, slot->served.id, {}, false};
    if (slot->info) {
      state.name = slot->info->name;
      state.config = slot->info->config;
    }
    // A model that is being loaded is not loaded yet; waiting for it would hold up the page.
    if (const std::unique_lock<std::mutex> lock(slot->mutex, std::try_to_lock); lock) {
      state.loaded = slot->model.has_value();
    }
    states.push_back(std::move(state));
  }
  return states;
}

std::vector<CapturePtr> CaptureStore::captures() const {
  std::vector<CapturePtr> all;
  if (film_ != nullptr) all = film_->texts();
  const std::lock_guard<std::mutex> lock(mutex_);
  all.insert(all.end(), captures_.begin(), captures_.end());
  return all;
}

TextModel CaptureStore::load(const std::string& model_id) {
  for (const std::unique_ptr<Slot>& slot : models_) {
    if (slot->served.id != model_id) continue;
    if (slot->served.folder.empty()) {
      throw RequestError(
          404,
          fmt::format("the model {0} is not installed; get it with: fovea model get {0}", slot->served.id));
    }
    const std::lock_guard<std::mutex> lock(slot->mutex);
    if (!slot->model) slot->model = loader_(slot->served.folder);
    return *slot->model;
  }
  std::string known;
  for (const std::unique_ptr<Slot>& slot : models_) {
    known += (known.empty() ? "" : ", ") + slot->served.id;
  }
  throw RequestError(
      404, "there is no model of that name; " + (known.empty() ? "none is served" : "there are " + known));
}

void CaptureStore::check(const CaptureRequest& request, const TextModel& model) const {
  // An encoder-decoder model reads its two texts one by one, others as a pair.
  const Index tokens = model.model().config().is_encoder_decoder() ? model.encode({request.text}).size()
                                                                   : model.encode(texts_of(request)).size();
  check_continuation(request, model);
  if (tokens + static_cast<Index>(request.more.size()) > limits_.tokens) {
    throw RequestError(422, fmt::format("the text has {} tokens, the limit is {}",
                                        tokens + static_cast<Index>(request.more.size()), limits_.tokens));
  }
}

CapturePtr CaptureStore::add(const CaptureRequest& request) {
  for (const std::string& text : texts_of(request)) {
    if (text.size() > limits_.text_bytes) {
      throw RequestError(
          413, fmt::format("the text has {} bytes, the limit is {}", text.size(), limits_.text_bytes));
    }
  }
  const TextModel model = load(request.model);
  check(request, model);
  return keep(capture_text(model, request, ""), request.replaces);
}

CapturePtr CaptureStore::keep(StoredCapture made, const std::string& replaces) {
  const std::lock_guard<std::mutex> lock(mutex_);
  made.id = fmt::format("c{}", next_id_++);
  captures_.push_back(std::make_shared<const StoredCapture>(std::move(made)));
  replace(replaces);
  forget_oldest();
  return captures_.back();
}

// Called with the lock.
void CaptureStore::replace(const std::string& id) {
  const auto found = std::find_if(captures_.begin(), captures_.end(),
                                  [&](const CapturePtr& each) { return each->id == id; });
  if (found == captures_.end()) return;
  replaced_.push_back(*found);
  captures_.erase(found);
  if (replaced_.size() > kReplacedCaptures) replaced_.pop_front();
}

// Called with the lock; the newest always stays.
void CaptureStore::forget_oldest() {
  std::size_t bytes = 0;
  for (const CapturePtr& capture : captures_) bytes += capture->run().bytes();
  while (captures_.size() > 1 && (captures_.size() > limits_.captures || bytes > limits_.capture_bytes)) {
    bytes -= captures_.front()->run().bytes();
    captures_.pop_front();
  }
}

CapturePtr CaptureStore::get(const std::string& id) const {
  if (film_ != nullptr && id.starts_with("f")) return film_->get(id);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::deque<CapturePtr>* all : {&captures_, &replaced_}) {
    for (const CapturePtr& capture : *all) {
      if (capture->id == id) return capture;
    }
  }
  throw RequestError(404, "there is no such capture: it was dropped, or never made");
}

void CaptureStore::remove(const std::string& id) {
  if (film_ != nullptr && id.starts_with("f")) throw RequestError(422, "the texts of a film stay");
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(captures_.begin(), captures_.end(),
                                  [&](const CapturePtr& capture) { return capture->id == id; });
  if (found == captures_.end()) {
    throw RequestError(404, "there is no such capture: it was dropped, or never made");
  }
  captures_.erase(found);
  std::erase_if(layers_, [&](const KeptLayer& kept) { return kept.key.starts_with(id + " "); });
}

LayerRun CaptureStore::layer(const CapturePtr& capture, AttentionKind kind, Index index) {
  const std::string key = fmt::format("{} {} {}", capture->id, to_string(kind), index);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const KeptLayer& kept : layers_) {
      if (kept.key == key) return kept.run;
    }
  }
  const LayerRun run(capture->model->model(), capture->read.input, kind, index, capture->intervention);
  const std::lock_guard<std::mutex> lock(mutex_);
  layers_.push_back({key, run});
  if (layers_.size() > kKeptLayers) layers_.pop_front();
  return run;
}

}  // namespace fovea::explorer
