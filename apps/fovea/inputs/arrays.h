// Arrays in files given on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "fovea/array_file.h"

namespace fovea::command {

// The array called `key`. Without a key: the first of `usual` names that is there, or the only array.
// Nothing else is read. Integers become floats. Throws Error naming what the file holds.
Tensor pick_tensor(const ArrayFile& file, const std::optional<std::string>& key,
                   const std::vector<std::string>& usual);

// Names and shapes of what was written to `path`: for programs on standard output, else for a person on
// the other stream.
void report_written(const Context& context, const std::string& path, const NamedArrays& arrays,
                    bool for_programs);

}  // namespace fovea::command
