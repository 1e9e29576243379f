// Helpers of the model tests: the tiny models of tests/data/models, and comparisons with golden values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fovea/model.h"
#include "fovea/run.h"
#include "fovea/safetensors.h"

namespace fovea::testing {

inline std::string tiny_model(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/models/" + name;
}
// What transformers computes when hooks change a run of that model (make_whatif_goldens.py).
inline std::string whatif_golden(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/whatif/" + name + ".safetensors";
}

// Nine tokens, of an encoder-decoder model for both.
inline ModelInput input_of(const Model& model) {
  ModelInput input{Ids({1, 9}, {5, 9, 3, 44, 21, 8, 8, 30, 2}), {}, {}, {}};
  if (model.config().is_encoder_decoder()) input.decoder_ids = input.ids;
  return input;
}

// |got − want| ≤ tolerance · max(1, |want|) everywhere; a failure names the worst place.
inline void expect_near(ConstView got, const Tensor& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  const Tensor rows = Tensor::copy_of(got);
  double worst = 0;
  Index at = 0;
  for (Index i = 0; i < rows.shape().elements(); ++i) {
    const double w = static_cast<double>(want.data()[i]);
    const double error = std::abs(static_cast<double>(rows.data()[i]) - w) / std::max(1.0, std::abs(w));
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  EXPECT_LE(worst, tolerance) << what << " at element " << at << ": got " << rows.data()[at]
                              << ", expected " << want.data()[at];
}

inline Flags to_flags(const Ids& ids) {
  return Flags(ids.shape(), std::vector<std::uint8_t>(ids.values().begin(), ids.values().end()));
}

// [B, H, N, M] of one layer.
inline Tensor layer_weights(const Run& run, AttentionKind kind, Index layer) {
  const LayerView& view = run.layer(kind, layer);
  return view.crop({0, view.queries(), 0, view.keys()});
}

// The weights of every layer and head against want [layers, B, H, N, M], of transformers in double. 2e-5
// fits the draws of make_model_goldens.py. With larger weights rows are peaked, and float32 cannot keep to
// it: tiny BARTs with weights of 0.6 instead of 0.45 are off by 4.1e-5 (median of five draws), and PyTorch
// in float32 by 3.6e-5.
inline void expect_attentions(const Run& run, AttentionKind kind, const Tensor& want) {
  ASSERT_EQ(run.layers(kind), want.shape()[0]);
  for (Index layer = 0; layer < want.shape()[0]; ++layer) {
    expect_near(layer_weights(run, kind, layer), Tensor::copy_of(want.view().select(0, layer)), 2e-5,
                std::string(to_string(kind)) + " layer " + std::to_string(layer));
  }
}

}  // namespace fovea::testing
