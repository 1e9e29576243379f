#include <cmath>
#include <utility>

#include "core/dropout.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/train.h"
#include "train/network.h"

namespace fovea {
namespace {

// Streams that never meet: batches to learn from, held-out ones, dropout.
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) {
  return mix_bits(mix_bits(seed) + stream);
}
constexpr std::uint64_t kLearned = 0, kHeldOut = 1, kDropout = 2;

void check_training_options(const TrainingOptions& o) {
  if (o.steps < 0 || o.accumulate < 1 || o.warmup < 0 || o.evaluate_every < 0 || o.evaluation_batches < 1 ||
      o.patience < 0) {
    fail(
        "[train] {} steps, {} batches per step, {} steps of warm-up, an evaluation of {} batches every {} "
        "steps, patience {}: expected one batch or more, and nothing negative",
        o.steps, o.accumulate, o.warmup, o.evaluation_batches, o.evaluate_every, o.patience);
  }
  const bool fine = o.rate > 0 && std::isfinite(o.rate) && o.last_rate >= 0 && o.last_rate <= 1 &&
                    o.clip >= 0 && std::isfinite(o.clip) && o.label_smoothing >= 0 && o.label_smoothing < 1;
  if (!fine) {
    fail(
        "[train] rate {}, last rate {}, clip {}, label smoothing {}: expected a positive rate, a share of "
        "it, a norm, and a share below 1",
        o.rate, o.last_rate, o.clip, o.label_smoothing);
  }
}

Index count_targets(const TrainingBatch& batch) {
  Index count = 0;
  for (const Index target : batch.targets.values()) count += target != kIgnored;
  return count;
}

// What of a step is not finite, for the message.
std::string not_finite_gradients(const TrainableModel& model) {
  std::string names;
  Index more = 0;
  for (const TrainableParameter& parameter : model.parameters()) {
    const ConstView g = model.gradient(parameter.name);
    bool finite = true;
    for (Index i = 0; i < parameter.shape.elements(); ++i) finite = finite && std::isfinite(g.data()[i]);
    if (finite) continue;
    if (names.size() < 150) {
      names += (names.empty() ? "" : ", ") + parameter.name;
    } else {
      ++more;
    }
  }
  return more == 0 ? names : fmt::format("{} and {} more", names, more);
}

}  // namespace

TrainingData::~TrainingData() = default;

Trainer::Trainer(TrainableModel model, const TrainingOptions& options,
                 std::shared_ptr<const TrainingData> data, std::shared_ptr<const TrainingData> held_out)
    : model_(std::move(model)),
      options_(options),
      data_(std::move(data)),
      held_out_(std::move(held_out)),
      optimizer_(model_, options.adamw) {
  check_training_options(options);
  if (data_ == nullptr) fail("[train] there is no data to train on");
}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

TrainingStep Trainer::train_step(const std::stop_token& stop) {
  const Index done = step();
  TrainingStep result;
  result.step = done + 1;
  result.rate = rate_at(options_, done);

  // All batches of the step, to know by how many targets the loss is divided.
  std::vector<TrainingBatch> batches;
  for (Index i = 0; i < options_.accumulate; ++i) {
    batches.push_back(data_->batch(stream_seed(options_.seed, kLearned), done * options_.accumulate + i));
    result.targets += count_targets(batches.back());
    result.tokens += batches.back().ids.values().size() + batches.back().decoder_ids.values().size();
  }
  LossOptions loss;
  loss.label_smoothing = options_.label_smoothing;
  loss.dropout = true;
  loss.denominator = result.targets;
  loss.recompute = options_.recompute;
  loss.stop = stop;

  model_.zero_gradients();
  double sum = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    loss.seed =
        stream_seed(options_.seed, kDropout + static_cast<std::uint64_t>(done * options_.accumulate) + i);
    const LossResult part = model_.add_gradients(batches[i], loss);
    sum += part.sum;
    result.correct += part.correct;
    if (std::isfinite(part.sum)) continue;
    const std::string place = model_.network().first_not_finite(batches[i], loss);
    fail("[train] step {}: the loss is {}; {}", result.step, std::isnan(part.sum) ? "nan" : "infinite",
         place.empty() ? "the logits overflow" : place + " is not finite");
  }
  result.loss = result.targets == 0 ? 0 : sum / static_cast<double>(result.targets);
  result.gradient_norm = gradient_norm(model_);
  if (!std::isfinite(result.gradient_norm)) {
    const std::string names = not_finite_gradients(model_);
    fail("[train] step {}: the loss is {:.6g}, but the gradient is not finite: {}", result.step,
         result.loss, names.empty() ? "its square overflows" : names);
  }
  const bool clipped = options_.clip > 0 && result.gradient_norm > options_.clip;
  optimizer_.step(model_, result.rate, clipped ? options_.clip / result.gradient_norm : 1);
  return result;
}

TrainingEvaluation Trainer::evaluate(const std::stop_token& stop) {
  if (held_out_ == nullptr) fail("[train] there is no held-out data to evaluate on");
  LossOptions loss;
  loss.stop = stop;
  LossResult total;
  for (Index i = 0; i < options_.evaluation_batches; ++i) {
    const LossResult part = model_.loss(held_out_->batch(stream_seed(options_.seed, kHeldOut), i), loss);
    total.sum += part.sum;
    total.targets += part.targets;
    total.correct += part.correct;
  }
  TrainingEvaluation result = {step(), total.mean(), 0, false};
  if (total.targets > 0) {
    result.accuracy = static_cast<double>(total.correct) / static_cast<double>(total.targets);
  }
  result.best = result.loss < best_loss_;
  if (result.best) best_loss_ = result.loss;
  evaluations_without_better_ = result.best ? 0 : evaluations_without_better_ + 1;
  return result;
}

TrainingEnd Trainer::run(const TrainingRun& run) {
  const auto save = [&] {
    if (run.checkpoint.empty()) return;
    if (run.before_checkpoint) run.before_checkpoint();
    save_checkpoint(run.checkpoint);
  };
  // A checkpoint may have been written after its patience was over.
  const auto over = [&] {
    return options_.patience > 0 && evaluations_without_better_ >= options_.patience;
  };
  try {
    while (step() < options_.steps && !over()) {
      check_stop(run.stop, "train");
      const TrainingStep done = train_step(run.stop);
      if (run.on_step) run.on_step(done);
      if (held_out_ != nullptr && options_.evaluate_every > 0 && step() % options_.evaluate_every == 0) {
        const TrainingEvaluation evaluation = evaluate();
        if (run.on_evaluation) run.on_evaluation(evaluation);
      }
      if (run.checkpoint_every > 0 && step() % run.checkpoint_every == 0 && step() < options_.steps) save();
    }
  } catch (const Stopped&) {
    save();
    throw;
  }
  save();
  return over() && step() < options_.steps ? TrainingEnd::early : TrainingEnd::finished;
}

}  // namespace fovea
