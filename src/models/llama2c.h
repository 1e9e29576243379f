// llama2.c's checkpoint format, the one the TinyStories models were published in.
#pragma once

#include "io/json_fwd.h"
#include "models/weight_files.h"

namespace fovea {

// The header's sizes as the config.json of a Llama model, and its tensors under their Hugging Face names in
// `weights`. Throws Error "<where>: .." for headers that make no sense and sizes that do not fit the file.
//
// 7 int32: dim, hidden, layers, heads, key heads, vocabulary (negative: the output layer has its own
// weights), sequence. Then float32: words, norms, wq, wk, wv, wo, norms, w1, w2, w3, each for all layers;
// the last norm; cosines and sines of the positions (not used); the output layer.
Json read_llama2c(const ByteSource& file, WeightFiles& weights);

}  // namespace fovea
