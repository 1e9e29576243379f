#include "commands/train/session.h"

#include <fmt/core.h>

#include <filesystem>
#include <limits>

#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "fovea/json_writer.h"
#include "fovea/text_pairs.h"
#include "output/training_progress.h"

namespace fovea::command {
namespace {

TrainingOptions options_of(const TrainSettings& settings, const PreparedTask& task) {
  TrainingOptions options;
  options.steps = settings.steps;
  options.rate = settings.rate;
  options.warmup = settings.warmup;
  options.adamw.weight_decay = settings.weight_decay;
  options.seed = static_cast<std::uint64_t>(settings.seed);
  options.evaluate_every = settings.evaluate_every;
  options.evaluation_batches = task.held_out_batches;
  options.label_smoothing = task.label_smoothing;
  return options;
}

// transformers takes the tokenizer as it is, instead of the one that usually goes with the layout.
std::string tokenizer_config_json(const Tokenizer& tokenizer, Index max_tokens) {
  JsonWriter json;
  json.begin_object();
  json.key("tokenizer_class").string("PreTrainedTokenizerFast");
  json.key("model_max_length").integer(max_tokens);
  json.key("clean_up_tokenization_spaces").boolean(false);
  if (tokenizer.token_to_id("<unk>")) json.key("unk_token").string("<unk>");
  if (tokenizer.token_to_id("<pad>")) json.key("pad_token").string("<pad>");
  if (tokenizer.token_to_id("<mask>")) json.key("mask_token").string("<mask>");
  if (tokenizer.token_to_id("<pad>")) json.key("pad_token").string("<pad>");
  if (tokenizer.token_to_id("</s>")) json.key("eos_token").string("</s>");
  json.end_object();
  return json.take();
}

std::string stored_tokenizer(const TrainFolder& folder, bool resume) {
  return resume ? read_file(folder.tokenizer()) : "";
}

}  // namespace

TrainSession::TrainSession(const TrainSettings& settings, const TrainFolder& folder, bool resume)
    : settings_(settings),
      folder_(folder),
      resume_(resume),
      task_(prepare_task(settings, stored_tokenizer(folder, resume))),
      trainer_(make_trainer()),
      tokenizer_(Tokenizer::from_json(task_.tokenizer)) {
  start_film();
  if (!resume) write_beginning();
}

Trainer TrainSession::make_trainer() const {
  if (resume_ && folder_.has_checkpoint()) {
    return Trainer::load_checkpoint(folder_.checkpoint(), task_.data, task_.held_out);
  }
  TrainableModel model(task_.config, Random(static_cast<std::uint64_t>(settings_.seed)));
  return Trainer(std::move(model), options_of(settings_, task_), task_.data, task_.held_out);
}

void TrainSession::write_beginning() const {
  folder_.prepare();
  write_file(folder_.tokenizer(), task_.tokenizer);
  write_file(folder_.tokenizer_config(), tokenizer_config_json(tokenizer_, task_.config.max_tokens));
  for (const auto& [name, contents] : task_.files) write_file(folder_.path() + "/" + name, contents);
  write_file(folder_.settings(), settings_json(settings_));  // last: now it can be resumed
}

void TrainSession::start_film() {
  if (settings_.film.empty()) return;
  std::error_code ignored;
  if (resume_ && std::filesystem::exists(folder_.film(), ignored)) {
    film_ = Film::load(folder_.film());
    film_.rewind(trainer_.step());
    if (!film_.frames().empty()) return;
  }
  film_ = Film(settings_.film);
  if (trainer_.step() == 0) film_step(0, std::numeric_limits<double>::quiet_NaN());
}

// Of a translation both sides: what a model in training writes by itself is another text in every frame.
std::vector<std::string> TrainSession::film_sides(const std::string& text) const {
  if (settings_.task != "translate") return {text};
  const TextPairs read = parse_text_pairs(text);
  return {read.pairs.front().source, read.pairs.front().target};  // settings_of() has checked it
}

void TrainSession::film_step(Index step, double loss) {
  const TextModel model(trainer_.model().to_model(settings_.task), tokenizer_);
  std::vector<Run> runs;
  for (const std::string& text : settings_.film) runs.push_back(model.read(film_sides(text)).run);
  film_.append(step, loss, runs);
}

void TrainSession::train(const Context& context, Index checkpoint_every, bool quiet) {
  TrainingLog log(folder_.log(), trainer_.step());
  TrainingProgress progress(trainer_.step(), settings_.steps, context.language);
  TrainingRun run;
  run.checkpoint = folder_.checkpoint();
  run.checkpoint_every = checkpoint_every;
  run.on_step = [&](const TrainingStep& step) {
    last_loss_ = step.loss;
    log.add(step);
    progress.show(step);
    if (settings_.film.empty()) return;
    film_.add_loss(step.step, step.loss);
    if (step.step % settings_.film_every == 0 || step.step == settings_.steps)
      film_step(step.step, step.loss);
  };
  run.on_evaluation = [&](const TrainingEvaluation& evaluation) {
    log.add(evaluation);
    if (quiet) return;
    progress.clear();
    context.line(context.say(tr("step {0:>6}: loss {1:.4f}, on held-out data {2:.4f}, {3:.2f} % right",
                                evaluation.step, last_loss_, evaluation.loss, 100 * evaluation.accuracy)));
    context.out.flush();
  };
  run.before_checkpoint = [&] {
    if (!settings_.film.empty()) film_.save(folder_.film());
    log.synchronize();
  };
  const StopOnSignal interrupt;
  run.stop = interrupt.token();
  end_ = trainer_.run(run);
  seconds_ = progress.seconds();
  tokens_per_second_ = progress.tokens_per_second();
}

void TrainSession::run(const Context& context, Index checkpoint_every, bool json) {
  for (const Message& note : task_.notes) print_message("fovea: " + context.say(note));
  if (!json) {
    const Message begins =
        trainer_.step() == 0
            ? tr("{0}, {1}: {2} × {3} heads, {4} parameters; {5} steps", settings_.task, settings_.family,
                 settings_.layers, settings_.heads, trainer_.model().parameter_count(), settings_.steps)
            : tr("{0} continues after step {1} of {2}", settings_.task, trainer_.step(), settings_.steps);
    context.line(context.say(begins));
    context.out.flush();
  }
  try {
    train(context, checkpoint_every, json);
  } catch (const Stopped&) {
    print_message(
        context.say(tr("fovea: stopped after step {0}; continue with: fovea train --resume --out {1}",
                       trainer_.step(), folder_.path())));
    throw;
  }
  finish(context, json);
}

void TrainSession::finish(const Context& context, bool json) {
  const TrainingEvaluation last = trainer_.evaluate();
  const TaskResult result = task_.examine(trainer_.model());
  save_pretrained(folder_.path(), trainer_.model(), {.half = settings_.half});
  if (json) {
    print_json(context, last, result);
  } else {
    print_summary(context, last, result);
  }
}

void TrainSession::print_summary(const Context& context, const TrainingEvaluation& last,
                                 const TaskResult& result) const {
  context.line(context.say(tr("held-out loss {0:.4f}, {1:.2f} % right", last.loss, 100 * last.accuracy)));
  context.line(context.say(result.says));
  if (tokens_per_second_ > 0) {
    context.line(context.say(tr("{0:.1f} s, {1:.0f} tokens per second", seconds_, tokens_per_second_)));
  }
  context.line(context.say(
      tr("saved in {0}: fovea generate --model {0} .., fovea plot training {0}", folder_.path())));
  if (!settings_.film.empty()) {
    context.line(context.say(tr("the film: fovea view --film {0} -o film.html", folder_.film())));
  }
}

void TrainSession::print_json(const Context& context, const TrainingEvaluation& last,
                              const TaskResult& result) const {
  JsonWriter json;
  json.begin_object();
  json.key("task").string(settings_.task);
  json.key("family").string(settings_.family);
  json.key("folder").string(folder_.path());
  json.key("parameters").integer(trainer_.model().parameter_count());
  json.key("steps").integer(trainer_.step());
  json.key("held_out").begin_object();
  json.key("loss").number(last.loss);
  json.key("accuracy").number(last.accuracy);
  json.end_object();
  json.key("result").begin_object();
  for (const auto& [name, value] : result.numbers) json.key(name).number(value);
  json.end_object();
  json.key("seconds").number(seconds_);
  json.key("tokens_per_second").number(tokens_per_second_);
  json.end_object();
  context.print(json.take());
}

}  // namespace fovea::command
