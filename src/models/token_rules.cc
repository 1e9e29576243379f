#include "models/token_rules.h"

#include <algorithm>
#include <limits>

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

TokenRules::TokenRules(const ModelConfig& config, const GenerationOptions& options, Index prompt)
    : config_(config),
      prompt_(prompt),
      // The last token is told, not read.
      limit_(std::min(options.max_tokens, std::max<Index>(1, config.max_tokens - prompt + 1))) {
  if (options.stop_at_end) ends_ = config.end_ids;
}

bool TokenRules::is_end(Index id) const { return std::find(ends_.begin(), ends_.end(), id) != ends_.end(); }

void TokenRules::force(Index id, float* scores) const {
  std::fill_n(scores, config_.vocabulary, kNever);
  scores[id] = 0;
}

void TokenRules::apply(const std::vector<Index>& written, float* scores) const {
  for (const std::vector<Index>& sequence : config_.forbidden) {
    const Index last = sequence.back();
    const auto before = static_cast<std::ptrdiff_t>(sequence.size()) - 1;
    if (last >= config_.vocabulary || (before == 0 && is_end(last))) continue;
    if (before > static_cast<std::ptrdiff_t>(written.size())) continue;
    if (std::equal(written.end() - before, written.end(), sequence.begin())) scores[last] = kNever;
  }
  const auto count = static_cast<Index>(written.size());
  if (config_.forced_first_id && count == 1) force(*config_.forced_first_id, scores);
  if (config_.forced_last_id && !ends_.empty() && count - prompt_ == limit_ - 1) {
    force(*config_.forced_last_id, scores);
  }
}

}  // namespace fovea
