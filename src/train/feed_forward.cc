#include "train/feed_forward.h"

namespace fovea {

void FeedForwardLayer::forward(ConstView x, FeedForwardState& state, View y) const {
  const Index rows = x.shape()[0];
  const View inner = state.inner.shaped({rows, up.outputs()});
  const View activated = state.activated.shaped({rows, down.inputs()});
  up.forward(x, inner);
  if (gated) {
    activate_gated(activation, inner, activated);
  } else {
    activate(activation, inner, activated);
  }
  down.forward(activated, y);
}

void FeedForwardLayer::backward(ConstView x, FeedForwardState& state, ConstView dy, Buffer& scratch,
                                View dx, float beta) const {
  const Index rows = x.shape()[0];
  const View inner = state.inner.shaped({rows, up.outputs()});
  const View activated = state.activated.shaped({rows, down.inputs()});
  const View dactivated = scratch.shaped({rows, down.inputs()});
  down.backward(activated, dy, dactivated);
  if (gated) {
    activate_gated_backward(activation, inner, dactivated, inner);  // in the place of what nobody needs now
    up.backward(x, inner, dx, beta);
  } else {
    activate_backward(activation, inner, dactivated, dactivated);
    up.backward(x, dactivated, dx, beta);
  }
}

}  // namespace fovea
