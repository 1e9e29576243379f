#include "fovea/passed_on.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/fail.h"
#include "models/architecture.h"
#include "ops/matrix_product.h"

namespace fovea {
namespace {

// A band of values through W_O at a time: kRows · E numbers.
constexpr Index kRows = 256;

// values [M, D] · w [D, E], the norm of each row; squares are summed in double.
void row_norms(ConstView values, ConstView w, float* norms) {
  for (Index begin = 0; begin < values.shape()[0]; begin += kRows) {
    const Index end = std::min(begin + kRows, values.shape()[0]);
    const Tensor passed = matrix_product("passed on", values.slice(0, begin, end), w);
    const Index width = passed.shape()[1];
    for (Index i = 0; i < end - begin; ++i) {
      double squares = 0;
      for (Index e = 0; e < width; ++e) {
        const auto value = static_cast<double>(passed.data()[i * width + e]);
        squares += value * value;
      }
      *norms++ = static_cast<float>(std::sqrt(squares));
    }
  }
}

}  // namespace

Tensor value_norms(const Model& model, AttentionKind kind, Index layer, ConstView v) {
  const Index layers = model.config().attention_layers(kind);
  if (layer < 0 || layer >= layers) {
    fail("[passed on] {} layer {}: {} has {} of them", to_string(kind), layer, model.name(), layers);
  }
  const Linear& output = model.architecture().attention_output(kind, layer);
  // A decoder may have other heads than the encoder: their width tells how many there are.
  const Index width = v.shape().rank() == 4 ? v.shape()[3] : 0;
  const Index heads = width > 0 ? output.inputs() / width : 0;
  if (heads == 0 || output.inputs() % width != 0 || v.shape()[1] == 0 || heads % v.shape()[1] != 0) {
    fail("[passed on] values are {}, expected [B, Hkv, M, D] whose heads side by side are {} wide",
         v.shape().to_string(), output.inputs());
  }
  const Tensor w_o = output.weight_columns(0, output.outputs());  // [H·D, E]
  const Index sharing = heads / v.shape()[1], keys = v.shape()[2];
  Tensor norms = Tensor::uninitialized({v.shape()[0], heads, keys});
  for (Index b = 0; b < v.shape()[0]; ++b) {
    for (Index h = 0; h < heads; ++h) {
      row_norms(v.select(0, b).select(0, h / sharing), w_o.view().slice(0, h * width, (h + 1) * width),
                norms.data() + (b * heads + h) * keys);
    }
  }
  return norms;
}

void add_value_norms(const Model& model, Run& run) {
  for (const LayerView& layer : std::vector<LayerView>(run.layers())) {
    if (layer.v.data() == nullptr) {
      fail("[passed on] {} layer {} of the run has no values", to_string(layer.kind), layer.layer);
    }
    run.set_value_norms(layer.kind, layer.layer, value_norms(model, layer.kind, layer.layer, layer.v));
  }
}

}  // namespace fovea
