// The few operations of an account, in double, as a textbook writes them.
#pragma once

#include "fovea/matrix.h"

namespace fovea {

Matrix product(const Matrix& a, const Matrix& b);             // a [N, K] · b [K, M]
Matrix product_transposed(const Matrix& a, const Matrix& b);  // a [N, K] · b [M, K]ᵀ
Matrix scaled_by(const Matrix& a, double factor);
Matrix softcapped(const Matrix& a, double cap);  // cap · tanh(a / cap)
Matrix sum(const Matrix& a, const Matrix& b);

// scores + mask; where the mask is −inf the result is −inf, whatever the score (NaN too).
Matrix add_mask(const Matrix& scores, const Matrix& mask);

// Softmax of each row, its own maximum subtracted first. −inf gets 0; a row of only −inf gives zeros.
Matrix row_softmax(const Matrix& scores);

// weights [N, M] · values [M, Dv]; keys whose score is −inf are not read.
Matrix mix_values(const Matrix& weights, const Matrix& scores, const Matrix& values);

Matrix side_by_side(const std::vector<Matrix>& parts);  // same number of rows

}  // namespace fovea
