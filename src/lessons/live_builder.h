// How the computations of the lessons are written: what can be changed, then what follows from it.
#pragma once

#include "fovea/live.h"

namespace fovea {

class LiveBuilder {
 public:
  LiveBuilder(std::string_view id, const LiveInput& input, const ModelFinder& models)
      : input_(input), models_(models) {
    live_.id = id;
  }

  // Declare what can be changed, and return what it is now.
  struct Range {
    double lowest = 0, highest = 1, step = 1;  // whole numbers only, where the step is one
  };
  double control(const char* name, double value, const Range& range);
  Index count(const char* name, Index value, Index lowest, Index highest);
  bool is_on(const char* name, bool value) { return count(name, value ? 1 : 0, 0, 1) == 1; }
  Matrix editable(const char* name, const Matrix& value);

  // What was computed. Labels of rows and columns that are no words of a language (tokens) are given here;
  // the others stand in the texts.
  void show(const char* name, const Matrix& matrix);
  void show_weights(const char* name, const Matrix& matrix, std::vector<std::string> rows = {},
                    std::vector<std::string> columns = {});
  void timed() { live_.timed = true; }
  void number(const char* name, double value) { live_.numbers[name] = value; }

  // The folder of one of our own models; "", and the result says that it is missing.
  std::string model(const char* name);

  // Throws Error for input that nobody asked for.
  Live finish();

 private:
  Live live_;
  const LiveInput& input_;
  const ModelFinder& models_;
};

using MakeLive = void (*)(LiveBuilder& live);

// live_basics.cc: one attention, by hand.
void live_library(LiveBuilder& live);
void live_worked_example(LiveBuilder& live);
void live_variance(LiveBuilder& live);
void live_saturation(LiveBuilder& live);
void live_softmax(LiveBuilder& live);
// live_structure.cc: masks, heads, two sequences, order.
void live_masks(LiveBuilder& live);
void live_critics(LiveBuilder& live);
void live_cross(LiveBuilder& live);
void live_cross_shapes(LiveBuilder& live);
void live_order(LiveBuilder& live);
void live_append(LiveBuilder& live);
void live_families(LiveBuilder& live);
void live_caption(LiveBuilder& live);
// live_measured.cc: time, memory, what is lost.
void live_forgetting(LiveBuilder& live);
void live_waiting(LiveBuilder& live);
void live_linear(LiveBuilder& live);
void live_linear_time(LiveBuilder& live);
void live_same_output(LiveBuilder& live);
void live_sink(LiveBuilder& live);
// live_models.cc: our own models.
void live_induction(LiveBuilder& live);
void live_first_token(LiveBuilder& live);
void live_coreference(LiveBuilder& live);
void live_translation(LiveBuilder& live);

}  // namespace fovea
