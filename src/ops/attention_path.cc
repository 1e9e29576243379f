#include "ops/attention_path.h"

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "core/fork.h"
#include "fovea/instruction_set.h"
#include "fovea/threads.h"
#include "kernels/bfloat16_attention.h"
#include "kernels/decode.h"
#include "kernels/tile_sizes.h"
#include "ops/large_values.h"
#include "ops/observed_call.h"

namespace fovea {
namespace {

std::mutex path_observer_mutex;
[[maybe_unused]] const bool kPathFreeInChild = free_after_fork(path_observer_mutex);
std::shared_ptr<const AttentionObserver> observer;

std::shared_ptr<const AttentionObserver> current_observer() {
  const std::lock_guard lock(path_observer_mutex);
  return observer;
}

AttentionPath path_of(const kernels::AttentionProblem& problem) {
  AttentionPath path;
  path.shapes = shapes_text(problem.q.shape(), problem.k.shape(), problem.v.shape());
  path.instruction_set = instruction_set();
  path.threads = thread_count();
  if (problem.precision == Precision::bfloat16) {
    path.mode = fmt::format("bfloat16 {}", kernels::best_tile_unit().name);
    path.strip_queries = kernels::kTileBlock;
    path.strips_per_block = kernels::bfloat16_strips_per_block(problem);
    path.step_keys = kernels::kKeyBlock;
  } else if (kernels::is_decoding(problem)) {
    path.mode = "decoding";
    path.strip_queries = problem.group() * problem.queries();
    path.strips_per_block = 1;
    path.step_keys = kernels::kSplitKeys;
  } else {
    path.mode = "strips";
    path.strip_queries = kernels::strip_width();
    path.strips_per_block = kernels::strips_per_block(problem, path.strip_queries);
    path.step_keys = kernels::kKeyBlock;
  }
  return path;
}

std::string path_text(const AttentionPath& path) {
  return fmt::format(
      "{}: {} queries × {} keys, {} strips a block; tiles {} skipped, {} full, {} partial, {} gathered",
      path.mode, path.strip_queries, path.step_keys, path.strips_per_block, path.hidden, path.full,
      path.partial, path.gathered);
}

}  // namespace

std::string AttentionPath::to_string() const {
  const CallPath call{"attention", shapes, instruction_set, threads, path_text(*this), seconds};
  return call.to_string();
}

void observe_attention(AttentionObserver wanted) {
  const std::lock_guard lock(path_observer_mutex);
  observer = wanted ? std::make_shared<const AttentionObserver>(std::move(wanted)) : nullptr;
}

TileSizes tile_sizes(Index d_k, Index d_v) {
  const kernels::CacheSizes caches = kernels::cache_sizes();
  const Index width = kernels::strip_width();
  return {caches.l1, caches.l2, width, kernels::strips_in_cache(d_k + d_v, width), kernels::kKeyBlock};
}

void run_observed(kernels::AttentionProblem& problem) {
  const std::shared_ptr<const AttentionObserver> who = current_observer();
  const std::shared_ptr<const CallObserver> anybody = who == nullptr ? call_observer() : nullptr;
  if (who == nullptr && anybody == nullptr) return attention_of_any_values(problem);
  if (problem.heads() == 0 || problem.queries() == 0) return;
  AttentionPath path = path_of(problem);
  kernels::TileCounts tiles;
  problem.tiles = &tiles;
  const auto start = std::chrono::steady_clock::now();
  attention_of_any_values(problem);
  path.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  problem.tiles = nullptr;
  path.hidden = tiles.hidden;
  path.full = tiles.full;
  path.partial = tiles.partial;
  path.gathered = tiles.gathered;
  if (who != nullptr) return (*who)(path);
  tell(*anybody, "attention", {path.shapes, path_text(path)}, path.seconds);
}

}  // namespace fovea
