// fovea mask: the picture of a mask.
#include "fovea/mask.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "inputs/mask_argument.h"
#include "output/mask_picture.h"

namespace fovea::command {
namespace {

constexpr Index kDefaultSize = 8;
constexpr Index kMaxPrinted = 4096;  // queries or keys printed one by one
constexpr Index kMaxSize = 65536;    // of --n and --m; seconds for masks with many gaps

bool fits(const Mask& mask, Index n, Index m) {
  try {
    mask.classify({}, n, m);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// 8 keys, unless the mask knows better: padding([1,2,3,0,0]) has 5, lengths(20) needs 20.
Index keys_of(const Mask& mask, Index preferred) {
  if (fits(mask, preferred, preferred)) return preferred;
  for (Index m = 1; m <= kMaxPrinted; ++m) {
    if (fits(mask, m, m)) return m;
  }
  return preferred;  // and the mask says what is wrong
}

class MaskCommand final : public Command {
 public:
  std::string name() const override { return "mask"; }
  Text summary() const override {
    return {"print a mask: as 0/1, as 0/−inf, or as blocks", "打印掩码：0/1、0/−inf 或方块图"};
  }
  Text description() const override {
    return {
        "EXPR combines masks with & (and), | (or), ! (not) and brackets: none, causal, causal(top_left), "
        "window(w), window(before, after), sparse(s), prefix(n), padding(ids), padding(ids, pad), "
        "lengths(3, 2), documents(ids), where ids is [1,2,0] or [[1,2,0],[3,0,0]]. Rows are queries, "
        "columns are keys; 1 is visible. Every --mask of the other commands takes the same expressions.",
        "EXPR 用 &（与）、|（或）、!（非）和括号组合掩码：none、causal、causal(top_left)、window(w)、"
        "window(before, after)、sparse(s)、prefix(n)、padding(ids)、padding(ids, pad)、lengths(3, 2)、"
        "documents(ids)，其中 ids 写作 [1,2,0] 或 [[1,2,0],[3,0,0]]。行是查询，列是键；1 表示可见。"
        "其他命令的 --mask 使用同样的表达式。"};
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea mask 'causal & padding([1,2,3,0,0])'",
             {"a sentence of three words and two pads, read from left to right",
              "三个词加两个填充，从左到右阅读"}},
            {"fovea mask 'sparse(4)' --n 16 --format blocks",
             {"the pattern of sparse attention", "稀疏注意力的图案"}},
            {"fovea mask causal --n 4 --format additive",
             {"what is added to the scores: 0 or −inf", "加到分数上的值：0 或 −inf"}},
            {"fovea mask 'lengths(5, 3)' --batch 1 --json",
             {"the second sequence of a batch, for a program", "一批中的第二个序列，供程序读取"}}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("EXPR", 1, 1, expression_, {"the mask", "掩码表达式"});
    options.integer("--n", "N", n_, 1, kMaxSize,
                    {"queries; default: as many as keys", "查询个数；默认与键相同"});
    options.integer("--m", "M", m_, 1, kMaxSize,
                    {"keys; default: those the mask knows (padding([1,2,3,0,0]): 5), else N, else 8",
                     "键的个数；默认取掩码已知的个数（padding([1,2,3,0,0])：5），否则为 N，再否则为 8"});
    options.choice(
        "--format", {"bool", "additive", "blocks"}, format_,
        {"bool: 1 visible, 0 hidden; additive: 0 and −inf; blocks: a picture, for large ones too",
         "bool：1 可见、0 隐藏；additive：0 与 −inf；blocks：方块图，也适合很大的掩码"});
    options.integer("--batch", "I", batch_, 0, kMaxSize,
                    {"only the sequence at index I of a batch; 0 is the first",
                     "只显示一批中下标为 I 的序列；0 是第一个"});
    options.flag("--json", json_, {"for programs", "供程序读取的 JSON"});
  }

  void run(const Context& context) override {
    const Mask mask = mask_of(expression_.front());
    const Index m = m_ ? *m_ : keys_of(mask, n_.value_or(kDefaultSize));
    const Index n = n_.value_or(m);
    const bool blocks = format_ == "blocks" && !json_;
    if (!blocks && std::max(n, m) > kMaxPrinted) {
      throw UsageError(
          fmt::format("{} queries and {} keys are too many to print one by one (at most {}); "
                      "--format blocks draws more",
                      n, m, kMaxPrinted));
    }
    const Index sequences = std::max<Index>(mask.batch(), 1);
    if (batch_ && *batch_ >= sequences) {
      throw UsageError(fmt::format("--batch: got {}, the mask has {} sequence{}", *batch_, sequences,
                                   sequences == 1 ? "" : "s"));
    }
    const Index first = batch_.value_or(0), last = batch_ ? *batch_ : sequences - 1;
    if (json_) {
      print_json(context, mask, n, m, first, last);
      return;
    }
    context.line(describe_mask(mask, n, m, context.language, batch_));
    for (Index batch = first; batch <= last; ++batch) {
      context.line();
      if (sequences > 1) {
        context.line(context.say({fmt::format("Sequence {} of {}", batch + 1, sequences),
                                  fmt::format("第 {} 个序列（共 {} 个）", batch + 1, sequences)}));
      }
      context.print(blocks ? mask_blocks(mask, batch, n, m, context.width, context.language)
                           : mask_table(mask, batch, n, m, format_ == "additive"));
    }
  }

 private:
  void print_json(const Context& context, const Mask& mask, Index n, Index m, Index first,
                  Index last) const {
    const bool additive = format_ == "additive";
    JsonWriter json;
    json.begin_object();
    json.key("expression");
    json.string(expression_.front());
    json.key("description");
    json.string(describe_visible(mask, n, m, Language::english, batch_));
    json.key("density");
    json.number(density_of(mask, n, m, batch_));
    json.key("n");
    json.integer(n);
    json.key("m");
    json.integer(m);
    json.key("shape");
    json.shape(smallest_shape(mask, n, m, batch_));
    json.key("format");
    json.string(additive ? "additive" : "bool");
    json.key("sequences");
    json.begin_array();
    for (Index batch = first; batch <= last; ++batch) {
      json.begin_array();
      for (const std::vector<double>& row : mask_rows(mask, batch, n, m, additive)) json.numbers(row);
      json.end_array();
    }
    json.end_array();
    json.end_object();
    context.print(json.take());
  }

  std::vector<std::string> expression_;
  std::optional<Index> n_, m_, batch_;
  std::string format_ = "bool";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_mask_command() { return std::make_unique<MaskCommand>(); }

}  // namespace fovea::command
