#include "train/parameters.h"

#include <algorithm>

#include "core/fail.h"
#include "core/parallel.h"
#include "io/messages.h"

namespace fovea {
namespace {

constexpr Index kRange = 16384;  // numbers of a task: 256 KB of parameters, gradients and moments

// [0, size) with a new range where it begins or ends to decay. Gaps between parameters are zeros and stay
// zeros.
std::vector<ParameterRange> ranges_of(const std::vector<TrainableParameter>& list,
                                      const std::vector<Index>& places, Index size) {
  std::vector<ParameterRange> ranges;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Index end = i + 1 < list.size() ? places[i + 1] : size;
    for (Index begin = places[i]; begin < end;) {
      const bool joins = !ranges.empty() && ranges.back().decays == list[i].decays &&
                         ranges.back().end - ranges.back().begin < kRange;
      if (!joins) ranges.push_back({begin, begin, list[i].decays});
      ranges.back().end = std::min(end, ranges.back().begin + kRange);
      begin = ranges.back().end;
    }
  }
  return ranges;
}

}  // namespace

void ParameterArray::align() { size_ = (size_ + 15) / 16 * 16; }

Index ParameterArray::add(std::string name, const Shape& shape, const Start& start) {
  const Index place = size_;
  list_.push_back({std::move(name), shape, shape.rank() >= 2});
  places_.push_back(place);
  starts_.push_back(start);
  size_ += shape.elements();
  return place;
}

void ParameterArray::finish(Random& random) {
  align();
  values_ = Tensor({size_});
  gradients_ = Tensor({size_});
  for (std::size_t i = 0; i < list_.size(); ++i) {
    float* to = values(places_[i]);
    const Index n = list_[i].shape.elements();
    if (starts_[i].kind == Start::Kind::ones) std::fill_n(to, n, 1.0f);
    if (starts_[i].kind != Start::Kind::normal) continue;
    for (Index j = 0; j < n; ++j) to[j] = static_cast<float>(random.normal() * starts_[i].deviation);
  }
  ranges_ = ranges_of(list_, places_, size_);
}

Index ParameterArray::count() const {
  Index sum = 0;
  for (const TrainableParameter& parameter : list_) sum += parameter.shape.elements();
  return sum;
}

void ParameterArray::zero_gradients() {
  parallel_for(static_cast<Index>(ranges_.size()), [&](Index i) {
    const ParameterRange& range = ranges_[static_cast<std::size_t>(i)];
    std::fill(gradients(range.begin), gradients(range.end), 0.0f);
  });
}

std::size_t ParameterArray::find(std::string_view name) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const auto& p) { return p.name == name; });
  if (found != list_.end()) return static_cast<std::size_t>(found - list_.begin());
  fail("[train] there is no parameter {}; there are {}, from {} to {}", in_quotes(name), list_.size(),
       list_.front().name, list_.back().name);
}

}  // namespace fovea
