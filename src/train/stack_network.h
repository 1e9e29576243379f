// Layouts of one stack of blocks: encoders and decoders.
#pragma once

#include <vector>

#include "train/network.h"

namespace fovea {

// Embedding, then block after block on the same rows.
class StackNetwork : public Network {
 protected:
  using Network::Network;

  // x [rows, E] from the ids; and the gradients of the tables from dx.
  virtual void embed(const NetworkInput& input, View x) = 0;
  virtual void embed_backward(const NetworkInput& input, View dx) = 0;

  // x [rows, E] → y; and from the gradient by y, in dx, that by x, in its place.
  virtual void block(const NetworkInput& input, Index layer, BlockState& state, ConstView x, View y) = 0;
  virtual void block_backward(const NetworkInput& input, Index layer, BlockState& state, ConstView x,
                              View dx) = 0;

 private:
  void forward(const NetworkInput& input, const LossOptions& options) final;
  void backward(const NetworkInput& input, const LossOptions& options, View dx) final;
  View last(const NetworkInput& input) final { return stream(config_.layers, input.rows()); }
  std::vector<NamedStream> streams(const NetworkInput& input) final;
  BlockState& state_of(Index layer);
  View stream(Index layer, Index rows);  // the input of a block; of `layers`: what comes out of the last

  bool recompute_ = false;
  std::vector<BlockState> states_;
  std::vector<Buffer> streams_;
};

}  // namespace fovea
