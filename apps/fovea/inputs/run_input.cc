#include "inputs/run_input.h"

#include <fmt/core.h>

#include "fovea/error.h"
#include "inputs/arrays.h"
#include "output/reading_notes.h"

namespace fovea::command {

void RunInput::declare(OptionList& options) {
  weights_.declare(options);
  options.path("--q", "FILE", q_,
               tr("queries [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D] instead of weights: for long "
                  "inputs, the matrix of weights is never built"));
  options.path("--k", "FILE", k_, tr("keys; default: the array k of --q's file"));
  options.path(
      "--model", "M", model_,
      tr("a model (its folder, or a name from fovea model list) to run on TEXT, or on a pair of texts; a "
         "text may be a file, or - for standard input"));
  options.suggest_last(names_of_models());
  load_.declare(options);
  options.path("--capture", "FILE", capture_, tr("a run saved by fovea generate --capture"));
  options.choice("--kind", {"encoder", "decoder", "cross"}, kind_,
                 tr("for an encoder-decoder model: which attention; default: encoder"));
  scores_.declare(options);
}

void RunInput::check(std::size_t words) const {
  if (k_ && !q_) throw UsageError("--k: --q is missing");
  if ((q_ ? 1 : 0) + (model_ ? 1 : 0) + (capture_ ? 1 : 0) > 1) {
    throw UsageError("got several of --q, --model and --capture, expected one");
  }
  if (model_ && (words < 1 || words > 2)) {
    throw UsageError(fmt::format("--model: got {} texts, expected one, or two for a pair", words));
  }
  load_.check(model_);
  if (!kind_.empty() && !model_ && !capture_) throw UsageError("--kind needs --model or --capture");
  if (!q_ && scores_.change_scores()) {
    throw UsageError(
        "--scale, --softcap and --alibi need --q and --k: weights in a file are already computed, and a "
        "model has its own");
  }
  scores_.check();
}

OpenRun RunInput::load(const std::vector<std::string>& words, Language language, bool value_norms) const {
  if (model_) return of_run(read_arguments(*model_, words, language, load_, value_norms));
  if (capture_) {
    Run run = Run::load(*capture_);
    print_reading_notes(run.readings(), language);
    return of_run(std::move(run));
  }
  if (q_) return of_run(from_files());
  return of_weights(weights_.load(words.front()));
}

OpenRun RunInput::of_weights(AttentionWeights weights) const {
  set_tokens(weights, tokens().queries(), tokens().keys());
  OpenRun open{Run::from_weights(std::move(weights), scores_.mask())};
  return open;
}

Run RunInput::from_files() const {
  const auto pick = [](const ArrayFile& file, const char* name, bool shared) {
    const std::optional<std::string> key = shared ? std::optional<std::string>(name) : std::nullopt;
    return pick_tensor(file, key, {name});
  };
  const ArrayFile file(*q_);
  Tensor q = pick(file, "q", !k_);
  Tensor k = k_ ? pick(ArrayFile(*k_), "k", false) : pick(file, "k", true);
  const Index heads = q.shape().rank() >= 4 ? q.shape().back(2) : 1;
  return Run::from_query_key(std::move(q), std::move(k), scores_.attention_options(heads));
}

AttentionKind RunInput::kind_of(const Run& run) const {
  const std::vector<AttentionKind> there = run.kinds();
  if (there.empty()) throw Error("[run] the model made no attention calls");
  if (kind_.empty()) return there.front();
  std::string names;
  for (const AttentionKind kind : there) {
    if (kind_ == to_string(kind)) return kind;
    names += (names.empty() ? "" : ", ") + std::string(to_string(kind));
  }
  throw UsageError(fmt::format("--kind: got {}, {} has {}", kind_, run.model(), names));
}

OpenRun RunInput::of_run(Run run) const {
  OpenRun open{std::move(run)};
  open.kind = kind_of(open.run);
  if (!q_) open.run = open.run.masked(scores_.mask());  // of queries and keys it is among the options
  std::vector<std::string> queries = tokens().queries(), keys = tokens().keys();
  if (queries.empty() && keys.empty()) return open;
  if (queries.empty()) queries = open.run.query_tokens(open.kind);
  open.run.set_tokens(open.kind, queries, std::move(keys));
  return open;
}

}  // namespace fovea::command
