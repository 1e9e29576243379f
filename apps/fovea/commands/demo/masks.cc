// Masks: causal, and every other kind.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "commands/demo/demos.h"
#include "fovea/examples.h"
#include "fovea/mask.h"
#include "fovea/reading.h"
#include "fovea/softmax.h"
#include "output/mask_picture.h"

namespace fovea::command {
namespace {

// "    1 0 0\n": the picture, indented.
std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    result += "    ";
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

void print_mask(const Context& context, const std::string& expression, Index n, bool additive = false) {
  const Mask mask = parse_mask(expression);
  context.line(fmt::format("  {}", expression));
  context.line(fmt::format("  {}", describe_mask(mask, n, n, context.language)));
  for (Index batch = 0; batch < std::max<Index>(mask.batch(), 1); ++batch) {
    context.line();
    context.print(indented(mask_table(mask, batch, n, n, additive)));
  }
  context.line();
}

std::string row_text(const Tensor& row) {
  std::vector<std::string> values;
  for (Index j = 0; j < row.shape().elements(); ++j) values.push_back(fmt::format("{:.4g}", row.data()[j]));
  return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace

void demo_causal(const Context& context, int digits) {
  context.paragraph(
      tr("A model that generates text must not see tokens it has not generated yet: query i sees keys "
         "0..i. Hidden keys get −inf added to their score, and so weight 0."));
  print_mask(context, "causal", 4, true);
  const Account plain = i_love_ai();
  Projections projections{
      plain.step("w_q").matrix, plain.step("w_k").matrix, plain.step("w_v").matrix, {}, 1};
  ExplainOptions options;
  options.title = tr("I love AI, where no word sees a later one").text();
  options.tokens = plain.tokens;
  options.mask = Mask::causal();
  const Account account = explain(plain.step("x").matrix, projections, options);
  print_account(context, account, digits,
                {"q", "k", "v", "scores", "scaled", "mask", "masked", "weights", "output"});
  context.block(read_in_order(reading_of(account), context.render()));
  print_engine_check(context, account, Mask::causal());
}

void demo_masks(const Context& context, int) {
  context.paragraph(
      tr("A mask says which keys (columns) each query (row) may see: 1 visible, 0 hidden. "
         "Masks are values: they combine with & (and), | (or) and ! (not)."));
  context.subheading(tr("Padding: two sequences, 0 is the pad"));
  print_mask(context, "padding([[1,2,3,0,0],[4,5,0,0,0]])", 5);
  context.subheading(tr("Padding and causal"));
  print_mask(context, "causal & padding([1,2,3,0,0])", 5);
  print_mask(context, "causal & padding([[1,2,3,0,0],[4,5,0,0,0]])", 5);
  context.subheading(tr("A sliding window"));
  print_mask(context, "window(2)", 8);
  print_mask(context, "causal & window(2)", 8);
  context.subheading(tr("Sparse: neighbours, and every fourth position"));
  print_mask(context, "sparse(4)", 16);
  context.subheading(tr("Several documents in one row, a prefix that sees itself, and negation"));
  print_mask(context, "causal & documents([0,0,0,1,1,1])", 6);
  print_mask(context, "prefix(2)", 5);
  print_mask(context, "!causal", 4);

  context.subheading(tr("Additive masks: −inf hides, −1e9 only lowers the score"));
  const float inf = std::numeric_limits<float>::infinity();
  const auto softmax_line = [&](const char* scores, const Tensor& row) {
    context.line(fmt::format("    softmax({}= {}", pad_right(fmt::format("{})", scores), 24),
                             row_text(softmax(row))));
  };
  softmax_line("[0, -1e9, -1e9]", Tensor::from({0, -1e9f, -1e9f}));
  softmax_line("[-1e9, -1e9, -1e9]", Tensor::from({-1e9f, -1e9f, -1e9f}));
  softmax_line("[0, -inf, -inf]", Tensor::from({0, -inf, -inf}));
  softmax_line("[-inf, -inf, -inf]", Tensor::from({-inf, -inf, -inf}));
  context.line();
  context.paragraph(tr("A row that may see nothing gives weights 0 and output 0, not NaN."));
}

}  // namespace fovea::command
