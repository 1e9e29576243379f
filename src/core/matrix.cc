#include "fovea/matrix.h"

#include <algorithm>

#include "core/fail.h"

namespace fovea {

Matrix::Matrix(Index rows, Index columns) : rows_(rows), columns_(columns) {
  if (rows < 0 || columns < 0) fail("[matrix] got {} × {}: extents must not be negative", rows, columns);
  values_.assign(static_cast<std::size_t>(Shape{rows, columns}.elements()), 0.0);
}

Matrix::Matrix(Index rows, Index columns, std::vector<double> values) : Matrix(rows, columns) {
  if (values.size() != values_.size()) {
    fail("[matrix] {} × {} needs {} values, got {}", rows, columns, values_.size(), values.size());
  }
  values_ = std::move(values);
}

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> rows) {
  std::vector<std::vector<double>> lists;
  lists.reserve(rows.size());
  for (const auto& row : rows) lists.emplace_back(row);
  *this = from_rows(lists);
}

Matrix Matrix::from_rows(const std::vector<std::vector<double>>& rows) {
  Matrix matrix;
  matrix.rows_ = static_cast<Index>(rows.size());
  matrix.columns_ = rows.empty() ? 0 : static_cast<Index>(rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<Index>(rows[i].size()) != matrix.columns_) {
      fail("[matrix] ragged: row 0 has {} values, row {} has {}", matrix.columns_, i, rows[i].size());
    }
    matrix.values_.insert(matrix.values_.end(), rows[i].begin(), rows[i].end());
  }
  return matrix;
}

Matrix Matrix::from(ConstView view) {
  const int rank = view.shape().rank();
  if (rank != 1 && rank != 2) {
    fail("[matrix] got shape {}, expected rank 2, or rank 1 for one row", view.shape().to_string());
  }
  if (rank == 1) return from(view.insert_axis(0));
  Matrix matrix(view.shape()[0], view.shape()[1]);
  for (Index i = 0; i < matrix.rows_; ++i) {
    for (Index j = 0; j < matrix.columns_; ++j) matrix(i, j) = static_cast<double>(view(i, j));
  }
  return matrix;
}

Matrix Matrix::identity(Index size) {
  Matrix matrix(size, size);
  for (Index i = 0; i < size; ++i) matrix(i, i) = 1;
  return matrix;
}

Matrix Matrix::filled(Index rows, Index columns, double value) {
  Matrix matrix(rows, columns);
  std::fill(matrix.values_.begin(), matrix.values_.end(), value);
  return matrix;
}

Matrix Matrix::normal(Random& random, Index rows, Index columns) {
  Matrix matrix(rows, columns);
  for (double& value : matrix.values_) value = random.normal();
  return matrix;
}

std::vector<double> Matrix::row(Index index) const {
  if (index < 0 || index >= rows_) fail("[matrix] row {} of a matrix {}", index, shape_text());
  const auto begin = values_.begin() + index * columns_;
  return std::vector<double>(begin, begin + columns_);
}

Matrix Matrix::transposed() const {
  Matrix result(columns_, rows_);
  for (Index i = 0; i < rows_; ++i) {
    for (Index j = 0; j < columns_; ++j) result(j, i) = (*this)(i, j);
  }
  return result;
}

Matrix Matrix::columns_between(Index begin, Index end) const {
  if (begin < 0 || end < begin || end > columns_) {
    fail("[matrix] columns {} to {} of a matrix {}", begin, end, shape_text());
  }
  Matrix result(rows_, end - begin);
  for (Index i = 0; i < rows_; ++i) {
    for (Index j = begin; j < end; ++j) result(i, j - begin) = (*this)(i, j);
  }
  return result;
}

Tensor Matrix::to_tensor() const {
  Tensor tensor = Tensor::uninitialized(shape());
  for (std::size_t i = 0; i < values_.size(); ++i) tensor.data()[i] = static_cast<float>(values_[i]);
  return tensor;
}

}  // namespace fovea
