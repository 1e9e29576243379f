// What stands after the ? of a request.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "capture_store.h"
#include "fovea/run.h"

namespace fovea::explorer {

using Parameters = std::multimap<std::string, std::string>;

// All throw RequestError: 400 for what is not understood, 404 for what the capture does not have.
std::optional<std::string> text_parameter(const Parameters& parameters, const std::string& name);
std::optional<Index> integer_parameter(const Parameters& parameters, const std::string& name, Index min,
                                       Index max);

// A mask for n queries and m keys; none if it is not there. 400 for one that would take minutes.
Mask mask_parameter(const Parameters& parameters, const std::string& name, Index n, Index m);

AttentionKind kind_parameter(const Parameters& parameters, const Run& run);

// rows=a:b and keys=c:d, or the first so many of each.
Crop crop_parameters(const Parameters& parameters, Index queries, Index keys, Index default_rows,
                     Index default_keys);

// One head, or the mean of all heads of a layer (head=mean), perhaps with a mask beside the model's own.
HeadChoice head_parameters(const Parameters& parameters, const Run& run);

}  // namespace fovea::explorer
