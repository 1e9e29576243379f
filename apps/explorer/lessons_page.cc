#include "fovea/base64.h"
#include "fovea/safetensors.h"
#include "learn_file.h"
#include "limits.h"
#include "page_file.h"
#include "state.h"

namespace fovea::explorer {

PageFile page_file(const Page& page, const ModelFinder& lesson_models) {
  NamedArrays arrays("[page]");
  add_lessons(arrays.metadata(), lesson_models);
  arrays.metadata()["state"] = state_json({}, {}, Limits());
  arrays.metadata()["examples"] = examples_json();
  return {with_data(page.html, to_base64(safetensors_bytes(arrays))), "", 0};
}

}  // namespace fovea::explorer
