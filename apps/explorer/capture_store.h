// The models that are served, and the runs that are kept.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "answer_cache.h"
#include "fovea/film.h"
#include "fovea/head_steps.h"
#include "fovea/text_model.h"
#include "limits.h"

namespace fovea::explorer {

// A model that can be asked for. Without a folder it is known, but not on this machine.
struct ServedModel {
  std::string id;
  std::string folder;
};
using ModelLoader = std::function<TextModel(const std::string& folder)>;

struct ModelState {
  std::string id, name;
  std::optional<ModelConfig> config;  // none: not available
  bool loaded = false;
};

// One run of a model on a text, or on two.
struct StoredCapture {
  std::string id;  // "c1"; of a film "f0x12"
  std::string model_id;
  std::optional<TextModel> model;  // none: a frame of a film, or a run made elsewhere
  bool film = false;               // a frame of a film
  std::string text;
  std::optional<std::string> second_text;
  TextRun read;
  double seconds = 0;              // that the run took
  std::vector<Index> more = {};    // tokens after the text, that it was continued with
  Intervention intervention = {};  // what was changed of the run
  std::unique_ptr<AnswerCache> answers = std::make_unique<AnswerCache>();

  const Run& run() const { return read.run; }
};
using CapturePtr = std::shared_ptr<const StoredCapture>;

struct CaptureRequest {
  std::string model;
  std::string text;
  std::optional<std::string> second_text;
  std::vector<Index> more = {};  // tokens that it is continued with, of a decoder
  std::string replaces = {};     // a capture that is no longer listed, and soon forgotten; "": none
};

class FilmStore;

// May be used by several threads at once. A capture that is forgotten lives on for those who hold it.
class CaptureStore {
 public:
  CaptureStore(std::vector<ServedModel> models, ModelLoader loader, const Limits& limits);
  ~CaptureStore();

  // Before anybody asks. Throws Error for a film that is too large.
  void show(Film film);
  const FilmStore* film() const { return film_.get(); }  // null: none is shown

  std::vector<ModelState> models() const;
  std::vector<CapturePtr> captures() const;  // the newest last; first the texts of the film

  // Runs the model, on the calling thread, and keeps the run. RequestError 404 for an unknown model, 413
  // and 422 for a text that is too long, Error for what the model cannot do.
  CapturePtr add(const CaptureRequest& request);
  // One that was made elsewhere; its id is given here.
  CapturePtr keep(StoredCapture made, const std::string& replaces = {});
  CapturePtr get(const std::string& id) const;  // RequestError 404
  void remove(const std::string& id);           // RequestError 404

  // A layer of the run, run again; the last few are kept.
  LayerRun layer(const CapturePtr& capture, AttentionKind kind, Index index);

 private:
  // Loaded on first use, once, and kept.
  struct Slot {
    ServedModel served;
    std::optional<ModelInfo> info;  // none: not available
    mutable std::mutex mutex;
    std::optional<TextModel> model;
  };
  struct KeptLayer {
    std::string key;
    LayerRun run;
  };

  TextModel load(const std::string& model_id);
  void check(const CaptureRequest& request, const TextModel& model) const;
  void replace(const std::string& id);
  void forget_oldest();

  std::vector<std::unique_ptr<Slot>> models_;
  ModelLoader loader_;
  const Limits limits_;
  std::unique_ptr<FilmStore> film_;

  mutable std::mutex mutex_;  // of what follows
  std::deque<CapturePtr> captures_;
  std::deque<CapturePtr> replaced_;  // not listed; who saw them last may still ask
  std::deque<KeptLayer> layers_;
  Index next_id_ = 1;
};

// Runs the model outside of any store.
StoredCapture capture_text(const TextModel& model, const CaptureRequest& request, const std::string& id);

}  // namespace fovea::explorer
