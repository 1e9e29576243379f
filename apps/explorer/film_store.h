// A film that is shown: each frame of each text is a capture of its own, "f0x12".
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "capture_store.h"
#include "fovea/film.h"
#include "fovea/json_writer.h"

namespace fovea::explorer {

// May be used by several threads at once.
class FilmStore {
 public:
  // Throws Error for a film without frames, of more bytes or of longer texts than the limits allow.
  FilmStore(Film film, const Limits& limits);

  const Film& film() const { return film_; }

  // "f0x12": frame 12 of text 0; "f0": its last frame. RequestError 404. Answers of the frames that were
  // asked for last are kept with them.
  CapturePtr get(const std::string& id) const;
  std::vector<CapturePtr> texts() const;  // "f0", "f1", ..

  // {"texts": ["f0"], "frames": {"step": [..], "loss": [..]}, "losses": {..}}. A long loss curve is told
  // in means of neighbouring steps.
  void write_json(JsonWriter& json) const;

 private:
  CapturePtr made(const std::string& id, Index text, Index frame) const;

  const Film film_;
  const std::size_t kept_frames_;
  mutable std::mutex mutex_;
  mutable std::deque<CapturePtr> kept_;  // the one used last stands last
};

}  // namespace fovea::explorer
