// Tables of vectors, looked up by id.
#pragma once

#include <memory>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/tensor.h"
#include "nn/stored_table.h"
#include "ops/dense_layer.h"

namespace fovea {
inline namespace internal {

class FOVEA_PRIVATE_API Embedding {
 public:
  Embedding() = default;
  explicit Embedding(Tensor table) : table_(std::move(table)) {}  // [V, E]
  // Tied to an output layer. A row is then read from as many cache lines as it has numbers, which is little
  // beside the product with the table that every token takes.
  explicit Embedding(std::shared_ptr<const PackedWeights> table) : packed_(std::move(table)) {}
  // In fewer bits, not tied.
  explicit Embedding(StoredTable table) : stored_(std::make_shared<const StoredTable>(std::move(table))) {}

  Index rows() const {
    return packed_ != nullptr   ? packed_->outputs()
           : stored_ != nullptr ? stored_->rows()
                                : table_.shape()[0];
  }
  Index width() const {
    return packed_ != nullptr   ? packed_->inputs()
           : stored_ != nullptr ? stored_->width()
                                : table_.shape()[1];
  }
  const std::shared_ptr<const PackedWeights>& packed() const { return packed_; }  // null unless tied

  // ids [B, N] → [B, N, E]. Throws Error "[who] token 7 of sequence 0 ..." for ids outside of the table.
  Tensor operator()(const Ids& ids, const char* who) const;
  // x [B, N, E] += the vectors of ids [B, N].
  void add_to(Tensor& x, const Ids& ids, const char* who) const;

 private:
  template <typename Use>
  void look_up(const Ids& ids, const char* who, const Use& use) const;

  // One of them.
  Tensor table_;
  std::shared_ptr<const PackedWeights> packed_;
  std::shared_ptr<const StoredTable> stored_;
};

}  // namespace internal
}  // namespace fovea
