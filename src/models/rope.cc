#include "models/rope.h"

#include <cmath>
#include <numbers>

#include "io/json.h"

namespace fovea {
namespace {

// Llama 3.1: frequencies whose wave is much shorter than the old context stay, those of longer waves are
// divided by the factor, those between are mixed.
double llama3_frequency(double frequency, double factor, double low, double high, double old_context) {
  const double waves = old_context * frequency / (2 * std::numbers::pi);  // in the old context
  if (waves < low) return frequency / factor;
  if (waves > high) return frequency;
  const double smooth = (waves - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

}  // namespace

std::vector<double> rope_frequencies(ConfigReader& config, Index width) {
  static const Json kNone = Json::object();
  const Json* parameters = config.object("rope_parameters");
  if (parameters == nullptr) parameters = config.object("rope_scaling");
  ConfigReader rope(parameters == nullptr ? kNone : *parameters, config.where() + ": rope_parameters");
  const float theta =
      rope.has("rope_theta") ? rope.number({"rope_theta"}) : config.number({"rope_theta"}, 10000.0f);
  const std::string type = rope.text("rope_type", rope.text("type", "default"));
  const bool llama3 = type == "llama3";
  double factor = 1, low = 1, high = 4, old_context = 8192;
  if (type == "linear" || llama3) factor = static_cast<double>(rope.number({"factor"}));
  if (llama3) {
    low = static_cast<double>(rope.number({"low_freq_factor"}));
    high = static_cast<double>(rope.number({"high_freq_factor"}));
    old_context = static_cast<double>(rope.size({"original_max_position_embeddings"}));
  }
  if (type != "default" && type != "linear" && !llama3) {
    config.complain("rope_type is " + type + ", expected default, linear or llama3");
  }
  if (!(theta > 1) || !(factor > 0) || (llama3 && !(high > low))) {
    config.complain("invalid rope_parameters: rope_theta, factor or *_freq_factor");
  }
  if (config.number({"partial_rotary_factor"}, 1.0f) != 1.0f ||
      rope.number({"partial_rotary_factor"}, 1.0f) != 1.0f) {
    config.complain("partial_rotary_factor is not 1, the only value supported");
  }
  rope.finish();
  std::vector<double> frequencies = rope_frequencies(static_cast<double>(theta), width);
  for (double& frequency : frequencies) {
    frequency = llama3 ? llama3_frequency(frequency, factor, low, high, old_context) : frequency / factor;
  }
  return frequencies;
}

std::vector<double> rope_frequencies(double theta, Index width) {
  std::vector<double> frequencies;
  for (Index i = 0; i < width / 2; ++i) {
    frequencies.push_back(std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(width)));
  }
  return frequencies;
}

}  // namespace fovea
