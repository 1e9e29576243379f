// Small matrices of double: the numbers a person follows by hand.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/random.h"
#include "fovea/shape.h"
#include "fovea/tensor.h"

namespace fovea {

// Owning, row-major. Accounts print up to 17 digits, which float32 does not hold; so they are computed in
// double from doubles, and take and give this type instead of Tensor.
class FOVEA_API Matrix {
 public:
  Matrix() = default;                                                 // 0 × 0: "not given"
  Matrix(Index rows, Index columns);                                  // zeros; throws Error if negative
  Matrix(std::initializer_list<std::initializer_list<double>> rows);  // {{1, 0}, {0, 1}}; throws if ragged
  Matrix(Index rows, Index columns, std::vector<double> values);  // row-major; throws if the count differs

  static Matrix from(ConstView view);  // rank 2; rank 1 becomes one row; else throws Error
  static Matrix from_rows(const std::vector<std::vector<double>>& rows);
  static Matrix identity(Index size);
  static Matrix filled(Index rows, Index columns, double value);
  // N(0, 1), drawn row by row: with Random::numpy(42) these are the numbers of NumPy's randn(rows,
  // columns).
  static Matrix normal(Random& random, Index rows, Index columns);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  bool empty() const { return rows_ == 0 && columns_ == 0; }
  Shape shape() const { return Shape{rows_, columns_}; }
  std::string shape_text() const { return shape().to_string(); }  // "[3, 4]"

  double& operator()(Index row, Index column) { return values_[at(row, column)]; }
  double operator()(Index row, Index column) const { return values_[at(row, column)]; }
  const std::vector<double>& values() const { return values_; }
  std::vector<double> row(Index index) const;

  Matrix transposed() const;
  Matrix columns_between(Index begin, Index end) const;  // [begin, end): the columns of one head
  Tensor to_tensor() const;                              // rounds each value once

  friend bool operator==(const Matrix& a, const Matrix& b) {
    return a.rows_ == b.rows_ && a.columns_ == b.columns_ && a.values_ == b.values_;
  }

 private:
  std::size_t at(Index row, Index column) const {
    return static_cast<std::size_t>(row * columns_ + column);
  }

  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<double> values_;
};

}  // namespace fovea
