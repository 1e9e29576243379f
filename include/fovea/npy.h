// NumPy's .npy files: one array each.
#pragma once

#include <string>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/tensor.h"

namespace fovea {

// Versions 1.0 to 3.0, either byte order, C and Fortran order. Floats of 16, 32 and 64 bits, rounded to
// float32; integers too, as long as float32 holds them exactly: np.array([[1, 0]]) is one of integers.
FOVEA_API Tensor load_npy(const std::string& path);

// Integers and truth values. An array of floats is an Error.
FOVEA_API Ids load_npy_ids(const std::string& path);

// Written as '<f4' and '<i8', version 1.0, C order; the view may have any strides.
FOVEA_API void save_npy(const std::string& path, ConstView tensor);
FOVEA_API void save_npy(const std::string& path, const Ids& ids);

}  // namespace fovea
