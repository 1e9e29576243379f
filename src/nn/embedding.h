// Tables of vectors, looked up by id.
#pragma once

#include <memory>

#include "fovea/array.h"
#include "fovea/tensor.h"

namespace fovea {

class Embedding {
 public:
  Embedding() = default;
  explicit Embedding(std::shared_ptr<const Tensor> table) : table_(std::move(table)) {}  // [V, E]

  Index rows() const { return table_->shape()[0]; }
  Index width() const { return table_->shape()[1]; }
  const std::shared_ptr<const Tensor>& table() const { return table_; }

  // ids [B, N] → [B, N, E]. Throws Error "[who] token 7 of sequence 0 ..." for ids outside of the table.
  Tensor operator()(const Ids& ids, const char* who) const;
  // x [B, N, E] += the vectors of ids [B, N].
  void add_to(Tensor& x, const Ids& ids, const char* who) const;

 private:
  template <typename Use>
  void look_up(const Ids& ids, const char* who, const Use& use) const;

  std::shared_ptr<const Tensor> table_;
};

}  // namespace fovea
