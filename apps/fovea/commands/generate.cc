// fovea generate: a model goes on writing.
#include <fmt/core.h>

#include "command.h"
#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/generation.h"
#include "fovea/json_writer.h"
#include "fovea/passed_on.h"
#include "inputs/beam_arguments.h"
#include "inputs/model_input.h"
#include "inputs/text_argument.h"
#include "inputs/type_argument.h"
#include "output/reading_notes.h"

namespace fovea::command {
namespace {

// Prints a text as it grows. A character whose last bytes are still to come is held back.
class GrowingText {
 public:
  GrowingText(const Context& context, const Tokenizer& tokenizer, std::vector<Index> ids)
      : context_(context), tokenizer_(tokenizer), ids_(std::move(ids)) {}

  void add(Index id) {
    ids_.push_back(id);
    show(tokenizer_.decode(ids_), false);
  }
  void start() { show(tokenizer_.decode(ids_), false); }
  void finish() { show(tokenizer_.decode(ids_), true); }

 private:
  void show(const std::string& text, bool all) {
    constexpr std::string_view kReplacement = "\uFFFD";
    if (text.size() <= shown_ || (!all && text.ends_with(kReplacement))) return;
    context_.print(std::string_view(text).substr(shown_));
    context_.out.flush();
    shown_ = text.size();
  }

  const Context& context_;
  const Tokenizer& tokenizer_;
  std::vector<Index> ids_;
  std::size_t shown_ = 0;
};

class GenerateCommand final : public Command {
 public:
  std::string name() const override { return "generate"; }
  Message summary() const override {
    return tr("continue a prompt with a model, and capture its attention");
  }
  Message description() const override {
    return tr(
        "PROMPT is a text, the name of a file, or - for standard input. Without --temperature the most "
        "likely token is always chosen. --capture saves queries, keys and values of every layer for the "
        "whole text, from which fovea can compute any weights later.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea generate --model stories15m \"Once upon a time\"", tr("a story, always the same one")},
            {"fovea generate --model stories15m --temperature 0.8 --top-p 0.9 --seed 7 \"Lily\"",
             tr("another one, sampled")},
            {"fovea generate --model t5-small --beams 4 \"translate English to German: I love you.\"",
             tr("the best of four texts that grow side by side")},
            {"fovea generate --model stories15m --weights int8 --cache int8 \"Once upon a time\"",
             tr("with a quarter of the memory; now and then another word")},
            {"fovea generate --model stories15m --capture run.safetensors \"The cat\"",
             tr("with all its attention in one file")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("PROMPT", 1, 1, prompt_, tr("a text, a file, or -"));
    declare_model(options, model_);
    options.require_last();
    load_.declare(options);
    options.integer("-n,--tokens", "N", tokens_, 0, 1 << 20,
                    tr("maximum number of new tokens; default: "
                       "200"));
    options.number("--temperature", "T", temperature_,
                   tr("sample: below 1 safer, above 1 wilder; default: 0, always the most likely token"));
    options.integer("--top-k", "K", top_k_, 0, INT32_MAX,
                    tr("sample from the K most likely tokens; "
                       "default: all"));
    options.number(
        "--top-p", "P", top_p_,
        tr("sample from the most likely tokens that together have this probability; default: 1"));
    beams_.declare(options);
    options.integer("--seed", "S", seed_, 0, INT64_MAX, tr("seed of the sampling; default: 0"));
    declare_type(options, "--cache", cache_,
                 tr("keep the keys and values of the text so far as float32, float16, bfloat16 or int8; "
                    "default: float32"));
    options.path("--capture", "FILE", capture_, tr("save the run to a .safetensors file"));
    options.flag("--json", json_, tr("print JSON"));
  }

  void run(const Context& context) override {
    check_command_line();
    const TextModel loaded = load_named_model(*model_, load_);
    const ModelConfig& config = loaded.model().config();
    if (!config.has_decoder()) {
      throw Error(fmt::format("[generate] {} is a {} model, an encoder: it cannot generate text",
                              loaded.model().name(), to_string(config.family)));
    }
    const bool reads_first = config.is_encoder_decoder();
    const Index room = reads_first ? 0 : 1;  // for one more token
    const Encoding prompt = loaded.encode({text_of_argument(prompt_.front())}, room);
    print_reading_notes(prompt.texts, context.language);
    GrowingText text(context, loaded.target_tokenizer(), reads_first ? std::vector<Index>() : prompt.ids);
    GenerationOptions options = generation_options();
    if (!json_) {
      text.start();
      options.on_token = [&](Index id) { text.add(id); };
    }
    const StopOnSignal interrupt;
    options.stop = interrupt.token();
    const Generation generated = generate(loaded.model(), prompt.ids, options);
    if (json_) {
      print_json(context, loaded, prompt, generated, options.beams);
    } else {
      text.finish();
      context.print("\n");
    }
    if (capture_) {
      Run run = loaded.read_generated(prompt, generated.ids).run;
      add_value_norms(loaded.model(), run);
      run.save(*capture_);
    }
    if (interrupt.token().stop_requested()) throw Stopped("[generate] stopped");
  }

 private:
  void check_command_line() const {
    if (temperature_ && !(*temperature_ >= 0 && *temperature_ <= 100)) {
      throw UsageError(fmt::format("--temperature: got {}, expected 0 to 100", *temperature_));
    }
    if (top_p_ && !(*top_p_ > 0 && *top_p_ <= 1)) {
      throw UsageError(fmt::format("--top-p: got {}, expected 0 < P ≤ 1", *top_p_));
    }
    beams_.check();
    if (beams_.searches() && (temperature_.value_or(0) > 0 || top_k_ || top_p_ || seed_)) {
      throw UsageError(
          "--beams does not sample: it goes without --temperature, --top-k, --top-p and --seed");
    }
    if (capture_ && !capture_->ends_with(".safetensors")) {
      throw UsageError(fmt::format("--capture: got \"{}\", expected a name ending in .safetensors",
                                   one_line(*capture_)));
    }
  }

  GenerationOptions generation_options() const {
    GenerationOptions options;
    options.max_tokens = tokens_.value_or(options.max_tokens);
    options.temperature = temperature_.value_or(0);
    options.top_k = top_k_.value_or(0);
    options.top_p = top_p_.value_or(1);
    beams_.apply(options);
    options.seed = static_cast<std::uint64_t>(seed_.value_or(0));
    options.cache = cache_.value_or(options.cache);
    return options;
  }

  static void print_json(const Context& context, const TextModel& loaded, const Encoding& prompt,
                         const Generation& generated, Index beams) {
    JsonWriter json;
    const auto integers = [&](const char* key, const std::vector<Index>& values) {
      json.key(key).begin_array();
      for (const Index value : values) json.integer(value);
      json.end_array();
    };
    json.begin_object();
    json.key("model").string(loaded.model().name());
    integers("prompt_ids", prompt.ids);
    integers("ids", generated.ids);
    json.key("ended").boolean(generated.ended);
    if (beams > 1) json.key("score").number(generated.score);
    json.key("text");
    std::vector<Index> all = prompt.ids;
    if (loaded.model().config().is_encoder_decoder()) all.clear();
    all.insert(all.end(), generated.ids.begin(), generated.ids.end());
    json.string(loaded.target_tokenizer().decode(all));
    json.end_object();
    context.print(json.take());
  }

  std::vector<std::string> prompt_;
  std::optional<std::string> model_, capture_;
  LoadArguments load_;
  std::optional<FloatType> cache_;
  std::optional<Index> tokens_, top_k_, seed_;
  std::optional<double> temperature_, top_p_;
  BeamArguments beams_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_generate_command() { return std::make_unique<GenerateCommand>(); }

}  // namespace fovea::command
