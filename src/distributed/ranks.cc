#include <cstdlib>

#include "core/fail.h"
#include "distributed/rank_group.h"
#include "fovea/distributed.h"

namespace fovea {

Ranks::Ranks() : group_(all_processes()) {}
Ranks::Ranks(int communicator) : group_(processes_of(communicator)) {}
Ranks::Ranks(std::unique_ptr<RankGroup> group) : group_(std::move(group)) {}
Ranks::~Ranks() = default;

bool Ranks::available() { return has_processes(); }
int Ranks::rank() const { return group_->rank(); }
int Ranks::size() const { return group_->size(); }
std::vector<std::string> Ranks::gather(const std::string& text) const { return group_->gather(text); }
void Ranks::abort(int exit_code) const noexcept {
  group_->abort(exit_code);
  std::abort();  // not reached
}

void Ranks::agree(const std::string& problem) const {
  const std::vector<std::string> problems = gather(problem);
  for (std::size_t rank = 0; rank < problems.size(); ++rank) {
    if (!problems[rank].empty()) {
      throw AgreedError(fmt::format("{} (rank {} of {})", problems[rank], rank, problems.size()));
    }
  }
}

std::vector<RowRange> rows_of_rank(Index rows, int rank, int ranks, RowLayout layout) {
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    fail("[rows_of_rank] rank {} of {}, expected one of 0 .. ranks − 1", rank, ranks);
  }
  if (rows < ranks) {
    fail("[rows_of_rank] {} rows for {} ranks, expected at least one row for each: use fewer ranks", rows,
         ranks);
  }
  const Index ranges = layout == RowLayout::zigzag ? 2 * Index{ranks} : Index{ranks};
  // Cut so that no rank goes without: with few rows the second of its ranges is empty.
  const auto begin_of = [&](Index range) {
    if (layout == RowLayout::zigzag && rows < ranges)
      return range < ranks ? range : ranks + (range - ranks) * (rows - ranks) / ranks;
    return range * rows / ranges;
  };
  const auto range = [&](Index i) { return RowRange{begin_of(i), begin_of(i + 1)}; };
  if (layout == RowLayout::contiguous) return {range(rank)};
  return {range(rank), range(ranges - 1 - rank)};
}

}  // namespace fovea
