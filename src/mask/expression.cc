// parse_mask: recursive descent over text of unknown origin.
//
//   either  = both (("|" | "or") both)*
//   both    = negated (("&" | "and") negated)*
//   negated = ("!" | "not")* simple
//   simple  = "(" either ")" | name | name "(" arguments ")"
#include <algorithm>
#include <charconv>
#include <utility>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/mask.h"
#include "fovea/render.h"

namespace fovea {
namespace {

// Each "(" is a call of the parser and later of the mask: far more than a person writes, far less than the
// stack.
constexpr int kMaxNesting = 200;

constexpr const char* kNames = "none, causal, window, sparse, prefix, padding, lengths, documents";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Mask parse() {
    Mask mask = either();
    skip_space();
    if (at_ != text_.size()) expected("\"&\", \"|\" or the end");
    return mask;
  }

 private:
  Mask either() {
    Mask mask = both();
    for (std::size_t begin; (begin = take_operator('|', "or")) != kNone;) {
      const Mask right = both();
      mask = located(begin, [&] { return mask | right; });
    }
    return mask;
  }

  Mask both() {
    Mask mask = negated();
    for (std::size_t begin; (begin = take_operator('&', "and")) != kNone;) {
      const Mask right = negated();
      mask = located(begin, [&] { return mask & right; });
    }
    return mask;
  }

  Mask negated() {
    bool negate = false;
    while (take_operator('!', "not") != kNone) negate = !negate;
    const Mask mask = simple();
    return negate ? !mask : mask;
  }

  Mask simple() {
    if (!take('(')) return named();
    if (++nesting_ > kMaxNesting) fail_at(at_ - 1, fmt::format("more than {} nested \"(\"", kMaxNesting));
    Mask mask = either();
    take_closing(')', "\"&\", \"|\" or \")\"");
    --nesting_;
    return mask;
  }

  Mask named() {
    skip_space();
    const std::size_t begin = at_;
    const std::string_view name = peek_word();
    if (name.empty()) expected(fmt::format("a mask ({}), \"!\" or \"(\"", kNames));
    at_ += name.size();
    return located(begin, [&] { return leaf(name, begin); });
  }

  Mask leaf(std::string_view name, std::size_t begin) {
    if (name == "none") return Mask::none();
    if (name == "causal") return causal();
    if (name == "window") return window();
    if (name == "padding") return padding();
    if (name == "lengths") return lengths();
    if (name == "sparse") return Mask::sparse(only_argument<Index>(&Parser::number));
    if (name == "prefix") return Mask::prefix(only_argument<Index>(&Parser::number));
    if (name == "documents") return Mask::documents(only_argument<Ids>(&Parser::ids));
    fail_at(begin, fmt::format("unknown mask \"{}\", expected one of {}", name.substr(0, 40), kNames));
  }

  Mask causal() {
    if (!take('(')) return Mask::causal();
    const char* choices = "\"top_left\" or \"bottom_right\"";
    skip_space();
    const std::string_view word = peek_word();
    if (word != "top_left" && word != "bottom_right") expected(choices);
    at_ += word.size();
    take_closing(')', "\")\"");
    return Mask::causal(word == "top_left" ? Align::top_left : Align::bottom_right);
  }

  Mask window() {
    take_opening();
    const Index before = number();
    const Index after = take(',') ? number() : before;
    take_closing(')', "\",\" or \")\"");
    return Mask::sliding_window(before, after);
  }

  Mask padding() {
    take_opening();
    const Ids tokens = ids();
    const Index pad = take(',') ? number() : 0;
    take_closing(')', "\",\" or \")\"");
    return Mask::padding(tokens, pad);
  }

  Mask lengths() {
    take_opening();
    std::vector<Index> lengths{number()};
    while (take(',')) lengths.push_back(number());
    take_closing(')', "\",\" or \")\"");
    return Mask::lengths(lengths);
  }

  template <typename T>
  T only_argument(T (Parser::*argument)()) {
    take_opening();
    T value = (this->*argument)();
    take_closing(')', "\")\"");
    return value;
  }

  // [1,2,0] or [[1,2,0],[3,0,0]]
  Ids ids() {
    if (!take('[')) expected("\"[\" and ids, as [1,2,0] or [[1,2,0],[3,0,0]]");
    std::vector<std::int64_t> values;
    skip_space();
    if (peek() != '[') {
      row(values);
      const Shape shape{static_cast<Index>(values.size())};
      return Ids(shape, std::move(values));
    }
    std::size_t rows = 0, width = 0;
    do {
      skip_space();
      const std::size_t begin = at_;
      if (!take('[')) expected("\"[\"");
      const std::size_t before = values.size();
      row(values);
      const std::size_t got = values.size() - before;
      if (rows++ == 0) width = got;
      if (got != width)
        fail_at(begin, fmt::format("a row of {} ids, expected {} as in the first", got, width));
    } while (take(','));
    take_closing(']', "\",\" or \"]\"");
    return Ids({static_cast<Index>(rows), static_cast<Index>(width)}, std::move(values));
  }

  // The rest of a row, after its "[".
  void row(std::vector<std::int64_t>& values) {
    if (take(']')) return;
    do values.push_back(number());
    while (take(','));
    take_closing(']', "\",\" or \"]\"");
  }

  Index number() {
    skip_space();
    Index value = 0;
    const char* end = text_.data() + text_.size();
    const auto result = std::from_chars(text_.data() + at_, end, value);
    if (result.ec == std::errc::result_out_of_range) fail_at(at_, "the number is too large");
    if (result.ec != std::errc()) expected("a whole number");
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return value;
  }

  // Lexical helpers. `at_` is the next byte to read.
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void take_opening() {
    if (!take('(')) expected("\"(\" and an argument");
  }
  void take_closing(char c, const char* what) {
    if (!take(c)) expected(what);
  }
  std::string_view peek_word() const {
    std::size_t end = at_;
    while (end < text_.size() && is_word_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  // Takes the sign or the word; where it began, or kNone.
  std::size_t take_operator(char sign, std::string_view word) {
    if (take(sign)) return at_ - 1;
    if (peek_word() != word) return kNone;
    at_ += word.size();
    return at_ - word.size();
  }

  // Errors.
  [[noreturn]] void expected(const std::string& what) {
    skip_space();
    fail_at(at_, fmt::format("expected {}, got {}", what, next_token()));
  }
  [[noreturn]] void fail_at(std::size_t at, const std::string& message) const {
    // Columns count characters: bytes that do not continue a UTF-8 sequence.
    const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto column =
        1 + std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), starts_character);
    throw LocatedError(fmt::format("[mask] column {}: {}", column, message));
  }
  std::string next_token() const {
    if (at_ == text_.size()) return "the end";
    const std::string_view word = peek_word();
    if (!word.empty()) return fmt::format("\"{}\"", word.substr(0, 40));
    const char c = text_[at_];
    if (c > ' ' && c < 127) return fmt::format("\"{}\"", c);
    const CodePoint point = decode_utf8(text_, at_);
    if (point.valid && point.bytes > 1) {
      const std::string_view character = text_.substr(at_, point.bytes);
      const bool can_be_seen =
          display_width(character) > 0 && !is_white_space(point.value) && printable(character) == character;
      return can_be_seen ? fmt::format("\"{}\"", character)
                         : fmt::format("U+{:04X}", static_cast<unsigned>(point.value));
    }
    return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
  }

  // An Error that already names its column.
  struct LocatedError : Error {
    using Error::Error;
  };
  // Errors of the masks themselves (a stride of 0, batches that do not fit) get the column too.
  template <typename Make>
  Mask located(std::size_t begin, const Make& make) const {
    try {
      return make();
    } catch (const LocatedError&) {
      throw;
    } catch (const Error& error) {
      std::string_view message = error.what();
      constexpr std::string_view kPrefix = "[mask] ";
      if (message.substr(0, kPrefix.size()) == kPrefix) message.remove_prefix(kPrefix.size());
      fail_at(begin, std::string(message));
    }
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string_view text_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Mask parse_mask(std::string_view expression) {
  try {
    return Parser(expression).parse();
  } catch (const Error& error) {
    throw Error(error.what());  // callers meet one type of exception
  }
}

}  // namespace fovea
