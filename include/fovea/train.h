// Training: AdamW, learning-rate schedules, clipping, evaluation, and checkpoints that resume bit for
// bit.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>

#include "fovea/api.h"
#include "fovea/tensor.h"
#include "fovea/trainable_model.h"

namespace fovea {

// Where batches come from. A batch is a function of seed and number alone, so no position has to be
// stored, and training resumes from a checkpoint with exactly the batches it would have seen.
class FOVEA_API TrainingData {
 public:
  virtual ~TrainingData();
  virtual TrainingBatch batch(std::uint64_t seed, Index number) const = 0;
};

struct FOVEA_API AdamWOptions {
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
  double weight_decay = 0.1;  // of matrices; biases and norms do not decay
};

// Adam with decoupled weight decay: two moments per parameter.
class FOVEA_API AdamW {
 public:
  explicit AdamW(const TrainableModel& model, const AdamWOptions& options = {});

  // One step with the model's gradients times `gradient_scale`.
  void step(TrainableModel& model, double rate, double gradient_scale = 1);

  Index steps() const { return steps_; }
  const AdamWOptions& options() const { return options_; }

  // The moments of all parameters in the model's own order, and how many steps made them.
  const Tensor& first() const { return first_; }
  const Tensor& second() const { return second_; }
  void restore(Tensor first, Tensor second, Index steps);  // throws Error for other sizes

 private:
  AdamWOptions options_;
  Tensor first_, second_;
  Index steps_ = 0;
};

// √Σ g² over all gradients; infinite or NaN if one is.
FOVEA_API double gradient_norm(const TrainableModel& model);

enum class RateDecay { constant, linear, cosine };

struct FOVEA_API TrainingOptions {
  Index steps = 1000;
  Index accumulate = 1;  // batches that make one step, as if they were one batch

  double rate = 1e-3;  // the highest
  Index warmup = 0;    // steps in which the rate rises to it
  RateDecay decay = RateDecay::cosine;
  double last_rate = 0.1;  // of `rate`, after the last step

  AdamWOptions adamw = {};
  double clip = 1;  // the gradient's norm is limited to this; 0: no limit
  float label_smoothing = 0;
  bool recompute = false;  // see LossOptions
  std::uint64_t seed = 0;  // of batches and dropout

  Index evaluate_every = 0;      // steps; 0: only on request
  Index evaluation_batches = 8;  // of the held-out data
  Index patience = 0;            // stop after so many evaluations that found nothing better; 0: never
};

// The learning rate of a step, counted from 0: up a line, then along the decay.
FOVEA_API double rate_at(const TrainingOptions& options, Index step);

struct FOVEA_API TrainingStep {
  Index step = 0;  // done with this one: 1, 2, ..
  double loss = 0, rate = 0;
  double gradient_norm = 0;  // before it was clipped
  Index tokens = 0;          // of its batches, pads included
  Index targets = 0, correct = 0;
};

struct FOVEA_API TrainingEvaluation {
  Index step = 0;
  double loss = 0;
  double accuracy = 0;  // share of targets that were the most likely token
  bool best = false;    // so far
};

enum class TrainingEnd { finished, early };  // all steps done; patience over

// What happens around the steps of Trainer::run.
struct FOVEA_API TrainingRun {
  std::function<void(const TrainingStep&)> on_step = {};
  std::function<void(const TrainingEvaluation&)> on_evaluation = {};
  std::string checkpoint = {};  // file; "": none
  Index checkpoint_every = 0;   // steps; 0: only when the run ends or is stopped
  // Called before a checkpoint is written: whatever must not be older than it, a film for instance, is
  // saved here. If it throws, the checkpoint before stays.
  std::function<void()> before_checkpoint = {};
  std::stop_token stop = {};
};

// A model in training. Everything random is a function of seed and step: two trainers with the same model,
// options and data have the same bits after every step, whatever the threads, and so has one that was saved
// and loaded in between.
class FOVEA_API Trainer {
 public:
  // Throws Error for invalid options. Without held-out data there is no evaluation.
  Trainer(TrainableModel model, const TrainingOptions& options, std::shared_ptr<const TrainingData> data,
          std::shared_ptr<const TrainingData> held_out = nullptr);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  TrainableModel& model() { return model_; }
  const TrainableModel& model() const { return model_; }
  const TrainingOptions& options() const { return options_; }
  Index step() const { return optimizer_.steps(); }  // steps done

  // One step. If the loss or a gradient is not finite, throws Error with the step and the layer or
  // parameter, and leaves all parameters as they were; so it does when it is stopped.
  TrainingStep train_step(const std::stop_token& stop = {});
  // The loss on held-out data; counts for `best` and patience.
  TrainingEvaluation evaluate(const std::stop_token& stop = {});

  // All steps that are left. A stop request throws Stopped, after the checkpoint was written.
  TrainingEnd run(const TrainingRun& run = {});

  // Parameters, moments, step, options, and what early stopping knows, in one safetensors file, written
  // completely or not at all.
  void save_checkpoint(const std::string& path) const;
  // Resumes where it stopped. Throws Error for inconsistent files.
  static Trainer load_checkpoint(const std::string& path, std::shared_ptr<const TrainingData> data,
                                 std::shared_ptr<const TrainingData> held_out = nullptr);

 private:
  TrainableModel model_;
  TrainingOptions options_;
  std::shared_ptr<const TrainingData> data_, held_out_;
  AdamW optimizer_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  Index evaluations_without_better_ = 0;
};

struct FOVEA_API PretrainedOptions {
  bool half = false;  // float16 instead of float32
};

// A folder in Hugging Face's layout: config.json and model.safetensors, each written completely or not at
// all; created if necessary. A tokenizer.json may be put beside them. load_model and transformers read it.
// Throws Error for a parameter that float16 cannot hold.
FOVEA_API void save_pretrained(const std::string& folder, const TrainableModel& model,
                               const PretrainedOptions& options = {});

// Such a folder to be trained further, or to be changed: GPT-2's, Llama's, BERT's and BART's layouts, one
// model.safetensors in float32 or float16. Throws Error with everything that is missing or does not fit,
// and for what training has no layer for.
FOVEA_API TrainableModel load_pretrained(const std::string& folder);

}  // namespace fovea
