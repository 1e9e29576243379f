// Measures of many heads as a table for people, JSON and CSV for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/measures.h"
#include "fovea/render.h"

namespace fovea {

struct FOVEA_API ReportedHead {
  std::string name;  // "L5H0", "L5 mean"
  Index layer = 0;
  Index head = 0;  // −1: all heads of the layer in one
  HeadMeasures measures;
};

struct FOVEA_API MeasuresReport {
  std::vector<ReportedHead> heads;
  std::vector<ReportedHead> means;  // of weights averaged over heads: one per layer, or none
  Index queries = 0, keys = 0;
  std::vector<std::string> tokens,
      key_tokens;  // N and M names, or none; no key_tokens: the tokens, if N = M
  std::vector<UnknownToken> unknown,
      unknown_keys;  // of tokens and key_tokens: those the model did not know
  bool masked = false;
  std::vector<Text> notes;

  std::vector<Measure> columns = {};      // what to show; empty: a choice that fits a page
  bool role = true;                       // and the role of each head
  std::optional<Measure> sorted_by = {};  // shown as well
};

// All heads of all layers, and the mean of each layer where it was measured.
FOVEA_API MeasuresReport report_of(const AttentionMeasures& measures);
// The same of a run, as measure_attention takes it; tokens are the run's.
FOVEA_API MeasuresReport measures_report(const Run& run, const MeasureOptions& = {});

// Largest first; heads to which the measure does not apply last. Equals keep their order.
FOVEA_API void sort_by(MeasuresReport& report, Measure measure);

// The table of the heads, and for a single layer (or head) that of the tokens. Throws Error if names are
// not as many as queries or keys.
FOVEA_API std::string to_terminal(const MeasuresReport& report, const RenderOptions& = {});
// All measures and roles, the values of each row where they were kept; null: does not apply.
FOVEA_API std::string to_json(const MeasuresReport& report);
// One line per head: layer, head, the measures, role, rule; empty: does not apply.
FOVEA_API std::string to_csv(const MeasuresReport& report);

}  // namespace fovea
