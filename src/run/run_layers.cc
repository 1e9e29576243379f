// What every layer says, side by side.
#include <algorithm>

#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/run.h"

namespace fovea {
namespace {

// One array per layer into one with an axis for the layers in front; empty ones give nothing.
template <typename Array>
class Stack {
 public:
  explicit Stack(Index layers) : layers_(layers) {}

  void add(const Array& layer) {
    if (layer.empty()) return;
    const Shape& shape = layer.shape();
    if (all_.empty()) {
      std::vector<Index> extents = {layers_};
      for (int axis = 0; axis < shape.rank(); ++axis) extents.push_back(shape[axis]);
      all_ = make(Shape(extents));
      shape_ = shape;
    }
    if (!(shape == shape_)) {
      fail("[run] layers differ in shape: {} and {}; request them one by one", shape_.to_string(),
           shape.to_string());
    }
    std::copy_n(layer.data(), shape.elements(), all_.data() + next_++ * shape.elements());
  }
  Array take() { return std::move(all_); }

 private:
  static Array make(const Shape& shape) {
    if constexpr (std::is_same_v<Array, Tensor>) {
      return Tensor::uninitialized(shape);
    } else {
      return Array::filled(shape, 0);
    }
  }

  Index layers_, next_ = 0;
  Shape shape_;
  Array all_;
};

}  // namespace

Tensor Run::all_weights(AttentionKind kind, const std::stop_token& stop) const {
  Stack<Tensor> all(layers(kind));
  static_cast<void>(layer(kind, 0));  // throws if there is none
  for (Index l = 0; l < layers(kind); ++l) {
    check_stop(stop, "weights");
    const LayerView& one = layer(kind, l);
    all.add(one.crop({0, one.queries(), 0, one.keys()}));
  }
  return all.take();
}

AttentionStatistics Run::all_statistics(AttentionKind kind, const StatisticsOptions& options) const {
  static_cast<void>(layer(kind, 0));
  std::vector<AttentionStatistics> each;
  for (Index l = 0; l < layers(kind); ++l) each.push_back(layer(kind, l).statistics(options));
  AttentionStatistics all;
  const auto stack = [&](auto member) {
    using Array = std::remove_reference_t<decltype(member(all))>;
    Stack<Array> stacked(layers(kind));
    for (AttentionStatistics& layer : each) stacked.add(member(layer));
    member(all) = stacked.take();
  };
#define FOVEA_STACK(MEMBER) stack([](AttentionStatistics & s) -> auto& { return s.MEMBER; })
  FOVEA_STACK(entropy);
  FOVEA_STACK(maximum);
  FOVEA_STACK(position);
  FOVEA_STACK(diagonal);
  FOVEA_STACK(distance);
  FOVEA_STACK(logsumexp);
  FOVEA_STACK(visible);
  FOVEA_STACK(received);
  FOVEA_STACK(thumbnail);
  FOVEA_STACK(thumbnail_max);
  FOVEA_STACK(top_weights);
  FOVEA_STACK(top_keys);
  FOVEA_STACK(means.entropy);
  FOVEA_STACK(means.maximum);
  FOVEA_STACK(means.diagonal);
  FOVEA_STACK(means.distance);
  FOVEA_STACK(means.visible);
  FOVEA_STACK(means.rows_seeing);
#undef FOVEA_STACK
  return all;
}

}  // namespace fovea
