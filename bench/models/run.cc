// Whole models, against what their users run: prepare, compare, then rounds in which everybody runs in
// turn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/threads.h"
#include "fovea/version.h"
#include "machine/fma_peak.h"
#include "machine/read_bandwidth.h"
#include "models/contender.h"
#include "rounds.h"

namespace fovea::bench {
namespace {

constexpr Index kNewTokens = 256;
// Long enough that the others' weights have left the cache, as in a program that runs one model.
constexpr double kTurnSeconds = 0.15;

// Products of the dense layers and of attention.
double flops_of(const ModelConfig& config, Index batch, Index tokens) {
  const auto of = [](Index x) { return static_cast<double>(x); };
  const double width = of(config.width), rows = of(batch * tokens);
  const double dense = 4 * width * width + 2 * width * of(config.inner_width);
  return of(config.layers) * rows * (2 * dense + 4 * of(tokens) * width);
}

ModelCase case_of(const Model& model, Index batch, Index tokens, int threads) {
  const ModelConfig& config = model.config();
  const bool writes = config.has_decoder();
  ModelCase c;
  CaseInfo& info = c.info;
  info.operation = writes ? Operation::generation : Operation::model;
  info.batch = batch, info.queries = info.keys = tokens;
  info.heads = config.heads, info.key_heads = config.kv_heads;
  info.width = info.value_width = config.width;
  info.threads = threads;
  info.bytes = 4.0 * static_cast<double>(model.parameters()) * static_cast<double>(writes ? tokens : 1);
  info.id = fmt::format("{}-{}-{}x{}-{}t", name_of(info.operation), model.name(), batch, tokens, threads);
  info.label = {
      fmt::format("{} {} × {}, {} thread{}", model.name(), batch, tokens, threads, threads == 1 ? "" : "s"),
      fmt::format("{} {} × {}，{} 个线程", model.name(), batch, tokens, threads)};
  if (writes) {
    c.ids = Ids({1, 1}, {1});  // the token that begins a text
    c.tokens = tokens;
    return c;
  }
  info.flops = flops_of(config, batch, tokens);
  c.ids = Ids::filled({batch, tokens}, 0);
  for (Index i = 0; i < batch * tokens; ++i) c.ids.data()[i] = i * 7919 % config.vocabulary;
  return c;
}

// As many as a scenario has: of one model, on so many threads.
std::vector<ModelCase> cases_of(const Model& model, int threads) {
  const Index longest = model.config().max_tokens;
  if (model.config().has_decoder()) {
    return {case_of(model, 1, std::min(kNewTokens, longest), threads)};
  }
  std::vector<ModelCase> cases;
  for (const Index batch : {1, 8}) {
    for (const Index tokens :
         std::set<Index>{std::min<Index>(128, longest), std::min<Index>(512, longest)}) {
      cases.push_back(case_of(model, batch, tokens, threads));
    }
  }
  return cases;
}

// Of two implementations in float32; tokens are compared as numbers.
Errors difference(const Tensor& got, const Tensor& want) {
  Errors errors;
  double squares = 0, wanted = 0;
  for (Index i = 0; i < want.shape().elements(); ++i) {
    const double w = static_cast<double>(want.data()[i]);
    const double error = std::abs(static_cast<double>(got.data()[i]) - w);
    errors.max = std::isnan(error) ? INFINITY : std::max(errors.max, error);
    squares += error * error, wanted += w * w;
  }
  errors.relative_l2 = std::sqrt(squares / std::max(wanted, 1e-300));
  return errors;
}

class ModelRunner {
 public:
  explicit ModelRunner(const Options& options)
      : options_(options),
        threads_(thread_count()),
        peers_(options.python, threads_),
        report_(begin_report(options)) {
    report_.python = options.python;
    const std::string version_text = fmt::format("fovea {}", version());
    report_.competitors = {{"fovea", "fovea", version_text, "every attention call captured", false, ""},
                           {"fovea_plain", "fovea, plain", version_text, "nothing captured", false, ""}};
    for (const CompetitorInfo& info : peers_.competitors()) report_.competitors.push_back(info);
  }
  ~ModelRunner() { set_thread_count(threads_); }
  ModelRunner(const ModelRunner&) = delete;
  ModelRunner& operator=(const ModelRunner&) = delete;

  Report run(const std::vector<std::string>& folders) {
    const std::set<int> thread_counts = {1, threads_};
    where_.scenarios = static_cast<int>(folders.size() * thread_counts.size());
    report_.machine.peak = fma_peak(threads_, 5);
    report_.machine.bandwidth = read_bandwidth(5);
    for (const std::string& folder : folders) {
      const Model model = load_model(folder);
      for (const int threads : thread_counts) measure(model, threads);
    }
    return std::move(report_);
  }

 private:
  void measure(const Model& model, int threads) {
    set_thread_count(threads);
    const std::vector<ModelCase> cases = cases_of(model, threads);
    ++where_.scenario;
    where_.round = 0, where_.rounds = report_.rounds, where_.label = cases.back().info.label;
    tell();
    std::vector<ContestCase> contest;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      contest.push_back({cases[i].info, fovea_contenders(model, cases[i]), judge});
      for (Contender& peer : peers_.contenders(model.path(), cases[i], static_cast<int>(i))) {
        contest.back().contenders.push_back(std::move(peer));
      }
    }
    const auto tell_round = [this](int round) {
      where_.round = round;
      tell();
    };
    report_.scenarios.push_back(run_contest("models", std::move(contest),
                                            {report_.rounds, options_.seconds, kTurnSeconds}, tell_round,
                                            report_.mistakes));
    peers_.release();
  }

  // Everybody's result is compared with PyTorch's, where there is one.
  static void judge(const std::vector<Tensor>& outcomes, std::vector<Measurement>& measurements) {
    const Tensor* want = nullptr;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (measurements[i].competitor == "pytorch" && !outcomes[i].empty()) want = &outcomes[i];
    }
    for (std::size_t i = 0; want != nullptr && i < outcomes.size(); ++i) {
      const Tensor& got = outcomes[i];
      Measurement& measurement = measurements[i];
      if (got.empty()) continue;
      measurement.errors =
          got.shape() == want->shape() ? difference(got, *want) : Errors{INFINITY, INFINITY};
      if (measurement.errors->relative_l2 <= 1e-4) continue;
      measurement.status = Status::wrong;
      measurement.message = fmt::format("differs from PyTorch by {:.1e}, relative L2 {:.1e}",
                                        measurement.errors->max, measurement.errors->relative_l2);
    }
  }

  void tell() const {
    if (options_.progress) options_.progress(where_);
  }

  const Options& options_;
  const int threads_;
  ModelPeers peers_;
  Report report_;
  Progress where_;
};

}  // namespace

Report run_models(const std::vector<std::string>& folders, const Options& options) {
  return ModelRunner(options).run(folders);
}

}  // namespace fovea::bench
