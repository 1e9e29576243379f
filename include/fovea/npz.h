// NumPy's .npz files: zip archives of .npy files.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/named_tensors.h"

namespace fovea {

// Texts beside the arrays, row-major.
struct FOVEA_API NamedTexts {
  std::string name;
  Shape shape;
  std::vector<std::string> values;
};

// As np.savez and np.savez_compressed write them; check sums are verified. Archives of 4 GiB and more
// (zip64) are refused: safetensors has no such limit. Arrays of texts go into the metadata, as JSON lists.
FOVEA_API NamedArrays load_npz(const std::string& path);

// Not compressed, as np.savez writes. The same arrays give the same bytes: entries carry no date. Texts
// become arrays of NumPy's str (dtype U).
FOVEA_API void save_npz(const std::string& path, const NamedArrays& arrays,
                        const std::vector<NamedTexts>& texts = {});

FOVEA_API const char* version_of_zlib();  // of the zlib that is loaded, which reads compressed archives

}  // namespace fovea
