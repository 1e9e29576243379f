#include "commands/train/folder.h"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>

#include "fovea/error.h"
#include "fovea/file.h"

namespace fovea::command {

namespace fs = std::filesystem;

bool TrainFolder::has_checkpoint() const {
  std::error_code ignored;
  return fs::exists(checkpoint(), ignored);
}

void TrainFolder::prepare() const {
  std::error_code error;
  if (fs::exists(settings(), error)) {
    throw Error(
        fmt::format("[train] {0}: there is a training in it already; go on with it by --resume "
                    "--out {0}, or take another folder",
                    path_));
  }
  for (const char* name : {"config.json", "model.safetensors"}) {
    if (fs::exists(fs::path(path_) / name, error)) {
      throw Error(
          fmt::format("[train] {}: there is a model in it already ({}); take another folder", path_, name));
    }
  }
  fs::create_directories(path_, error);
  if (error) throw Error(fmt::format("[train] the folder {} cannot be made: {}", path_, error.message()));
}

// FNV-1a, 64 bits: it finds changes, not forgers.
std::string hash_of_file(const std::string& path) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : read_file(path)) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace fovea::command
