// The benchmark behind `fovea bench`: scenarios, competitors, one interleaving runner, reports.
//
// A scenario is a list of cases that are timed together: in every round each competitor of each case runs
// in turn. Every result is compared with the double reference before anything is timed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fovea/language.h"
#include "fovea/shape.h"

namespace fovea::bench {

enum class Operation {
  forward,
  backward,
  forward_backward,
  linear,
  statistics,
  model,       // a whole model, tokens to hidden states
  generation,  // a model that writes
  product,     // of two matrices
  multi_head,  // MultiHeadAttention, forward
  training,    // a step: forward, backward, AdamW
};
std::string name_of(Operation operation);

// One problem, as the reports tell it.
struct CaseInfo {
  std::string id;  // "forward-1x16x4096x64-causal"
  Text label;      // "(1,16,4096,64) causal"
  Operation operation = Operation::forward;
  Index batch = 1, heads = 1, key_heads = 1, queries = 0, keys = 0, width = 0, value_width = 0;
  std::string mask;  // "causal"; empty: everything is visible
  std::string bias;  // "alibi"; empty: none
  double dropout = 0;
  double visible = 1;  // share of the pairs, from the mask's density
  double flops = 0;    // of the visible pairs' products; a square causal mask counts half
  double bytes = 0;  // of keys and values: what decoding must read at least; of a model, its weights; of a
                     // product, all three matrices
  Index copies = 1;  // of keys and values, used in turn
  std::string read_from;  // of decoding: where keys and values are read from, "memory" or "cache"
  int threads = 0;        // of a model's run or a product; 0: as many as the report says
  double peak = 0;        // FMA, GFLOP/s on these threads; 0: the machine's
  std::string cache;      // the type of a KeyValueCache that is decoded from; empty: k and v as they are
  int base = -1;          // the case of the same scenario this one is told relative to
};

enum class Status {
  measured,
  wrong,   // too far from the reference
  failed,  // threw
  died,    // its process ended: a signal, or an exit
  cannot,  // has no such operation, mask or the like
};
std::string name_of(Status status);

// Seconds of one call.
struct Times {
  int rounds = 0;
  double median = 0, mean = 0, first_quartile = 0, third_quartile = 0, min = 0;
};

// Against the double reference; what cannot be compared (another generator's dropout) has none.
struct Errors {
  double max = 0;          // largest |got − want|
  double relative_l2 = 0;  // ‖got − want‖ / ‖want‖, the worst of the results
};

// Largest errors of a result that counts as right: rounding stays below, a mistake does not. `max` is
// relative to the largest value expected, or to 1 if that is less.
struct Tolerance {
  double max = 2e-5, relative_l2 = 1e-5;
};

struct Measurement {
  std::string competitor;  // "fovea", "fovea_bf16", "blas", "pytorch", "pytorch_bf16", "onnxruntime",
                           // "before", "read"
  Status status = Status::failed;
  std::string message;             // why not
  std::string death;               // "signal 4"
  std::string inputs = "float32";  // the type of q, k and v
  std::string path;                // what ran: instruction set, kernel
  Times times;
  std::optional<Errors> errors;
  Tolerance tolerance;                 // of the errors
  std::optional<double> extra_memory;  // bytes: peak over what was there before the call, result included
};

struct CaseResult {
  CaseInfo info;
  std::vector<Measurement> measurements;
  const Measurement* by(const std::string& competitor) const;  // nullptr if it was not asked
};

struct ScenarioResult {
  std::string group;
  std::vector<CaseResult> cases;
};

inline constexpr const char* kNotAskedFor = "not requested";

struct CompetitorInfo {
  std::string id, name;  // "pytorch", "PyTorch"
  std::string version, detail;
  bool absent = false;
  std::string reason;
};

struct Machine {
  std::string processor;
  std::string system;
  std::string instruction_set;
  int processors = 0, threads = 0;
  Index l1 = 0, l2 = 0, l3 = 0;  // bytes; 0: unknown
  double load = 0;       // average of runnable processes before the run: what others did at the time
  double memory = 0;     // bytes
  double peak = 0;       // FMA, GFLOP/s on these threads: the best seen during the run
  double bandwidth = 0;  // plain read, GB/s on these threads: likewise
  double clock = 0;      // GHz of a core while all these threads run: likewise
};

struct Report {
  Machine machine;
  std::string version, compiler, python;
  int rounds = 0;
  std::vector<CompetitorInfo> competitors;
  std::vector<ScenarioResult> scenarios;
  std::vector<std::string> mistakes;  // fovea was wrong or failed: the run has failed
  const CompetitorInfo* competitor(const std::string& id) const;
};

struct Progress {
  int scenario = 0, scenarios = 0, round = 0, rounds = 0;  // counted from 1; round 0: preparing, verifying
  Text label;
};

struct Options {
  std::vector<std::string> wanted;  // groups, or parts of case ids; empty: the group "show"
  std::optional<int> rounds;        // default: 9, or what the scenario says
  double seconds = 30;              // a scenario ends after its third round when this has passed; 0: never
  std::string python = "python3";   // runs the peers; empty: nobody does
  std::string before;               // the program of scripts/build_before; empty: none
  std::function<void(const Progress&)> progress;
};

struct GroupInfo {
  std::string name;
  Text what;
};
std::vector<GroupInfo> groups();

struct ScenarioInfo {
  std::string group;
  std::vector<CaseInfo> cases;
};
// Those wanted, in order. Throws Error, listing the groups, if a word matches nothing.
std::vector<ScenarioInfo> list(const std::vector<std::string>& wanted);

Report run(const Options& options);

// Whole models: encoders on batches of 1 and 8 × 128 and 512 tokens, decoders writing 256 tokens, on one
// thread and on all. fovea with every attention call captured ("fovea") and without ("fovea_plain"),
// PyTorch + transformers ("pytorch"), the same giving all weights ("attentions"), ONNX Runtime. Before
// anything is timed, hidden states and tokens are compared with those of PyTorch.
Report run_models(const std::vector<std::string>& folders, const Options& options);

// Matrix products (in CaseInfo: queries × width × keys) against OpenBLAS, and MultiHeadAttention against
// PyTorch's, on one thread and on all. Of options.wanted, words other than "products" are parts of names.
Report run_products(const Options& options);

// A training step (forward, backward, AdamW) of GPT-2's layout against PyTorch on the same weights and
// batches, on one thread and on all; before anything is timed, the losses of the first 20 steps are
// compared. Words other than "train" are parts of names.
Report run_training(const Options& options);

std::string to_json(const Report& report);
std::string to_csv(const Report& report);  // one row per case and competitor

// Cycles per 16 scores and thread: time · clock · threads / (visible pairs of all heads / 16). A score is
// one pair of a query and a key that it sees, in one head. None where the clock is unknown or nothing is
// scored.
std::optional<double> cycles_per_16_scores(const CaseInfo& info, const Measurement& measurement,
                                           const Machine& machine);

// How many times as long as fovea the competitor took; and a case as long as its base, both by fovea.
std::optional<double> ratio_to_fovea(const CaseResult& result, const std::string& competitor);
std::optional<double> ratio_to_base(const ScenarioResult& scenario, std::size_t which);

}  // namespace fovea::bench
