// fovea corpus: words of many texts, and how they attend to each other with random vectors.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "command.h"
#include "end_signal.h"
#include "fovea/attention.h"
#include "fovea/error.h"
#include "fovea/file.h"
#include "fovea/heatmap.h"
#include "fovea/json_writer.h"
#include "fovea/npz.h"
#include "fovea/random.h"
#include "fovea/terminal_picture.h"
#include "fovea/vocabulary.h"
#include "inputs/corpus_input.h"

namespace fovea::command {
namespace {

// The first words of each text, by their number in the counter, and the first text of all.
struct ReadCorpus {
  WordCounter counter;
  std::vector<std::vector<Index>> texts;
  std::string first;
  CorpusCounts counts;
};

ReadCorpus read_corpus(Corpus corpus, Index length, const std::stop_token& stop) {
  ReadCorpus read;
  CorpusText text;
  while (corpus.next(text)) {
    if (stop.stop_requested()) throw Stopped("[corpus] stopped");
    if (corpus.counts().texts == 1) read.first = text.text;
    std::vector<Index> words = read.counter.add(text.text, length);
    if (length > 0) read.texts.push_back(std::move(words));
  }
  read.counts = corpus.counts();
  return read;
}

// [texts, length]: cut, or filled up with <pad>.
Ids ids_of(const ReadCorpus& read, const Vocabulary& vocabulary, Index length) {
  const std::vector<Index> id_of_number = vocabulary.ids_of(read.counter);
  Ids ids = Ids::filled({static_cast<Index>(read.texts.size()), length}, Vocabulary::kPad);
  for (std::size_t t = 0; t < read.texts.size(); ++t) {
    for (std::size_t i = 0; i < read.texts[t].size(); ++i) {
      ids(static_cast<Index>(t), static_cast<Index>(i)) =
          id_of_number[static_cast<std::size_t>(read.texts[t][i])];
    }
  }
  return ids;
}

struct Attended {
  Tensor output;   // [texts, length, width]
  Tensor weights;  // [texts, length, length]
};

// Q = K = V = the vectors of the words, `batch` texts at a time.
Attended attend(const Ids& ids, const Tensor& vectors, Index batch, bool mask_pads,
                const std::stop_token& stop) {
  const Index texts = ids.shape()[0], length = ids.shape()[1], width = vectors.shape()[1];
  Attended all{Tensor::uninitialized({texts, length, width}),
               Tensor::uninitialized({texts, length, length})};
  for (Index begin = 0; begin < texts; begin += batch) {
    if (stop.stop_requested()) throw Stopped("[corpus] stopped");
    const Index count = std::min(batch, texts - begin);
    Tensor x = Tensor::uninitialized({count, length, width});
    Ids part = Ids::filled({count, length}, 0);
    for (Index at = 0; at < count * length; ++at) {
      const Index id = ids(begin + at / length, at % length);
      part(at / length, at % length) = id;
      std::copy_n(vectors.data() + id * width, width, x.data() + at * width);
    }
    AttentionOptions options;
    options.weights = true;
    if (mask_pads) options.mask = Mask::padding(part, Vocabulary::kPad);
    const AttentionResult result = attention(x, x, x, options);
    std::copy_n(result.output.data(), count * length * width, all.output.data() + begin * length * width);
    std::copy_n(result.weights.data(), count * length * length,
                all.weights.data() + begin * length * length);
  }
  return all;
}

// The first characters of a text, on one line.
std::string beginning(const std::string& text, std::size_t characters) {
  std::size_t at = 0;
  while (at < text.size() && characters > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    --characters;
  }
  return one_line(text.substr(0, at));
}

class CorpusCommand final : public Command {
 public:
  std::string name() const override { return "corpus"; }
  Message summary() const override { return tr("read many texts: their words, and attention over them"); }
  Message description() const override {
    return tr(
        "ACTION is attend PATH (lower case, split at white space; a vocabulary with <pad> 0, <unk> 1, then "
        "words by falling frequency; random vectors as NumPy's RandomState(S).randn(V, WIDTH); Q = K = V = "
        "the vectors of the first LENGTH words) or vocabulary PATH. PATH is the folder or .tgz of aclImdb or "
        "any other folder or tar of .txt files, a .csv, a .jsonl, a text with a line each, or - for standard "
        "input; gzip and zstd are unpacked on the way.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea corpus attend aclImdb -o out.npz", tr("output, weights and ids of 1,000 reviews, and "
                                                          "out.png, the heatmap of the first")},
            {"fovea corpus attend aclImdb.tgz --mask-pads", tr("no attention to the filling")},
            {"fovea corpus vocabulary reviews.csv --field review -o words.tsv",
             tr("all words with their counts")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("ACTION", 2, 2, words_, tr("attend PATH or vocabulary PATH"));
    options.suggest({"attend", "vocabulary"});
    options.suggest_files();
    corpus_.declare(options);
    options.integer("--length", "N", length_, 1, 4096, tr("attend: words of a text; default: 20"));
    options.integer("--width", "E", width_, 1, 4096, tr("attend: width of the vectors; default: 64"));
    options.integer("--batch", "N", batch_, 1, 1 << 16, tr("attend: texts at a time; default: 32"));
    options.integer("--seed", "S", seed_, 0, 0xFFFFFFFF, tr("attend: seed of the vectors; default: 42"));
    options.flag("--mask-pads", mask_pads_, tr("attend: hide the filling of short texts"));
    options.path(
        "--picture", "FILE", picture_,
        tr("attend: the heatmap of the first text, .png, .svg or .pdf; default: FILE of -o as .png"));
    options.integer("--min-count", "N", min_count_, 1, INT64_MAX, tr("leave out rarer words; default: 1"));
    options.integer("--max-size", "N", max_size_, 3, INT64_MAX, tr("at most N words, the most frequent"));
    options.path(
        "-o,--output", "FILE", output_,
        tr("attend: an .npz of output, weights and ids; vocabulary: a line per id, word TAB count"));
    options.flag("--json", json_, tr("vocabulary: machine-readable"));
  }

  void run(const Context& context) override {
    if (words_[0] == "attend") return run_attend(context);
    if (words_[0] == "vocabulary") return run_vocabulary(context);
    throw UsageError(
        fmt::format("ACTION: got \"{}\", expected attend PATH or vocabulary PATH", one_line(words_[0])));
  }

 private:
  void run_attend(const Context& context) const {
    if (output_ && !output_->ends_with(".npz")) {
      throw UsageError(
          fmt::format("-o: got \"{}\", expected a name that ends in .npz", one_line(*output_)));
    }
    const StopOnSignal interrupt;
    const Index length = length_.value_or(20), width = width_.value_or(64);
    const ReadCorpus read = read_corpus(corpus_.open(words_[1], 1000), length, interrupt.token());
    print_corpus_notes(read.counts, context.language);
    if (read.texts.empty()) throw Error(fmt::format("[corpus] {}: has no texts", words_[1]));
    const Vocabulary vocabulary =
        Vocabulary::of(read.counter, max_size_.value_or(0), min_count_.value_or(1));
    const Ids ids = ids_of(read, vocabulary, length);
    Random random = Random::numpy(static_cast<std::uint32_t>(seed_.value_or(42)));
    const Tensor vectors = random.randn({vocabulary.size(), width});
    Attended attended = attend(ids, vectors, batch_.value_or(32), mask_pads_, interrupt.token());

    context.line(context.say(tr("texts       {0}", read.texts.size())));
    context.line(context.say(tr("the first   {0}", beginning(read.first, 100))));
    context.line(context.say(tr("vocabulary  {0}", vocabulary.size())));
    context.line(context.say(tr("output      {0}", attended.output.shape().to_string())));
    context.line(context.say(tr("weights     {0}", attended.weights.shape().to_string())));
    context.out.flush();  // before the notes of what was written
    show(context, ids, vocabulary, attended.weights);
    if (!output_) return;
    NamedArrays arrays;
    arrays.add("output", std::move(attended.output));
    arrays.add("weights", std::move(attended.weights));
    arrays.add("ids", ids);
    save_npz(*output_, arrays);
    print_message(fmt::format("output, weights, ids → {}", *output_));
  }

  // The heatmap of the first text, in a file or in the terminal.
  void show(const Context& context, const Ids& ids, const Vocabulary& vocabulary,
            const Tensor& weights) const {
    HeatmapOptions options;
    for (Index i = 0; i < ids.shape()[1]; ++i) options.keys.push_back(vocabulary.word(ids(0, i)));
    options.queries = options.keys;
    options.key_title = "Key Tokens";
    options.query_title = "Query Tokens";
    options.colormap = "viridis";
    options.language = context.language;
    options.values = ids.shape()[1] <= 24;
    const ConstView first = weights.view().select(0, 0);
    std::string path = picture_.value_or("");
    if (path.empty() && output_) path = std::filesystem::path(*output_).replace_extension(".png").string();
    if (path.empty()) {
      context.line();
      context.print(to_terminal(terminal_heatmap(first, options), {.colors = terminal_colors(context.color),
                                                                   .width = context.width,
                                                                   .language = context.language}));
      return;
    }
    save_figure(path, heatmap(first, options));
    print_message(fmt::format("heatmap → {}", path));
  }

  void run_vocabulary(const Context& context) const {
    const StopOnSignal interrupt;
    const ReadCorpus read = read_corpus(corpus_.open(words_[1]), 0, interrupt.token());
    print_corpus_notes(read.counts, context.language);
    const Vocabulary vocabulary =
        Vocabulary::of(read.counter, max_size_.value_or(0), min_count_.value_or(1));
    if (output_) {
      std::string lines;
      for (Index id = 0; id < vocabulary.size(); ++id) {
        lines += fmt::format("{}\t{}\n", vocabulary.word(id), vocabulary.count(id));
      }
      write_file(*output_, lines);
      print_message(fmt::format("{} words → {}", vocabulary.size(), *output_));
    }
    constexpr Index kShown = 20;
    const Index shown = std::min(vocabulary.size(), kShown + 2);
    if (json_) return print_json(context, read, vocabulary, shown);
    context.line(context.say(tr("texts       {0}", read.counts.texts)));
    context.line(
        context.say(tr("words       {0}, {1} distinct", read.counter.words(), read.counter.distinct())));
    context.line(context.say(tr("vocabulary  {0}", vocabulary.size())));
    for (Index id = 0; id < shown; ++id) {
      context.line(
          fmt::format("{:>6}  {:>9}  {}", id, vocabulary.count(id), one_line(vocabulary.word(id))));
    }
  }

  static void print_json(const Context& context, const ReadCorpus& read, const Vocabulary& vocabulary,
                         Index shown) {
    JsonWriter json;
    json.begin_object();
    json.key("texts").integer(read.counts.texts);
    json.key("empty").integer(read.counts.empty);
    json.key("repaired").integer(read.counts.repaired);
    json.key("broken").integer(read.counts.broken);
    json.key("words").integer(read.counter.words());
    json.key("distinct").integer(read.counter.distinct());
    json.key("vocabulary").integer(vocabulary.size());
    json.key("first").begin_array();
    for (Index id = 0; id < shown; ++id) {
      json.begin_object();
      json.key("id").integer(id);
      json.key("word").string(vocabulary.word(id));
      json.key("count").integer(vocabulary.count(id));
      json.end_object();
    }
    json.end_array();
    json.end_object();
    context.print(json.take());
  }

  std::vector<std::string> words_;
  CorpusInput corpus_;
  std::optional<Index> length_, width_, batch_, seed_, min_count_, max_size_;
  std::optional<std::string> output_, picture_;
  bool mask_pads_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_corpus_command() { return std::make_unique<CorpusCommand>(); }

}  // namespace fovea::command
