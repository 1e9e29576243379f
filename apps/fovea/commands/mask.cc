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
  Message summary() const override { return tr("print a mask as 0/1, as 0/−inf, or as blocks"); }
  Message description() const override {
    return tr(
        "EXPR combines masks with & (and), | (or), ! (not) and brackets: none, causal, causal(top_left), "
        "window(w), window(before, after), sparse(s), prefix(n), padding(ids), padding(ids, pad), "
        "lengths(3, 2), documents(ids), where ids is [1,2,0] or [[1,2,0],[3,0,0]]. Rows are queries, "
        "columns are keys; 1 is visible. The --mask option of other commands takes the same expressions.");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea mask 'causal & padding([1,2,3,0,0])'",
             tr("a sentence of three words and two pads, read from left to right")},
            {"fovea mask 'sparse(4)' --n 16 --format blocks", tr("the pattern of sparse attention")},
            {"fovea mask causal --n 4 --format additive", tr("the values added to the scores: 0 or −inf")},
            {"fovea mask 'lengths(5, 3)' --batch 1 --json",
             tr("the second sequence of a batch, machine-readable")}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("EXPR", 1, 1, expression_, tr("the mask"));
    options.integer("--n", "N", n_, 1, kMaxSize, tr("number of queries; default: same as keys"));
    options.integer("--m", "M", m_, 1, kMaxSize,
                    tr("number of keys; default: given by the mask (padding([1,2,3,0,0]): 5), else N, "
                       "else 8"));
    options.choice(
        "--format", {"bool", "additive", "blocks"}, format_,
        tr("bool: 1 visible, 0 hidden; additive: 0 and −inf; blocks: a picture, also for large masks"));
    options.integer("--batch", "I", batch_, 0, kMaxSize, tr("only sequence I of a batch, counted from 0"));
    options.flag("--json", json_, tr("print JSON"));
  }

  void run(const Context& context) override {
    const Mask mask = mask_of(expression_.front());
    const Index m = m_ ? *m_ : keys_of(mask, n_.value_or(kDefaultSize));
    const Index n = n_.value_or(m);
    const bool blocks = format_ == "blocks" && !json_;
    if (!blocks && std::max(n, m) > kMaxPrinted) {
      throw UsageError(
          fmt::format("{} queries and {} keys are too many to print one by one (at most {}); use --format "
                      "blocks",
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
        context.line(context.say(tr("Sequence {0} of {1}", batch + 1, sequences)));
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
    json.key("expression").string(expression_.front());
    json.key("description").string(describe_visible(mask, n, m, Language::english, batch_));
    json.key("density").number(density_of(mask, n, m, batch_));
    json.key("n").integer(n);
    json.key("m").integer(m);
    json.key("shape").shape(smallest_shape(mask, n, m, batch_));
    json.key("format").string(additive ? "additive" : "bool");
    json.key("sequences").begin_array();
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
