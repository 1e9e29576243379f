// fovea tokens: what a model's tokenizer makes of a text.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "command.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/render.h"
#include "fovea/tokenizer.h"
#include "inputs/model_store.h"
#include "inputs/text_argument.h"
#include "output/reading_notes.h"

namespace fovea::command {
namespace {

// One text, or a pair.
using Input = std::vector<std::string>;

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class Number>
void write_integers(JsonWriter& json, const char* key, const std::vector<Number>& values) {
  json.key(key).integers({values.begin(), values.end()});
}

void write_spans(JsonWriter& json, const char* key, const std::vector<TextSpan>& spans) {
  json.key(key).begin_array();
  for (const TextSpan& span : spans) json.integers({span.begin, span.end});
  json.end_array();
}

std::string json_line(const Tokenizer& tokenizer, const Encoding& encoding) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  write_integers(json, "ids", encoding.ids);
  json.key("tokens").strings(encoding.tokens);
  write_spans(json, "bytes", encoding.bytes);
  write_spans(json, "characters", encoding.characters);
  write_integers(json, "type_ids", encoding.type_ids);
  write_integers(json, "text_ids", encoding.text_ids);
  write_integers(json, "word_ids", encoding.word_ids);
  write_integers(json, "special_mask", encoding.special_mask);
  json.key("cut").integer(encoding.cut);
  write_json(json.key("unknown"), encoding.unknown);
  write_json(json.key("texts"), encoding.texts);
  json.key("decoded").string(tokenizer.decode(encoding.ids));
  json.end_object();
  return json.take();
}

TextReading sum_of(const std::vector<TextReading>& readings) {
  TextReading sum;
  for (const TextReading& each : readings) {
    sum.characters += each.characters;
    sum.unknown_characters += each.unknown_characters;
    sum.tokens += each.tokens;
    sum.tokens_read += each.tokens_read;
    sum.unknown_token = each.unknown_token;  // all of one tokenizer
  }
  return sum;
}

using Row = std::vector<std::string>;

// Aligned columns, the first row above a rule. Numbers (all but the texts in columns 0 and 2) stand right.
std::string aligned(std::vector<Row> rows) {
  std::vector<int> widths(rows.front().size());
  for (Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = one_line(row[i]);
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  Row rule;
  for (const int width : widths) rule.emplace_back(static_cast<std::size_t>(width), '-');
  rows.insert(rows.begin() + 1, rule);
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") +
              (i == 0 || i == 2 ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]));
    }
    text += line + "\n";
  }
  return text;
}

class TokensCommand final : public Command {
 public:
  std::string name() const override { return "tokens"; }
  Message summary() const override { return tr("tokenize a text, or turn ids back into text"); }
  Message description() const override {
    return tr(
        "TEXT is a text, the name of a file, or - for standard input; two texts make a pair. PATH is a "
        "model's folder, or its tokenizer.json, vocab.txt, vocab.json (with merges.txt), spiece.model, "
        "tokenizer.model or tokenizer.bin. Offsets start at 0; the end is exclusive.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea tokens --tokenizer minilm/ \"Attention is all you need\"",
             tr("a table of tokens, ids and offsets")},
            {"fovea tokens --tokenizer tokenizer.json --ids - < text.txt", tr("only the ids")},
            {"fovea tokens --tokenizer minilm/ --json --lines text.txt",
             tr("every line is a text; one line of JSON each")},
            {"fovea tokens --tokenizer minilm/ --decode \"101 7592 102\"", tr("from ids to text")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("TEXT", 1, 2, texts_, tr("a text, a file, or -; a second one makes a pair"));
    options.path("--tokenizer,--model", "PATH", path_, tr("a model's folder or name, or a tokenizer file"));
    options.require_last();
    options.flag("--ids", ids_, tr("only the ids, separated by spaces"));
    options.flag("--json", json_, tr("machine-readable: one line per text"));
    options.flag("--decode", decode_, tr("TEXT holds ids; print the text"));
    options.flag("--lines", lines_, tr("every line of TEXT is a text of its own"));
    options.flag("--null", null_, tr("texts are separated by zero bytes, so they may contain line breaks"));
    options.flag("--pairs", pairs_, tr("with --lines or --null: every two texts make a pair"));
    options.flag("--target", target_,
                 tr("as what the model writes: Marian cuts it in another way than what it reads"));
    options.flag("--no-special", no_special_, tr("do not add special tokens; with --decode: keep them"));
    options.integer("--max-length", "N", max_length_, 1, INT32_MAX, tr("truncate to N tokens"));
    options.flag("--time", time_, tr("encode the input repeatedly for a second and print the speed"));
  }

  void run(const Context& context) override {
    const Tokenizer loaded = Tokenizer::load(model_folder(*path_));
    const Tokenizer tokenizer = target_ ? loaded.target() : loaded;
    if (decode_) {
      print_decoded(context, tokenizer);
      return;
    }
    const std::vector<Input> inputs = read_inputs();
    if (time_) {
      print_speed(context, tokenizer, inputs);
      return;
    }
    std::vector<TextReading> readings;
    for (const Input& input : inputs) {
      const Encoding encoding = encode(tokenizer, input);
      readings.insert(readings.end(), encoding.texts.begin(), encoding.texts.end());
      if (json_) {
        context.line(json_line(tokenizer, encoding));
      } else if (ids_) {
        context.line(fmt::format("{}", fmt::join(encoding.ids, " ")));
      } else {
        print_table(context, encoding, input);
      }
    }
    // In JSON each line has the same; of many texts, a line for each would be too much.
    if (json_) return;
    context.out.flush();
    print_reading_notes(inputs.size() == 1 ? readings : std::vector{sum_of(readings)}, context.language);
  }

 private:
  std::vector<Input> read_inputs() const {
    if (!lines_ && !null_) {
      if (pairs_) throw UsageError("--pairs needs --lines or --null");
      Input input;
      for (const std::string& text : texts_) input.push_back(text_of_argument(text));
      return {input};
    }
    if (texts_.size() > 1) throw UsageError("--lines and --null take one TEXT");
    const std::vector<std::string> parts = split_at(text_of_argument(texts_.front()), null_ ? '\0' : '\n');
    const std::size_t step = pairs_ ? 2 : 1;
    if (parts.size() % step != 0) throw UsageError(fmt::format("--pairs: got {} texts", parts.size()));
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < parts.size(); i += step) {
      inputs.emplace_back(parts.begin() + static_cast<std::ptrdiff_t>(i),
                          parts.begin() + static_cast<std::ptrdiff_t>(i + step));
    }
    return inputs;
  }

  Encoding encode(const Tokenizer& tokenizer, const Input& input) const {
    EncodeOptions options;
    options.add_special_tokens = !no_special_;
    options.max_length = max_length_.value_or(0);
    return input.size() == 2 ? tokenizer.encode(input[0], input[1], options)
                             : tokenizer.encode(input[0], options);
  }

  void print_decoded(const Context& context, const Tokenizer& tokenizer) const {
    std::vector<Index> ids;
    for (const std::string& text : texts_) {
      for (const std::string& word : words_of(text_of_argument(text))) {
        Index id = 0;
        const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), id);
        if (error != std::errc{} || rest != word.data() + word.size()) {
          throw UsageError(fmt::format("--decode: got \"{}\", expected ids such as 101", one_line(word)));
        }
        ids.push_back(id);
      }
    }
    context.line(tokenizer.decode(ids, !no_special_));
  }

  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
      const bool separator =
          c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r' || c == '[' || c == ']';
      if (!separator) words.back() += c;
      if (separator && !words.back().empty()) words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
  }

  static void print_table(const Context& context, const Encoding& encoding, const Input& input) {
    std::vector<Row> rows = {{context.say(tr("token")), context.say(tr("id")), context.say(tr("text")),
                              context.say(tr("bytes")), context.say(tr("characters")),
                              context.say(tr("segment"))}};
    if (!encoding.unknown.empty()) rows.front().push_back(context.say(tr("unknown")));
    const auto span_text = [](const TextSpan& span) { return fmt::format("{}–{}", span.begin, span.end); };
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      const TextSpan bytes = encoding.bytes[i];
      const bool special = encoding.special_mask[i] != 0;
      const std::string& text = input[encoding.text_ids[i] == 1 ? 1 : 0];
      const auto place = text.substr(static_cast<std::size_t>(bytes.begin),
                                     static_cast<std::size_t>(bytes.end - bytes.begin));
      rows.push_back({encoding.tokens[i], fmt::format("{}", encoding.ids[i]), special ? "" : place,
                      special ? "" : span_text(bytes), special ? "" : span_text(encoding.characters[i]),
                      fmt::format("{}", encoding.type_ids[i])});
      rows.back().resize(rows.front().size());
    }
    for (const UnknownToken& token : encoding.unknown) {
      rows[static_cast<std::size_t>(token.place) + 1].back() = context.say(tr("yes"));
    }
    context.print(aligned(std::move(rows)));
    context.line(context.say(tr("{0} tokens", encoding.size())));
  }

  void print_speed(const Context& context, const Tokenizer& tokenizer,
                   const std::vector<Input>& inputs) const {
    using Clock = std::chrono::steady_clock;
    std::size_t bytes = 0;
    for (const Input& input : inputs) {
      for (const std::string& text : input) bytes += text.size();
    }
    std::vector<double> seconds;
    Index tokens = 0;
    for (const auto start = Clock::now();
         Clock::now() - start < std::chrono::seconds(1) || seconds.size() < 5;) {
      const auto before = Clock::now();
      tokens = 0;
      for (const Input& input : inputs) tokens += encode(tokenizer, input).size();
      seconds.push_back(std::chrono::duration<double>(Clock::now() - before).count());
    }
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2),
                     seconds.end());
    const double median = seconds[seconds.size() / 2];
    context.line(fmt::format(R"({{"bytes":{},"tokens":{},"seconds":{},"megabytes_per_second":{:.2f}}})",
                             bytes, tokens, median, static_cast<double>(bytes) / 1e6 / median));
  }

  std::vector<std::string> texts_;
  std::optional<std::string> path_;
  std::optional<Index> max_length_;
  bool ids_ = false, json_ = false, decode_ = false, lines_ = false, null_ = false, pairs_ = false;
  bool no_special_ = false, time_ = false, target_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tokens_command() { return std::make_unique<TokensCommand>(); }

}  // namespace fovea::command
