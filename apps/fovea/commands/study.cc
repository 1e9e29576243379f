// fovea study: every head of a model over a corpus.
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <filesystem>

#include "command.h"
#include "commands/study/views.h"
#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "fovea/measure_definitions.h"
#include "inputs/corpus_input.h"
#include "inputs/model_input.h"
#include "output/study_progress.h"

namespace fovea::command {
namespace {

struct Shard {
  Index number = 1, of = 1;
};

// "2/7"
Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
  const auto of = slash ? std::from_chars(number.ptr + 1, end, shard.of) : number;
  const bool fits = slash && of.ec == std::errc() && of.ptr == end && shard.number >= 1 &&
                    shard.number <= shard.of && shard.of <= 1 << 20;
  if (!fits) throw UsageError(fmt::format("--shard: got \"{}\", expected I/N, as in 2/7", one_line(text)));
  return shard;
}

class StudyCommand final : public Command {
 public:
  std::string name() const override { return "study"; }
  Message summary() const override { return tr("measure every head of a model over a corpus"); }
  Message description() const override {
    return tr(
        "WHAT is a corpus (as in fovea corpus), which is studied with --model and written to -o; merge FILE "
        "..; show FILE; or atlas FILE (a document about every head). For each head: every measure with mean, "
        "deviation and quantiles, by position and kind of token; weight by distance; tokens that receive "
        "most; strongest places; roles and the share of texts in which they hold; similarity of heads. "
        "Stopped or killed, the same command goes on where it was. A study has the same bits in any order "
        "of texts, on any number of threads and merged from any shards.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea study --model minilm aclImdb.tgz -o study.safetensors", tr("study a model")},
            {"fovea study --model minilm texts.jsonl --shard 1/3 -o part1.safetensors",
             tr("a third of it, for one of three machines")},
            {"fovea study merge part1.safetensors part2.safetensors part3.safetensors -o study.safetensors",
             tr("the same bits as in one go")},
            {"fovea study show study.safetensors --head L2H3", tr("all that is known of one head")},
            {"fovea study show study.safetensors --picture similarity -o similar.png",
             tr("which heads are alike")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("WHAT", 1, 1 << 16, words_, tr("a corpus; merge, show or atlas with files"));
    options.suggest({"merge", "show", "atlas"});
    options.suggest_files();
    declare_model(options, model_);
    load_.declare(options);
    corpus_.declare(options);
    options.path("-o,--output", "FILE", output_,
                 tr("the study, a .safetensors file; show: a picture; atlas: a .md file"));
    options.integer("--length", "N", length_, 2, 4096, tr("tokens read of each text; default: 128"));
    options.integer("--compare", "N", compare_, 0, 4096,
                    tr("rows of each text that are compared between all heads; default: 2"));
    options.text("--shard", "I/N", shard_, tr("only every N-th text, beginning with the I-th"));
    options.flag("--restart", restart_, tr("do not go on from where it was stopped"));
    options.number("--save-every", "SECONDS", save_every_,
                   tr("how often to note how far it is; default: 60"));
    options.text("--head", "LlHh", head_, tr("show: one head, as in L2H3"));
    options.choice("--picture", {"measure", "distances", "positions", "similarity"}, picture_,
                   tr("show: a picture, with -o in a file"));
    options.text("--measure", "NAME", measure_, tr("show: the measure of the picture; default: entropy"));
    options.flag("--json", json_, tr("show: machine-readable"));
  }

  void run(const Context& context) override {
    const std::string action = words_[0];
    if (action == "merge") return merge(context);
    if (action == "show") return show(context);
    if (action == "atlas") return atlas(context);
    if (words_.size() != 1) {
      throw UsageError("WHAT: got several words, expected one corpus, or merge, show or atlas with files");
    }
    study(context);
  }

 private:
  const std::string& output() const {
    if (!output_) throw UsageError("-o is missing: the file to write");
    return *output_;
  }

  void study(const Context& context) const {
    if (!model_) throw UsageError("--model is missing: the model to study");
    const std::string& path = output();
    const TextModel model = load_named_model(*model_, load_);
    StudyRunOptions options;
    options.study.length = length_.value_or(std::min<Index>(128, model.model().config().max_tokens));
    options.study.similarity_rows = compare_.value_or(2);
    options.study.corpus = std::filesystem::path(words_[0]).lexically_normal().filename().string();
    const Shard shard = shard_ ? parse_shard(*shard_) : Shard{};
    options.shard = shard.number, options.shards = shard.of;
    options.checkpoint = path + ".partial";
    options.checkpoint_seconds = save_every_.value_or(60);
    if (restart_) std::filesystem::remove(options.checkpoint);
    const bool going_on = std::filesystem::exists(options.checkpoint);
    if (going_on) print_message(fmt::format("fovea: going on from {}", options.checkpoint));
    Corpus corpus = corpus_.open(words_[0]);
    const auto start = std::chrono::steady_clock::now();
    Index measured = 0;
    std::optional<Study> study;
    {
      const StopOnSignal interrupt;
      StudyProgressLine line(context.language);
      options.stop = interrupt.token();
      options.progress = [&](const StudyProgress& progress) {
        measured = progress.measured;
        line.show(progress);
      };
      try {
        study.emplace(study_corpus(model, corpus, options));
      } catch (const Stopped&) {
        print_message("fovea: " + tr("the same command goes on from here").in(context.language));
        throw;
      }
    }
    print_corpus_notes(corpus.counts(), context.language);
    study->save(path);
    std::filesystem::remove(options.checkpoint);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    print_study_summary(context, *study);
    print_message(tr("{0} texts in {1:.1f} s, {2:.1f} texts/s → {3}", measured, seconds,
                     static_cast<double>(measured) / seconds, path)
                      .in(context.language));
  }

  void merge(const Context& context) const {
    if (words_.size() < 2) throw UsageError("merge: got no files");
    const std::string& path = output();
    Study all = Study::load(words_[1]);
    for (std::size_t i = 2; i < words_.size(); ++i) {
      try {
        all.merge(Study::load(words_[i]));
      } catch (const Error& error) {
        throw Error(fmt::format("{} ({})", error.what(), words_[i]));
      }
    }
    all.save(path);
    print_study_summary(context, all);
    print_message(fmt::format("{} → {}", words_.size() - 1, path));
  }

  Study the_study(const char* action) const {
    if (words_.size() != 2) throw UsageError(fmt::format("{}: expected one file", action));
    return Study::load(words_[1]);
  }

  void show(const Context& context) const {
    const Study study = the_study("show");
    const std::optional<Index> head = head_ ? std::optional(head_of_name(study, *head_)) : std::nullopt;
    if (!picture_.empty()) {
      Measure measure = Measure::entropy;
      if (measure_) measure = studied_measure(*measure_);
      return show_study_picture(context, study, picture_, measure, output_.value_or(""));
    }
    if (json_) {
      const std::string json = study_json(study, head);
      if (output_) return write_file(*output_, json);
      return context.print(json);
    }
    if (output_) throw UsageError("show: -o needs --picture or --json");
    print_study_summary(context, study);
    context.line();
    if (head) {
      print_study_head(context, study, *head);
    } else {
      print_study_heads(context, study);
    }
  }

  static Measure studied_measure(const std::string& name) {
    std::string names;
    for (const Measure measure : study_measures()) {
      if (measure_definition(measure).name == name) return measure;
      names += (names.empty() ? "" : ", ") + measure_definition(measure).name;
    }
    throw UsageError(fmt::format("--measure: got \"{}\", expected {}", one_line(name), names));
  }

  void atlas(const Context& context) const {
    const Study study = the_study("atlas");
    const std::string text = study_atlas(study, context.language);
    if (!output_) return context.print(text);
    write_file(*output_, text);
    print_message(fmt::format("atlas → {}", *output_));
  }

  std::vector<std::string> words_;
  CorpusInput corpus_;
  std::optional<std::string> model_, output_, shard_, head_, measure_;
  LoadArguments load_;
  std::optional<Index> length_, compare_;
  std::optional<double> save_every_;
  std::string picture_;
  bool restart_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_study_command() { return std::make_unique<StudyCommand>(); }

}  // namespace fovea::command
