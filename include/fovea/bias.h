// Biases: values added to the scores before softmax, by position.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/score_part.h"
#include "fovea/tensor.h"

namespace fovea {

inline namespace internal {
class FOVEA_PRIVATE_API BiasNode;  // private, src/mask
}

// Query i stands at p = i + M − N; the relative position of key j is j − p. Owns its data, immutable.
class FOVEA_API Bias {
 public:
  Bias() = default;  // none(): adds nothing
  static Bias none() { return {}; }
  // table [2·max+1, H]: row clamp(j − p, −max, max) + max. An even number of rows throws Error.
  static Bias relative(ConstView table);
  // table [buckets, H], T5's logarithmic buckets.
  static Bias t5(ConstView table, Index buckets = 32, Index max_distance = 128, bool bidirectional = true);
  static Bias alibi(const std::vector<float>& slopes);  // H slopes: −slope·|j − p|
  static Bias dense(ConstView values);                  // [N, M] .. [A, B, H, N, M]; extents of 1 broadcast

  bool is_none() const { return node_ == nullptr; }
  std::string describe() const;

  // That of one batch entry and head, for calls on this head alone; of one batch entry, for calls on all
  // its heads. Throws Error if it is not for as many.
  Bias select(Index batch_entry, Index head) const;
  Bias select(Index batch_entry) const;

  // That of a part of the scores, for calls on its queries and keys alone: Mask::part. Its gradient has the
  // shape of the whole bias's.
  Bias part(const ScorePart& part) const;

  // The values for every head: [H, N, M] ([B, H, N, M] if they depend on the batch entry).
  Tensor to_dense(Index heads, Index n, Index m) const;

  const BiasNode* node() const { return node_.get(); }  // for the kernels

 private:
  explicit Bias(std::shared_ptr<const BiasNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const BiasNode> node_;
};

// The slopes of the ALiBi paper for any number of heads: 2^(−8/H), 2^(−16/H), … for powers of two.
FOVEA_API std::vector<float> alibi_slopes(Index heads);

}  // namespace fovea
