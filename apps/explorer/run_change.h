// How a request changes a run: heads switched off, keys hidden to chosen heads; and whether weights are
// shown or what they pass on.
#pragma once

#include <string>

#include "capture_store.h"
#include "fovea/intervention.h"
#include "parameters.h"

namespace fovea::explorer {

struct RunChange {
  std::string off;      // heads that give nothing: "L2H3,L4H*"; places.h has the words
  std::string hide;     // heads that see no more than `visible`: "L3H*"
  std::string visible;  // a mask
  bool passed = false;  // shares of the norms of weight · value · W_O, instead of weights

  bool changes_run() const { return !off.empty() || !hide.empty(); }
  std::string key() const { return off + "|" + hide + "|" + visible; }  // of the changed run
};

// off=.., hide=.. with visible=.., show=weights|passed. Throws RequestError 400.
RunChange change_parameters(const Parameters& parameters);

// Throws RequestError 400 for masks that would take minutes and lists without end, 422 where there is no
// model any more; Error for heads that are not there.
Intervention intervention_of(const RunChange& change, const StoredCapture& stored);

}  // namespace fovea::explorer
