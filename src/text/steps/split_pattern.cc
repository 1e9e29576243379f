#include "text/steps/split_pattern.h"

#include <array>
#include <cstdint>

#include "core/utf8.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

enum class Kind : std::uint8_t { letter, number, space, other, end };

Kind kind_of(char32_t c) {
  if (is_letter(c)) return Kind::letter;
  if (is_number(c)) return Kind::number;
  return is_white_space(c) ? Kind::space : Kind::other;
}

const std::array<Kind, 128>& ascii_kinds() {
  static const std::array<Kind, 128> kinds = [] {
    std::array<Kind, 128> table{};
    for (char32_t c = 0; c < 128; ++c) table[c] = kind_of(c);
    return table;
  }();
  return kinds;
}

// Reads along a text by kinds of characters.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t at) : text_(text), ascii_(ascii_kinds()) { move_to(at); }

  std::size_t at() const { return at_; }
  Kind kind() const { return kind_; }
  char byte() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_newline() const { return byte() == '\n' || byte() == '\r'; }

  void move_to(std::size_t at) {
    at_ = next_ = at;
    if (at == text_.size()) {
      kind_ = Kind::end;
      return;
    }
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < 0x80) {
      ++next_;
      kind_ = ascii_[byte];
    } else {
      kind_ = kind_of(next_code_point(text_, next_));
    }
  }
  void advance() { move_to(next_); }
  void skip(Kind kind) {
    while (kind_ == kind) advance();
  }

 private:
  std::string_view text_;
  const std::array<Kind, 128>& ascii_;
  std::size_t at_ = 0, next_ = 0;
  Kind kind_ = Kind::end;
};

// The length of 's 't 're 've 'm 'll 'd at text[at], which is an apostrophe; 0 if it is none of them.
std::size_t contraction_length(std::string_view text, std::size_t at, bool ignore_case) {
  const std::string_view rest = text.substr(at + 1, 2);
  const auto letter = [&](std::size_t i) {
    if (i >= rest.size()) return '\0';
    const bool upper = ignore_case && rest[i] >= 'A' && rest[i] <= 'Z';
    return static_cast<char>(upper ? rest[i] + 32 : rest[i]);
  };
  const char first = letter(0), second = letter(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l'))
    return 3;
  if (ignore_case && rest == "\u017F") return 3;  // ſ, the long s, is an s when case does not count
  return 0;
}

// \s+(?!\S)|\s+ from a space on: all of them, without the last one if something else follows.
std::size_t end_of_spaces(Scanner scanner) {
  std::size_t last = scanner.at(), spaces = 0;
  for (; scanner.kind() == Kind::space; scanner.advance(), ++spaces) last = scanner.at();
  return scanner.kind() == Kind::end || spaces == 1 ? scanner.at() : last;
}

// The pattern of Llama 3 and its relatives, which differ in how many digits stay together.
template <int kMaxDigits>
std::size_t next_llama3_word(std::string_view text, std::size_t at) {
  Scanner scanner(text, at);
  if (scanner.byte() == '\'') {
    const std::size_t length = contraction_length(text, at, true);
    if (length > 0) return at + length;
  }
  // [^\r\n\p{L}\p{N}]?\p{L}+
  Scanner letters = scanner;
  if ((scanner.kind() == Kind::space || scanner.kind() == Kind::other) && !scanner.is_newline())
    letters.advance();
  if (letters.kind() == Kind::letter) {
    letters.skip(Kind::letter);
    return letters.at();
  }
  if (scanner.kind() == Kind::number) {
    for (int digits = 0; digits < kMaxDigits && scanner.kind() == Kind::number; ++digits) scanner.advance();
    return scanner.at();
  }
  //  ?[^\s\p{L}\p{N}]+[\r\n]*
  Scanner symbols = scanner;
  if (symbols.byte() == ' ') symbols.advance();
  if (symbols.kind() == Kind::other) {
    symbols.skip(Kind::other);
    while (symbols.is_newline()) symbols.advance();
    return symbols.at();
  }
  // \s*[\r\n]+: up to the last line break among the spaces
  std::size_t after_break = 0;
  for (Scanner spaces = scanner; spaces.kind() == Kind::space;) {
    const bool newline = spaces.is_newline();
    spaces.advance();
    if (newline) after_break = spaces.at();
  }
  return after_break > 0 ? after_break : end_of_spaces(scanner);
}

}  // namespace

std::size_t next_gpt2_word(std::string_view text, std::size_t at) {
  Scanner scanner(text, at);
  if (scanner.byte() == '\'') {
    const std::size_t length = contraction_length(text, at, false);
    if (length > 0) return at + length;
  }
  Scanner word = scanner;
  if (word.byte() == ' ') word.advance();
  const Kind kind = word.kind();
  if (kind == Kind::letter || kind == Kind::number || kind == Kind::other) {
    word.skip(kind);
    return word.at();
  }
  return end_of_spaces(scanner);
}

std::optional<SplitPattern> find_split_pattern(std::string_view regex) {
  if (regex == kGpt2) return next_gpt2_word;
  if (regex == kLlama3) return next_llama3_word<3>;
  if (regex == kQwen2) return next_llama3_word<1>;
  return std::nullopt;
}

}  // namespace fovea
