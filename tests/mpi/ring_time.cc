// How long attention over a ring takes, and what the network gives: the figures that scripts/ring_model
// compares with its prediction. mpirun -n 4 ring_time TOKENS HEADS WIDTH causal|full [backward]; or:
// ring_time network FLOATS
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "distributed/mpi/mpi_group.h"
#include "fovea/distributed.h"
#include "fovea/random.h"
#include "fovea/threads.h"

namespace fovea {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Megabytes at most, of this process.
Index peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

Index sum_over(const Ranks& ranks, Index own) {
  Index sum = 0;
  for (const std::string& text : ranks.gather(std::to_string(own))) sum += std::stoll(text);
  return sum;
}

void time_network(const Ranks& ranks, Index floats) {
  const int next = (ranks.rank() + 1) % ranks.size(),
            before = (ranks.rank() + ranks.size() - 1) % ranks.size();
  const Tensor out({std::max<Index>(floats, 1)});
  Tensor in({std::max<Index>(floats, 1)});
  const int times = floats > 1 << 20 ? 3 : 50;
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    ranks.gather("");
    const double start = now();
    ranks.group().start(1, next, {{out.data(), floats}}, before, {{in.data(), floats}})->finish();
    best = std::min(best, now() - start);
  }
  if (ranks.rank() == 0) fmt::print("{{\"floats\": {}, \"seconds\": {:.6f}}}\n", floats, best);
}

void time_attention(const Ranks& ranks, Index tokens, Index heads, Index width, bool causal,
                    bool backward) {
  Index rows = 0;
  for (const RowRange& range : rows_of_rank(tokens, ranks.rank(), ranks.size())) rows += range.size();
  Random random(static_cast<std::uint64_t>(ranks.rank()));
  const Tensor q = random.normal({1, heads, rows, width}), k = random.normal({1, heads, rows, width}),
               v = random.normal({1, heads, rows, width});
  AttentionOptions options{.logsumexp = true};
  if (causal) options.mask = Mask::causal();
  ranks.gather("");
  const double start = now();
  const AttentionResult result = ring_attention(ranks, q, k, v, {tokens, tokens}, options);
  ranks.gather("");
  const double forward = now() - start;
  double back = 0;
  if (backward) {
    const double middle = now();
    ring_attention_backward(ranks, q, k, v, result, q, {tokens, tokens}, options);
    ranks.gather("");
    back = now() - middle;
  }
  const Index memory = sum_over(ranks, peak_memory());
  if (ranks.rank() != 0) return;
  fmt::print(
      "{{\"ranks\": {}, \"threads\": {}, \"tokens\": {}, \"heads\": {}, \"width\": {}, \"causal\": {}, "
      "\"seconds\": {:.4f}, \"backward_seconds\": {:.4f}, \"megabytes_in_all\": {}}}\n",
      ranks.size(), thread_count(), tokens, heads, width, causal, forward, back, memory);
}

}  // namespace
}  // namespace fovea

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  try {
    const fovea::Ranks ranks(std::unique_ptr<fovea::RankGroup>(fovea_mpi_group(nullptr)));
    if (words.size() == 2 && words[0] == "network") {
      fovea::time_network(ranks, std::stoll(words[1]));
      return 0;
    }
    if (words.size() < 4) throw fovea::Error("usage: ring_time TOKENS HEADS WIDTH causal|full [backward]");
    fovea::time_attention(ranks, std::stoll(words[0]), std::stoll(words[1]), std::stoll(words[2]),
                          words[3] == "causal", words.size() > 4);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ring_time: {}\n", error.what());
    return 1;
  }
}
