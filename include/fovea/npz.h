// NumPy's .npz files: zip archives of .npy files.
#pragma once

#include <string>

#include "fovea/named_tensors.h"

namespace fovea {

// As np.savez and np.savez_compressed write them; check sums are verified. Archives of 4 GiB and more
// (zip64) are refused: safetensors has no such limit.
NamedArrays load_npz(const std::string& path);

// Not compressed, as np.savez writes. The same arrays give the same bytes: entries carry no date.
void save_npz(const std::string& path, const NamedArrays& arrays);

}  // namespace fovea
