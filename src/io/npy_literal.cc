#include "io/npy_literal.h"

#include <limits>

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// As much of Python's literals as NumPy writes into headers.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  bool accept(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail_expecting(fmt::format("'{}'", wanted));
  }
  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail_expecting("the end");
  }

  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail_expecting("a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    const std::string_view content = text_.substr(at_ + 1, end == text_.npos ? 0 : end - at_ - 1);
    if (end == text_.npos || content.find('\\') != content.npos) fail_expecting("a plain string");
    at_ = end + 1;
    return std::string(content);
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"False", "True"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail_expecting("True or False");
  }

  Index integer() {
    skip_space();
    const bool negative = accept('-');
    Index value = 0;
    const std::size_t start = at_;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      const Index digit = text_[at_] - '0';
      if (value > (std::numeric_limits<Index>::max() - digit) / 10) {
        fail("{}: an extent of the header is too large", where_);
      }
      value = value * 10 + digit;
    }
    if (at_ == start) fail_expecting("an integer");
    accept('L');  // a long integer of Python 2
    return negative ? -value : value;
  }

  std::vector<Index> tuple() {
    std::vector<Index> items;
    expect('(');
    while (!accept(')')) {
      items.push_back(integer());
      if (accept(',')) continue;
      expect(')');
      if (items.size() == 1) fail_expecting("a comma in a tuple of one");
      break;
    }
    return items;
  }

  [[noreturn]] void fail_expecting(std::string_view what) const {
    fail("{}: expected {} at character {} of the header, got {}", where_, what, at_ + 1,
         at_ < text_.size() ? in_quotes(text_.substr(at_, 20)) : "its end");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

}  // namespace

NpyLiteral parse_npy_literal(std::string_view text, const std::string& where) {
  NpyLiteral literal;
  bool has_descr = false, has_order = false, has_shape = false;
  LiteralReader reader(text, where);
  reader.expect('{');
  while (!reader.accept('}')) {
    const std::string key = reader.string();
    bool* seen = key == "descr"           ? &has_descr
                 : key == "fortran_order" ? &has_order
                 : key == "shape"         ? &has_shape
                                          : nullptr;
    if (seen == nullptr) fail("{}: the header has an unknown key {}", where, in_quotes(key));
    if (*seen) fail("{}: the header has the key {} twice", where, in_quotes(key));
    *seen = true;
    reader.expect(':');
    if (seen == &has_descr) {
      if (reader.accept('[')) fail("{}: arrays of records are not supported", where);
      literal.descr = reader.string();
    } else if (seen == &has_order) {
      literal.fortran_order = reader.boolean();
    } else {
      literal.extents = reader.tuple();
    }
    if (!reader.accept(',')) {
      reader.expect('}');
      break;
    }
  }
  reader.expect_end();
  if (!has_descr || !has_order || !has_shape) {
    fail("{}: incomplete header: expected 'descr', 'fortran_order' and 'shape'", where);
  }
  return literal;
}

}  // namespace fovea
