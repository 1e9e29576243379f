#include "inputs/arrays.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/render.h"

namespace fovea::command {

Tensor pick_tensor(const ArrayFile& file, const std::optional<std::string>& key,
                   const std::vector<std::string>& usual) {
  std::vector<std::string> names = usual, there;
  if (key) names = {*key};
  for (const ArrayFile::Entry& entry : file.entries()) there.push_back(entry.name);
  for (const std::string& name : names) {
    if (std::find(there.begin(), there.end(), name) != there.end()) return file.tensor(name);
  }
  if (!key && there.size() == 1) return file.tensor(there.front());
  throw Error(fmt::format("{}: there is no array \"{}\"; there {}", file.source(),
                          fmt::join(names, "\" or \""),
                          there.empty() ? "is none" : fmt::format("is {}", listed(there))));
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
