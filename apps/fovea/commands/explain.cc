// fovea explain: one attention, step by step.
#include "fovea/explain.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <limits>

#include "command.h"
#include "fovea/error.h"
#include "fovea/examples.h"
#include "fovea/json_writer.h"
#include "fovea/reading.h"
#include "fovea/words.h"
#include "inputs/account_input.h"
#include "inputs/mask_argument.h"

namespace fovea::command {
namespace {

class ExplainCommand final : public Command {
 public:
  std::string name() const override { return "explain"; }
  Message summary() const override {
    return tr("explain one attention step by step, with every matrix (the default command)");
  }
  Message description() const override {
    return tr(
        "Without arguments: \"I love AI\", with projections from NumPy's seed 42. SENTENCE consists of "
        "words from the small built-in vocabulary, separated by spaces; Q = K = V = X unless --seed draws "
        "projections. All numbers are computed in double precision.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea explain --mask causal", tr("\"I love AI\", where no word sees a later one")},
            {"fovea explain \"我 喜欢 AI\" --heads 2 --seed 42",
             tr("a sentence through two heads, with random projections")},
            {"fovea explain \"编程 很 有趣\" --memory \"我 喜欢 AI\" --json",
             tr("cross-attention, machine-readable")},
            {"fovea explain --example qkv --digits 8", tr("a worked example; --list names them all")}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("SENTENCE", 0, 1000, sentence_, tr("words, separated by spaces"));
    options.text("--example", "ID", example_, tr("a built-in example instead"));
    options.flag("--list", list_, tr("list the built-in examples and the vocabulary"));
    options.text("--memory", "TEXT", memory_, tr("cross-attention: keys and values from these words"));
    declare_mask(options, mask_);
    options.integer("--heads", "H", heads_, 1, 4096, tr("split the width into H heads"));
    options.integer("--seed", "S", seed_, 0, std::numeric_limits<std::uint32_t>::max(),
                    tr("draw random W_q, W_k, W_v (and W_o for several heads), as NumPy does after "
                       "seed(S)"));
    options.flag("--no-scale", no_scale_, tr("leave out the division by √d_k"));
    options.path("--words", "FILE", words_,
                 tr("a vocabulary: JSON {\"word\": [1, 0.5], ..} or lines \"word 1 0.5\""));
    options.integer("--digits", "D", digits_, 0, 17, tr("decimals; default: 4"));
    options.choice(
        "--reading", {"all", "order", "bars", "top", "none"}, reading_,
        tr("how the weights are read out after the steps; default: all, which shows several heads side by "
           "side; the other forms show them one by one"));
    options.flag("--markdown", markdown_, tr("as Markdown"));
    options.flag("--json", json_,
                 tr("machine-readable: both languages, all digits; with --list: ids and titles"));
  }

  void run(const Context& context) override {
    if (json_ && markdown_) throw UsageError("--json and --markdown: choose one of them");
    if (!sentence_.empty() && example_) throw UsageError("SENTENCE and --example: choose one of them");
    std::optional<Mask> mask;  // what is wrong with it is said before files are read
    if (mask_) mask = mask_of(mask_);
    const WordVectors words = words_ ? WordVectors::load(*words_) : WordVectors::builtin();
    if (list_) {
      if (json_) {
        print_list_json(context);
      } else {
        print_list(context, words);
      }
      return;
    }
    const Account account = make_account(request(mask), words);
    if (json_) {
      context.print(to_json(account) + "\n");
      return;
    }
    const RenderOptions render = context.render(static_cast<int>(digits_.value_or(4)));
    if (markdown_) {
      RenderOptions plain = render;
      plain.color = false;
      context.block(to_markdown(account, plain));
      print_reading(context, account, plain);
    } else {
      context.block(to_terminal(account, render));
      print_reading(context, account, render);
    }
  }

 private:
  AccountRequest request(const std::optional<Mask>& mask) const {
    AccountRequest request;
    if (!sentence_.empty()) request.sentence = fmt::format("{}", fmt::join(sentence_, " "));
    request.example = example_;
    request.memory = memory_;
    request.mask = mask;
    request.heads = heads_;
    request.seed = seed_;
    request.scaled = !no_scale_;
    request.own_words = words_.has_value();
    return request;
  }

  using TitledTexts = std::vector<std::pair<Message, std::string>>;

  TitledTexts readings(const Account& account, const RenderOptions& render) const {
    TitledTexts parts;
    const bool all = reading_ == "all";
    if (all && account.heads > 1) {
      parts.push_back({tr("The heads side by side"), compare_heads(account, render)});
      return parts;
    }
    for (int head = 0; head < account.heads; ++head) {
      const Reading reading = reading_of(account, head);
      const auto add = [&](const Message& title, const std::string& text) {
        parts.push_back({account.heads > 1 ? tr("Head {0} · {1}", head + 1, title) : title, text});
      };
      if (all || reading_ == "order") {
        add(tr("Who looks at whom, in the order of the words"), read_in_order(reading, render));
      }
      if (all || reading_ == "bars") {
        add(tr("The weights, sorted, with bars"), read_sorted(reading, render));
      }
      if (all || reading_ == "top") {
        add(tr("What each word looks at most"), read_top(reading, render));
      }
    }
    return parts;
  }

  void print_reading(const Context& context, const Account& account, const RenderOptions& render) const {
    if (reading_ == "none") return;
    for (const auto& [title, text] : readings(account, render)) {
      if (markdown_) {
        context.line(fmt::format("## {}", context.say(title)));
        context.line();
        context.block(fmt::format("```text\n{}```\n", text));
      } else {
        context.heading(title);
        context.block(text);
      }
    }
  }

  static void print_list_json(const Context& context) {
    JsonWriter json;
    json.begin_array();
    for (const Example& each : fovea::examples()) {
      json.begin_object();
      json.key("id").string(each.id);
      json.key("title").text(each.title);
      json.end_object();
    }
    json.end_array();
    context.print(json.take());
  }

  void print_list(const Context& context, const WordVectors& words) const {
    context.heading(tr("Built-in examples: fovea explain --example ID"));
    for (const Example& each : fovea::examples()) {
      context.line(fmt::format("  {}{}", pad_right(each.id, 26), context.say(each.title)));
    }
    context.line();
    const std::string where = words_ ? one_line(*words_) : "fovea explain \"我 喜欢 AI\"";
    context.heading(tr("Words: {0}", where));
    int width = 0;
    for (const std::string& word : words.words()) width = std::max(width, display_width(word));
    for (const std::string& word : words.words()) {
      std::string line = fmt::format("  {}[", pad_right(word, width + 2));
      for (const double value : words.vector(word))
        line += fmt::format("{}{:g}", line.back() == '[' ? "" : ", ", value);
      context.line(line + "]");
    }
  }

  std::vector<std::string> sentence_;
  std::optional<std::string> example_, memory_, mask_, words_;
  std::optional<Index> heads_, seed_, digits_;
  std::string reading_ = "all";
  bool list_ = false, no_scale_ = false, markdown_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace fovea::command
