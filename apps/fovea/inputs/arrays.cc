#include "inputs/arrays.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "fovea/error.h"
#include "fovea/json_writer.h"

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

void report_written(const Context& context, const std::string& path, const NamedArrays& arrays,
                    bool for_programs) {
  JsonWriter json;
  json.begin_object();
  json.key("file").string(path);
  std::string line;
  for (const NamedArrays::Entry& entry : arrays) {
    json.key(entry.name).shape(entry.shape());
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", entry.name, entry.shape().to_string());
  }
  json.end_object();
  if (for_programs) {
    context.print(json.take());
  } else {
    print_message(fmt::format("{} → {}", line, path));
  }
}

}  // namespace fovea::command
