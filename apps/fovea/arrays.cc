#include "arrays.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "fovea/error.h"

namespace fovea::command {
namespace {

Tensor as_tensor(const NamedArrays::Entry& entry) {
  return entry.is_tensor() ? std::get<Tensor>(entry.array) : to_tensor(std::get<Ids>(entry.array));
}

}  // namespace

Tensor pick_tensor(const NamedArrays& arrays, const std::optional<std::string>& key,
                   const std::vector<std::string>& usual) {
  std::vector<std::string> names = usual;
  if (key) names = {*key};
  for (const std::string& name : names) {
    for (const NamedArrays::Entry& entry : arrays) {
      if (entry.name == name) return as_tensor(entry);
    }
  }
  if (!key && arrays.size() == 1) return as_tensor(*arrays.begin());
  throw Error(
      fmt::format("{}: there is no array \"{}\"; there {}", arrays.source(), fmt::join(names, "\" or \""),
                  arrays.size() == 0 ? "is none" : fmt::format("is {}", fmt::join(arrays.names(), ", "))));
}

}  // namespace fovea::command
