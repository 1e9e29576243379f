#include "explain/headings.h"

#include <fmt/format.h>

#include <cmath>

#include "core/number_text.h"

namespace fovea {
namespace {

std::string scale_text(const Account& account, bool chinese) {
  if (!account.has("scaled")) return chinese ? "不缩放" : "not scaled";
  const std::string value = short_number(account.scale);
  const double root = std::sqrt(static_cast<double>(account.d_k));
  const std::string formula =
      account.scale == 1 / root ? fmt::format("1/√{} = {}", account.d_k, value) : value;
  return (chinese ? "缩放 " : "scale ") + formula;
}

}  // namespace

std::string summary_of(const Account& account, Language language) {
  const bool chinese = language == Language::chinese;
  const auto n = account.tokens.size(), m = account.memory_tokens.size();
  std::string sizes;
  if (account.tokens == account.memory_tokens) {
    sizes = chinese ? fmt::format("{} 个词", n) : fmt::format("{} token{}", n, n == 1 ? "" : "s");
  } else {
    sizes = chinese ? fmt::format("{} 个查询 · {} 个键", n, m)
                    : fmt::format("{} quer{} · {} key{}", n, n == 1 ? "y" : "ies", m, m == 1 ? "" : "s");
  }
  const std::string heads = chinese
                                ? fmt::format("{} 个头", account.heads)
                                : fmt::format("{} head{}", account.heads, account.heads == 1 ? "" : "s");
  return fmt::format("{} · {} · d_k = {} · {}", sizes, heads, account.d_k, scale_text(account, chinese));
}

std::string orientation(Language language) {
  return language == Language::chinese
             ? "行是查询（当前词），列是键（被关注的词）。"
             : "Rows are queries (who looks), columns are keys (who is looked at).";
}

std::string note_mark(Language language) { return language == Language::chinese ? "注意：" : "Note: "; }

}  // namespace fovea
