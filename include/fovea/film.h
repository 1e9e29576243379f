// A film: the attention of chosen texts, kept every so many steps while a model is trained.
//
//   Film film({"the cat sat", "a b c a b c"});
//   film.append(trainer.step(), loss, {run of the first text, run of the second});   // now and then
//   film.add_loss(step, loss);                                                       // every step
//   film.save("film.safetensors");                                                   // with the checkpoint
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/run.h"

namespace fovea {

// A step of the training and its loss; NaN: nobody knows it, as before the first step.
struct FOVEA_API FilmPoint {
  Index step = 0;
  float loss = 0;
};

inline constexpr std::size_t kMostFilmBytes = 4'000'000'000;  // of queries and keys, when a film is read

// Queries, keys and options of every head, as a Run has them, per text and frame: O(n) each, in float32, so
// that a frame's weights are bit for bit those of the run that was appended. Values are left out. It is
// held in memory and saved as a whole: save it before each checkpoint, and after an interruption load it
// and rewind() it to the checkpoint's step; it then goes on as if nothing had happened.
class FOVEA_API Film {
 public:
  Film() = default;
  explicit Film(std::vector<std::string> texts);  // at least one

  // One run per text, each of one sequence with token names and without biases. Throws Error, and changes
  // nothing, if the step is not larger than the last frame's, if a run differs from its text's first one in
  // anything but numbers, or if a number is not finite.
  void append(Index step, double loss, const std::vector<Run>& runs);
  // A point of the loss curve. Throws Error unless the step is larger than the last one's.
  void add_loss(Index step, double loss);
  // Forgets all frames and losses after this step.
  void rewind(Index step);

  const std::string& model() const { return model_; }  // its name, for people; that of the first run
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<FilmPoint>& frames() const { return frames_; }
  const std::vector<FilmPoint>& losses() const { return losses_; }
  // A text as a frame shows it. Throws Error if there is none.
  const Run& run(Index frame, Index text = 0) const;
  std::size_t bytes() const;  // that queries and keys take

  // One safetensors file, written whole or not at all: "0.decoder.1.q" is [frames, H, N, D] of the second
  // layer of the first text, and so on. Throws Error for a film without frames.
  void save(const std::string& path) const;
  // Throw Error for whatever is wrong with the file, before anything large is read if it is its size.
  static Film load(const std::string& path, std::size_t most_bytes = kMostFilmBytes);
  static Film parse(std::string_view bytes, const std::string& where,
                    std::size_t most_bytes = kMostFilmBytes);

 private:
  friend class FilmReader;  // private, src/run

  std::string model_;
  std::vector<std::string> texts_;
  std::vector<FilmPoint> frames_, losses_;
  std::vector<std::vector<Run>> runs_;  // per text, one per frame
};

}  // namespace fovea
