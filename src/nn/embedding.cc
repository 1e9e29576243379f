#include "nn/embedding.h"

#include <algorithm>
#include <vector>

#include "core/fail.h"

namespace fovea {

template <typename Use>
void Embedding::look_up(const Ids& ids, const char* who, const Use& use) const {
  if (ids.shape().rank() != 2) fail("[{}] ids are {}, expected [B, N]", who, ids.shape().to_string());
  const bool in_place = packed_ == nullptr && stored_ == nullptr;
  std::vector<float> widened(static_cast<std::size_t>(in_place ? 0 : width()));
  for (Index i = 0; i < ids.shape().elements(); ++i) {
    const Index id = ids.data()[i];
    if (id < 0 || id >= rows()) {
      fail("[{}] token {} of sequence {} is {}, expected 0 to {}", who, i % ids.shape()[1],
           i / ids.shape()[1], id, rows() - 1);
    }
    if (packed_ != nullptr) packed_->copy_row(id, widened.data());
    if (stored_ != nullptr) stored_->copy_row(id, widened.data());
    use(i * width(), in_place ? table_.data() + id * width() : widened.data());
  }
}

Tensor Embedding::operator()(const Ids& ids, const char* who) const {
  if (ids.shape().rank() != 2) fail("[{}] ids are {}, expected [B, N]", who, ids.shape().to_string());
  Tensor x = Tensor::uninitialized({ids.shape()[0], ids.shape()[1], width()});
  look_up(ids, who, [&](Index at, const float* row) { std::copy_n(row, width(), x.data() + at); });
  return x;
}

void Embedding::add_to(Tensor& x, const Ids& ids, const char* who) const {
  look_up(ids, who, [&](Index at, const float* row) {
    float* to = x.data() + at;
    for (Index i = 0; i < width(); ++i) to[i] += row[i];
  });
}

}  // namespace fovea
