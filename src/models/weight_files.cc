#include "models/weight_files.h"

#include <filesystem>
#include <set>

#include "core/fail.h"
#include "fovea/file.h"
#include "fovea/render.h"
#include "io/json.h"
#include "io/messages.h"
#include "io/safetensors_format.h"

namespace fovea {

const ByteSource& WeightFiles::add_file(const std::string& path, std::string_view format) {
  return *files_.emplace_back(std::make_unique<InputFile>(path, format));
}

void WeightFiles::add(const std::string& name, const RawArray& raw) {
  if (!tensors_.emplace(name, raw).second) {
    fail("{}: the tensor {} appears twice", where_, in_quotes(name));
  }
}

void WeightFiles::add_safetensors(const std::string& path) {
  const SafetensorsIndex index = index_safetensors(add_file(path, "safetensors"));
  for (const SafetensorsIndex::Entry& entry : index.entries) add(entry.name, entry.raw);
}

void WeightFiles::add_sharded(const std::string& index_path) {
  const std::string where = "[model] " + index_path;
  const std::map<std::string, std::string> shard_of = parse_shard_index(read_file(index_path), where);
  const std::filesystem::path folder = std::filesystem::path(index_path).parent_path();
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : shard_of) shards.insert(shard);
  std::vector<std::string> missing;
  for (const std::string& shard : shards) {
    if (!std::filesystem::exists(folder / shard)) missing.push_back(in_quotes(shard));
  }
  if (!missing.empty()) fail("{}: missing files: {}", where, listed(missing));
  for (const std::string& shard : shards) add_safetensors((folder / shard).string());
  for (const auto& [tensor, shard] : shard_of) {
    if (find(tensor) == nullptr)
      missing.push_back(fmt::format("{} of {}", in_quotes(tensor), in_quotes(shard)));
  }
  if (!missing.empty()) fail("{}: missing tensors: {}", where, listed(missing));
}

const RawArray* WeightFiles::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::map<std::string, std::string> parse_shard_index(std::string_view text, const std::string& where) {
  const Json index = parse_json(text, where, {.max_depth = 16, .unique_keys = true});
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object()) {
    fail("{}: expected an object with an object \"weight_map\"", where);
  }
  std::map<std::string, std::string> shard_of;
  for (const auto& [tensor, shard] : map->items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : "";
    // A name from a file must not lead out of the folder.
    if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos) {
      fail("{}: {} should be in a file of the same folder, got {}", where, in_quotes(tensor),
           shard.is_string() ? in_quotes(name) : shard.type_name());
    }
    shard_of[tensor] = name;
  }
  if (shard_of.empty()) fail("{}: the weight_map is empty", where);
  return shard_of;
}

}  // namespace fovea
