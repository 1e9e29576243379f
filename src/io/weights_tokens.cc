#include "io/weights_tokens.h"

#include "core/fail.h"
#include "core/lines.h"
#include "core/utf8.h"
#include "fovea/file.h"
#include "io/json_arrays.h"
#include "io/messages.h"

namespace fovea {
namespace {

// ["a", "b"] or []; not the token [CLS].
bool is_json_list(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '[') return false;
  const std::size_t second = text.find_first_not_of(" \t\r\n", first + 1);
  return second != text.npos && (text[second] == '"' || text[second] == ']');
}

std::vector<std::string> tokens_of(const MetadataText& text, const std::string& name,
                                   const std::string& source) {
  const std::string tokens = text(name);
  const std::string where = fmt::format("{}: {}", source, in_quotes(name));
  return is_json_list(tokens) ? parse_text_list(tokens, where) : split_tokens(tokens);
}

void check_count(const AttentionWeights& weights, const std::vector<std::string>& tokens, Index expected,
                 const char* whose, const char* each) {
  if (tokens.empty() || static_cast<Index>(tokens.size()) == expected) return;
  fail("{}: got {} token{}{}, expected {}, one per {}", weights.source, tokens.size(),
       tokens.size() == 1 ? "" : "s", whose, expected, each);
}

}  // namespace

void set_tokens(AttentionWeights& weights, std::vector<std::string> query_tokens,
                std::vector<std::string> key_tokens) {
  check_count(weights, query_tokens, weights.queries(), key_tokens.empty() ? "" : " for the queries",
              "query (row)");
  check_count(weights, key_tokens, weights.keys(), " for the keys", "key (column)");
  if (key_tokens.empty() && weights.queries() == weights.keys()) key_tokens = query_tokens;
  if (!query_tokens.empty()) weights.query_tokens = std::move(query_tokens);
  if (!key_tokens.empty()) weights.key_tokens = std::move(key_tokens);
}

void set_tokens_of_metadata(AttentionWeights& weights, const MetadataText& text, std::string_view name) {
  const auto tokens = [&](const char* which) { return tokens_of(text, which, weights.source); };
  std::vector<std::string> queries = tokens("query_tokens");
  std::vector<std::string> keys = tokens("key_tokens");
  const std::vector<std::string> written = tokens("decoder_tokens");
  if (!written.empty() && (name.starts_with("decoder") || name.starts_with("cross"))) {
    queries = written;
    keys = name.starts_with("cross") ? tokens("tokens") : written;
  }
  if (queries.empty()) queries = tokens("tokens");
  set_tokens(weights, std::move(queries), std::move(keys));
}

std::vector<std::string> split_tokens(std::string_view text) {
  std::vector<std::string> tokens;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const bool space = is_white_space(point.value);
    if (!space && !inside) tokens.emplace_back();
    if (!space) tokens.back() += text.substr(at, point.bytes);
    inside = !space;
    at += point.bytes;
  }
  return tokens;
}

std::vector<std::string> load_tokens(const std::string& path) {
  const std::string text = read_file(path);
  const std::string where = "[tokens] " + path;
  if (!is_utf8(text)) fail("{}: is not UTF-8", where);
  if (is_json_list(text)) return parse_text_list(text, where);
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<std::string> tokens(lines.begin(), lines.end());
  if (tokens.empty()) fail("{}: the file has no tokens", where);
  return tokens;
}

}  // namespace fovea
