#include "run_change.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "fovea/places.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

// As many as there are heads, at most: each of them may be named.
std::vector<HeadPlace> heads_named(const char* name, const std::string& list, const StoredCapture& stored) {
  Index heads = 0;
  for (const LayerView& layer : stored.run().layers()) heads += layer.heads();
  const Index named = 1 + std::count(list.begin(), list.end(), ',');
  if (named > heads) {
    throw RequestError(400, fmt::format("{}: {} places, there are {} heads", name, named, heads));
  }
  return parse_heads(list, stored.model->model().config());
}

}  // namespace

RunChange change_parameters(const Parameters& parameters) {
  RunChange change;
  change.off = text_parameter(parameters, "off").value_or("");
  change.hide = text_parameter(parameters, "hide").value_or("");
  change.visible = text_parameter(parameters, "visible").value_or("");
  if (change.hide.empty() != change.visible.empty()) {
    throw RequestError(400, "expected both: hide=L3H* (which heads) and visible=MASK (what they see)");
  }
  const std::string show = text_parameter(parameters, "show").value_or("weights");
  if (show != "weights" && show != "passed") {
    throw RequestError(400, "show: expected weights or passed");
  }
  change.passed = show == "passed";
  return change;
}

Intervention intervention_of(const RunChange& change, const StoredCapture& stored) {
  Intervention all;
  if (!change.changes_run()) return all;
  if (!stored.model) {
    throw RequestError(422, "a film keeps queries and keys, not the model: nothing of it can be changed");
  }
  if (!change.off.empty()) {
    for (const HeadPlace& heads : heads_named("off", change.off, stored)) {
      all = all & Intervention::ablate(heads);
    }
  }
  if (change.hide.empty()) return all;
  for (const HeadPlace& heads : heads_named("hide", change.hide, stored)) {
    const LayerView& layer = stored.run().layer(heads.kind, heads.layer);
    const Parameters mask = {{"visible", change.visible}};
    all = all & Intervention::hide(heads, mask_parameter(mask, "visible", layer.queries(), layer.keys()));
  }
  return all;
}

}  // namespace fovea::explorer
