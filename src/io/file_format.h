// Which format a file of arrays has.
#pragma once

#include <string>

namespace fovea {

enum class FileFormat { npy, npz, safetensors, json };

// By the extension; throws Error for an unknown one.
FileFormat file_format(const std::string& path);

}  // namespace fovea
