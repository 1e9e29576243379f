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
  Text summary() const override {
    return {"one attention step by step, with every matrix (the default command)",
            "逐步讲解一次注意力计算，打印每个矩阵（默认命令）"};
  }
  Text description() const override {
    return {
        "Without arguments: \"I love AI\", with projections from NumPy's seed 42. SENTENCE is made of "
        "words "
        "of the small vocabulary, separated by spaces, with Q = K = V = X unless --seed draws projections. "
        "All numbers are computed in double.",
        "不带参数时讲解 “I love AI”，投影矩阵取自 NumPy 种子 42。SENTENCE 由小词表中的词组成，用空格分隔；"
        "除非用 --seed 抽取投影矩阵，否则 Q = K = V = X。所有数字均以双精度计算。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea explain --mask causal",
             {"\"I love AI\", where no word sees a later one", "“I love AI”，每个词看不到后面的词"}},
            {"fovea explain \"我 喜欢 AI\" --heads 2 --seed 42",
             {"a sentence through two heads, with drawn projections", "句子经过两个头，投影矩阵随机抽取"}},
            {"fovea explain \"编程 很 有趣\" --memory \"我 喜欢 AI\" --json",
             {"cross-attention, for a program", "交叉注意力，供程序读取"}},
            {"fovea explain --example qkv --digits 8",
             {"a worked example; --list names them all", "一个完整示例；--list 列出全部"}}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("SENTENCE", 0, 1000, sentence_,
                             {"words, separated by spaces", "用空格分隔的词"});
    options.text("--example", "ID", example_, {"a ready example instead", "改用现成的示例"});
    options.flag("--list", list_,
                 {"list the ready examples and the words of the vocabulary", "列出现成的示例和词表中的词"});
    options.text("--memory", "TEXT", memory_,
                 {"cross-attention: keys and values from these words", "交叉注意力：键和值取自这些词"});
    declare_mask(options, mask_);
    options.integer("--heads", "H", heads_, 1, 4096, {"split the width into H heads", "把宽度分成 H 个头"});
    options.integer("--seed", "S", seed_, 0, std::numeric_limits<std::uint32_t>::max(),
                    {"draw W_q, W_k, W_v (and W_o for several heads) as NumPy does after seed(S)",
                     "像 NumPy 的 seed(S) 那样抽取 W_q、W_k、W_v（多头时还有 W_o）"});
    options.flag("--no-scale", no_scale_, {"leave out the division by √d_k", "不除以 √d_k"});
    options.path("--words", "FILE", words_,
                 {"a vocabulary: JSON {\"word\": [1, 0.5], ..} or lines \"word 1 0.5\"",
                  "词表文件：JSON {\"词\": [1, 0.5], ..}，或每行 “词 1 0.5”"});
    options.integer("--digits", "D", digits_, 0, 17, {"decimals; default: 4", "小数位数；默认 4"});
    options.choice(
        "--reading", {"all", "order", "bars", "top", "none"}, reading_,
        {"how the weights are read after the steps; default: all, which puts several heads side by side; "
         "the others read them one by one",
         "步骤之后如何解读权重；默认 all，多头时并排对比；其余方式逐头解读"});
    options.flag("--markdown", markdown_, {"as Markdown", "输出 Markdown"});
    options.flag("--json", json_,
                 {"for programs: both languages, all digits; with --list: ids and titles",
                  "供程序读取的 JSON：两种语言、全部位数；与 --list 连用时给出名称和标题"});
  }

  void run(const Context& context) override {
    if (json_ && markdown_) throw UsageError("--json and --markdown: one of them");
    if (!sentence_.empty() && example_) throw UsageError("SENTENCE and --example: one of them");
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

  using TitledTexts = std::vector<std::pair<Text, std::string>>;

  TitledTexts readings(const Account& account, const RenderOptions& render) const {
    TitledTexts parts;
    const bool all = reading_ == "all";
    if (all && account.heads > 1) {
      parts.push_back({{"The heads side by side", "各个头并排对比"}, compare_heads(account, render)});
      return parts;
    }
    for (int head = 0; head < account.heads; ++head) {
      const Reading reading = reading_of(account, head);
      const auto add = [&](const Text& title, const std::string& text) {
        const bool several = account.heads > 1;
        parts.push_back({{several ? fmt::format("Head {} · {}", head + 1, title.en) : title.en,
                          several ? fmt::format("头 {} · {}", head + 1, title.zh) : title.zh},
                         text});
      };
      if (all || reading_ == "order") {
        add({"Who looks at whom, in the order of the words", "按词序看：谁在关注谁"},
            read_in_order(reading, render));
      }
      if (all || reading_ == "bars") {
        add({"The weights, sorted, with bars", "按权重排序，配条形图"}, read_sorted(reading, render));
      }
      if (all || reading_ == "top") {
        add({"What each word looks at most", "每个词最关注什么"}, read_top(reading, render));
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
      json.key("id");
      json.string(each.id);
      json.key("title");
      json.text(each.title);
      json.end_object();
    }
    json.end_array();
    context.print(json.take());
  }

  void print_list(const Context& context, const WordVectors& words) const {
    context.heading(
        {"Ready examples: fovea explain --example ID", "现成的示例：fovea explain --example ID"});
    for (const Example& each : fovea::examples()) {
      context.line(fmt::format("  {}{}", pad_right(each.id, 26), context.say(each.title)));
    }
    context.line();
    const std::string where = words_ ? one_line(*words_) : "fovea explain \"我 喜欢 AI\"";
    context.heading({"Words: " + where, "词表：" + where});
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
