// Small owning arrays of integers: token ids and flags, built from nested lists.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "fovea/api.h"
#include "fovea/error.h"
#include "fovea/shape.h"

namespace fovea {

// A number, or a list of nested lists: {{1, 0}, {0, 1}}. One type for every rank.
template <typename T>
class FOVEA_API NestedList {
 public:
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  NestedList(Number value) : value_(converted(value)), is_number_(true) {}  // NOLINT: implicit
  NestedList(std::initializer_list<NestedList> items) : items_(items) {}

  // The shape of the whole list, and its numbers in row-major order. Throws Error if ragged.
  Shape shape() const {
    std::vector<Index> extents;
    const NestedList* list = this;
    while (list != nullptr && !list->is_number_) {
      extents.push_back(static_cast<Index>(list->items_.size()));
      list = list->items_.empty() ? nullptr : &list->items_.front();
    }
    return Shape(extents);
  }
  std::vector<T> flatten() const {
    const Shape whole = shape();
    std::vector<T> numbers;
    numbers.reserve(static_cast<std::size_t>(whole.elements()));
    append_to(numbers, whole, 0);
    return numbers;
  }

 private:
  // To integers only what survives: Flags{256} and Ids{1.5} are mistakes. To float32 everything is rounded.
  template <typename Number>
  static T converted(Number value) {
    if constexpr (std::is_integral_v<T>) {
      const auto wide = static_cast<long double>(value);
      if (!(wide >= std::numeric_limits<T>::min() && wide <= std::numeric_limits<T>::max()) ||
          static_cast<long double>(static_cast<T>(value)) != wide) {
        throw Error("[nested list] " + std::to_string(value) + " is no integer between " +
                    std::to_string(std::numeric_limits<T>::min()) + " and " +
                    std::to_string(std::numeric_limits<T>::max()));
      }
    }
    return static_cast<T>(value);
  }

  void append_to(std::vector<T>& numbers, const Shape& whole, int depth) const {
    const bool number_expected = depth == whole.rank();
    if (is_number_ != number_expected ||
        (!is_number_ && static_cast<Index>(items_.size()) != whole[depth])) {
      throw Error("[nested list] ragged: the first entries say shape " + whole.to_string() +
                  ", another entry at depth " + std::to_string(depth) + " has " +
                  (is_number_ ? "a number" : std::to_string(items_.size()) + " entries"));
    }
    if (is_number_) {
      numbers.push_back(value_);
      return;
    }
    for (const NestedList& item : items_) item.append_to(numbers, whole, depth + 1);
  }

  T value_ = T{};
  bool is_number_ = false;
  std::vector<NestedList> items_;
};

// An owning row-major array. `Ids ids{{1, 2, 3}, {4, 5, 0}}` has shape [2, 3].
template <typename T>
class FOVEA_API Array {
 public:
  Array() = default;
  Array(std::initializer_list<NestedList<T>> items)
      : shape_(NestedList<T>(items).shape()), values_(NestedList<T>(items).flatten()) {}
  Array(const Shape& shape, std::vector<T> values) : shape_(shape), values_(std::move(values)) {
    if (shape_.elements() != static_cast<Index>(values_.size())) {
      throw Error("[array] shape " + shape_.to_string() + " holds " + std::to_string(shape_.elements()) +
                  " values, got " + std::to_string(values_.size()));
    }
  }
  static Array filled(const Shape& shape, T value) {
    return Array(shape, std::vector<T>(static_cast<std::size_t>(shape.elements()), value));
  }

  const Shape& shape() const { return shape_; }
  bool empty() const { return values_.empty(); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  const std::vector<T>& values() const { return values_; }

  template <typename... I>
  T& operator()(I... indices) {
    return values_[offset(indices...)];
  }
  template <typename... I>
  const T& operator()(I... indices) const {
    return values_[offset(indices...)];
  }

  friend bool operator==(const Array& a, const Array& b) {
    return a.shape_ == b.shape_ && a.values_ == b.values_;
  }

 private:
  template <typename... I>
  std::size_t offset(I... indices) const {
    Index at = 0;
    int axis = 0;
    ((at = at * shape_[axis++] + static_cast<Index>(indices)), ...);
    return static_cast<std::size_t>(at);
  }

  Shape shape_;
  std::vector<T> values_;
};

using Ids = Array<std::int64_t>;    // token ids, document ids
using Flags = Array<std::uint8_t>;  // 1: visible, real, true

}  // namespace fovea
