#include "train/stack_network.h"

#include "core/parallel.h"

namespace fovea {

BlockState& StackNetwork::state_of(Index layer) {
  return states_[static_cast<std::size_t>(recompute_ ? 0 : layer)];
}

View StackNetwork::stream(Index layer, Index rows) {
  return streams_[static_cast<std::size_t>(layer)].shaped({rows, config_.width});
}

void StackNetwork::forward(const NetworkInput& input, const LossOptions& options) {
  recompute_ = options.recompute;
  states_.resize(static_cast<std::size_t>(recompute_ ? 1 : config_.layers));
  streams_.resize(static_cast<std::size_t>(config_.layers + 1));
  embed(input, stream(0, input.rows()));
  for (Index layer = 0; layer < config_.layers; ++layer) {
    check_stop(options.stop, "train");
    block(input, layer, state_of(layer), stream(layer, input.rows()), stream(layer + 1, input.rows()));
  }
}

void StackNetwork::backward(const NetworkInput& input, const LossOptions& options, View dx) {
  for (Index layer = config_.layers - 1; layer >= 0; --layer) {
    check_stop(options.stop, "train");
    const View x = stream(layer, input.rows());
    // The last block's state is still there; what an earlier one gave is there, too, and comes out again.
    if (recompute_ && layer < config_.layers - 1) {
      block(input, layer, state_of(layer), x, stream(layer + 1, input.rows()));
    }
    block_backward(input, layer, state_of(layer), x, dx);
  }
  embed_backward(input, dx);
}

std::vector<Network::NamedStream> StackNetwork::streams(const NetworkInput& input) {
  std::vector<NamedStream> list = {{"the embedding", stream(0, input.rows())}};
  for (Index layer = 0; layer < config_.layers; ++layer) {
    list.push_back({"the output of layer " + std::to_string(layer), stream(layer + 1, input.rows())});
  }
  return list;
}

}  // namespace fovea
