// Matrix products and MultiHeadAttention: compare with double, then rounds in which everybody runs in turn.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "competitors/openblas.h"
#include "fovea/instruction_set.h"
#include "fovea/threads.h"
#include "fovea/version.h"
#include "machine/fma_peak.h"
#include "machine/read_bandwidth.h"
#include "products/cases.h"

namespace fovea::bench {
namespace {

constexpr double kTurnSeconds = 0.03;  // some calls of the largest product

void judge(const Expected& expected, const std::vector<Tensor>& outcomes,
           std::vector<Measurement>& measurements) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].empty()) continue;
    const std::vector<Tensor> results = {outcomes[i]};
    const Errors errors = errors_of(expected, results);
    measurements[i].errors = errors;
    if (acceptable(errors, expected)) continue;
    measurements[i].status = Status::wrong;
    measurements[i].message =
        fmt::format("off by {:.1e}, relative L2 {:.1e}", errors.max, errors.relative_l2);
  }
}

class ProductRunner {
 public:
  explicit ProductRunner(const Options& options)
      : options_(options),
        threads_(thread_count()),
        infos_(product_infos(options.wanted, 1)),
        peer_(has_multi_head() ? options.python : "", threads_),
        report_(begin_report(options)) {
    report_.python = options.python;
    report_.competitors.push_back({"fovea", "fovea", fmt::format("fovea {}", version()),
                                   fmt::format("{}, 1 and {} threads", instruction_set(), threads_), false,
                                   ""});
    std::string reason;
    if (const OpenBlas* blas = OpenBlas::get(reason)) {
      report_.competitors.push_back({"blas", "OpenBLAS", blas->version(), blas->detail(), false, ""});
    } else {
      report_.competitors.push_back({"blas", "OpenBLAS", "", "", true, reason});
    }
    if (has_multi_head()) report_.competitors.push_back(peer_.info());
  }
  ~ProductRunner() { set_thread_count(threads_); }
  ProductRunner(const ProductRunner&) = delete;
  ProductRunner& operator=(const ProductRunner&) = delete;

  Report run() {
    const std::set<int> thread_counts = {1, threads_};
    where_.scenarios = static_cast<int>(thread_counts.size());
    where_.rounds = report_.rounds;
    where_.label = {"making the matrices", "生成矩阵"};
    tell();
    report_.machine.bandwidth = read_bandwidth(std::clamp(report_.rounds, 1, 9));
    for (const CaseInfo& info : infos_) {
      if (info.operation == Operation::product) products_.push_back(product_case(info));
      if (info.operation == Operation::multi_head) modules_.push_back(multi_head_case(info));
    }
    for (const int threads : thread_counts) measure(threads);
    return std::move(report_);
  }

 private:
  bool has_multi_head() const {
    return std::any_of(infos_.begin(), infos_.end(),
                       [](const CaseInfo& info) { return info.operation == Operation::multi_head; });
  }

  void measure(int threads) {
    set_thread_count(threads);
    const std::vector<CaseInfo> infos = product_infos(options_.wanted, threads);
    where_.label = infos.front().label;
    ++where_.scenario;
    where_.round = 0;
    tell();
    std::vector<ContestCase> contest;
    std::size_t next = 0;
    for (ProductCase& c : products_) {
      c.info = infos[next++];
      contest.push_back({c.info, product_contenders(c), judge_by(c.expected)});
    }
    for (MultiHeadCase& c : modules_) {
      c.info = infos[next++];
      contest.push_back({c.info, {multi_head_by_fovea(c)}, judge_by(c.expected)});
      for (Contender& peer : peer_.contenders(c, static_cast<int>(next))) {
        contest.back().contenders.push_back(std::move(peer));
      }
    }
    // Hosts are shared: the best seen before and after is nearest to what the machine can do.
    double peak = fma_peak(threads, std::clamp(report_.rounds, 1, 10));
    const auto tell_round = [this](int round) {
      where_.round = round;
      tell();
    };
    ScenarioResult result =
        run_contest("products", std::move(contest), {report_.rounds, options_.seconds, kTurnSeconds},
                    tell_round, report_.mistakes);
    peak = std::max(peak, fma_peak(threads, std::clamp(report_.rounds, 1, 10)));
    for (CaseResult& each : result.cases) each.info.peak = peak;
    report_.machine.peak = std::max(report_.machine.peak, peak);
    report_.scenarios.push_back(std::move(result));
    peer_.release();
  }

  static std::function<void(const std::vector<Tensor>&, std::vector<Measurement>&)> judge_by(
      const Expected& expected) {
    return [&expected](const std::vector<Tensor>& outcomes, std::vector<Measurement>& measurements) {
      judge(expected, outcomes, measurements);
    };
  }

  void tell() const {
    if (options_.progress) options_.progress(where_);
  }

  const Options& options_;
  const int threads_;
  const std::vector<CaseInfo> infos_;
  MultiHeadPeer peer_;
  std::vector<ProductCase> products_;
  std::vector<MultiHeadCase> modules_;
  Report report_;
  Progress where_;
};

}  // namespace

Report run_products(const Options& options) { return ProductRunner(options).run(); }

}  // namespace fovea::bench
