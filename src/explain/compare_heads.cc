// Several heads over the same sentence, side by side.
#include <fmt/format.h>

#include <algorithm>

#include "core/fail.h"
#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/reading.h"

namespace fovea {
namespace {

using Lines = std::vector<std::string>;

constexpr int kBetween = 3;  // columns between two heads

Lines lines_of(const std::string& block) {
  Lines lines;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = block.find('\n', begin);
    lines.push_back(block.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string head_name(std::size_t head, const RenderOptions& options) {
  return options.language == Language::chinese ? fmt::format("头 {}", head + 1)
                                               : fmt::format("Head {}", head + 1);
}

// The matrices next to each other; as many in one band as the width holds.
std::string matrices(const std::vector<Matrix>& heads, const std::vector<std::string>& tokens,
                     const std::vector<std::string>& keys, const RenderOptions& options) {
  std::string text;
  Lines band;
  const auto flush = [&] {
    for (const std::string& line : band) text += line + '\n';
    if (!band.empty()) text += '\n';
    band.clear();
  };
  for (std::size_t h = 0; h < heads.size(); ++h) {
    Lines block = lines_of(matrix_to_terminal(heads[h], tokens, keys, options, true));
    const int width = display_width(block.front());
    block.insert(block.begin(),
                 pad_right(styled(head_name(h, options), Style::bold, options.color), width));
    if (!band.empty() && display_width(band.front()) + kBetween + width > options.width) flush();
    if (band.empty()) {
      band = std::move(block);
      continue;
    }
    for (std::size_t i = 0; i < band.size(); ++i) band[i] += repeat(" ", kBetween) + block[i];
  }
  flush();
  return text;
}

// “love 86.7%” of one row; a row that sees nothing: –.
std::string most(const Matrix& weights, Index row, const std::vector<std::string>& keys) {
  Index best = 0;
  for (Index j = 1; j < weights.columns(); ++j) {
    if (weights(row, j) > weights(row, best)) best = j;
  }
  if (weights.columns() == 0 || !(weights(row, best) > 0)) return "–";
  return fmt::format("{} {:.1f}%", printable(keys[static_cast<std::size_t>(best)]),
                     100 * weights(row, best));
}

// One table of what every token looks at most; a new one when the width is used up.
std::string favourites(const std::vector<Matrix>& heads, const std::vector<std::string>& tokens,
                       const std::vector<std::string>& keys, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  std::string text = chinese ? "每个头最关注谁\n\n" : "What each head looks at most\n\n";
  int key_width = 0, token_width = 0;
  for (const std::string& key : keys) key_width = std::max(key_width, display_width(printable(key)));
  for (const std::string& token : tokens)
    token_width = std::max(token_width, display_width(printable(token)));
  const int column = key_width + 9;  // name, space, "100.0%", two spaces
  const auto per_table = static_cast<std::size_t>(std::max(1, (options.width - token_width) / column));
  for (std::size_t begin = 0; begin < heads.size(); begin += per_table) {
    const std::size_t end = std::min(heads.size(), begin + per_table);
    std::vector<TextTable::Column> columns = {{chinese ? "词" : "token", TextTable::Align::left}};
    for (std::size_t h = begin; h < end; ++h) columns.push_back({head_name(h, options)});
    TextTable table(columns);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::vector<std::string> cells = {printable(tokens[i])};
      for (std::size_t h = begin; h < end; ++h)
        cells.push_back(most(heads[h], static_cast<Index>(i), keys));
      table.add(std::move(cells));
    }
    if (begin > 0) text += '\n';
    text += table.to_string(0, options.color);
  }
  return text;
}

}  // namespace

std::string compare_heads(const std::vector<Matrix>& heads, const std::vector<std::string>& tokens,
                          const std::vector<std::string>& memory_tokens, const RenderOptions& options) {
  const std::vector<std::string>& keys = memory_tokens.empty() ? tokens : memory_tokens;
  if (heads.empty()) fail("[compare_heads] there are no heads");
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (heads[h].rows() != static_cast<Index>(tokens.size()) ||
        heads[h].columns() != static_cast<Index>(keys.size())) {
      fail("[compare_heads] the weights of head {} are {}, there are {} tokens and {} keys", h,
           heads[h].shape_text(), tokens.size(), keys.size());
    }
  }
  return matrices(heads, tokens, keys, options) + favourites(heads, tokens, keys, options);
}

std::string compare_heads(const Account& account, const RenderOptions& options) {
  std::vector<Matrix> heads;
  for (int h = 0; h < static_cast<int>(account.heads); ++h) heads.push_back(account.weights(h));
  return compare_heads(heads, account.tokens, account.memory_tokens, options);
}

}  // namespace fovea
