// What the demonstrations share.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "commands/demo/demos.h"
#include "fovea/attention.h"

namespace fovea::command {
namespace {

// The largest |a − b| / max(1, |b|).
double largest_difference(const Tensor& a, const Matrix& b) {
  double largest = 0;
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index j = 0; j < b.columns(); ++j) {
      const double difference = std::abs(static_cast<double>(a(i, j)) - b(i, j));
      largest = std::max(largest, difference / std::max(1.0, std::abs(b(i, j))));
    }
  }
  return largest;
}

}  // namespace

void print_account(const Context& context, Account account, int digits,
                   const std::vector<std::string_view>& names) {
  if (!names.empty()) {
    std::vector<Step> kept;
    for (const Step& step : account.steps) {
      if (std::find(names.begin(), names.end(), step.name) != names.end()) kept.push_back(step);
    }
    account.steps = std::move(kept);
  }
  context.block(to_terminal(account, context.render(digits)));
}

void print_engine_check(const Context& context, const Account& account, const Mask& mask) {
  AttentionOptions options;
  options.mask = mask;
  options.scale = static_cast<float>(account.scale);
  options.weights = true;
  const AttentionResult result =
      attention(account.step("q").matrix.to_tensor(), account.step("k").matrix.to_tensor(),
                account.step("v").matrix.to_tensor(), options);
  const double difference = std::max(largest_difference(result.weights, account.weights()),
                                     largest_difference(result.output, account.output()));
  // The bound, not the difference itself: that one depends on the processor's instructions.
  const bool agrees = difference <= 1e-6;
  context.line(fmt::format(
      "{} {}", agrees ? "✓" : "✗",
      context.say(agrees ? tr("The float32 engine gives the same weights and output within 1e-6.")
                         : tr("The float32 engine differs by more than 1e-6."))));
  context.line();
}

void print_error(const Context& context, const Error& error) {
  context.line(fmt::format("  {}", wrapped(fmt::format("fovea: {}", error.what()), context.width, 2, 2)));
}

void print_shapes(const Context& context, const std::vector<ShapeLine>& lines) {
  int name_width = 0, shape_width = 0;
  for (const ShapeLine& each : lines) {
    name_width = std::max(name_width, display_width(each.name));
    shape_width = std::max(shape_width, display_width(each.shape.to_string()));
  }
  for (const ShapeLine& each : lines) {
    const std::string left = fmt::format("  {}  {}  ", pad_right(each.name, name_width),
                                         pad_right(each.shape.to_string(), shape_width));
    const int column = display_width(left);
    context.line(left + wrapped(context.say(each.sentence), context.width, column, column));
  }
  context.line();
}

}  // namespace fovea::command
