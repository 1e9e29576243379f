// CSV as RFC 4180 has it: a header, fields in quotes that may hold commas, quotes and line breaks.
#include <algorithm>
#include <deque>

#include "core/fail.h"
#include "io/line_reader.h"
#include "io/messages.h"
#include "text/corpus/corpus_reader.h"

namespace fovea {
inline namespace internal {
namespace {

using Fields = std::vector<std::string>;

// Takes the lines of one record, until it is whole or broken.
class CsvRecord {
 public:
  // `line` has its line break. True: the record needs another line.
  bool add(std::string_view line) {
    if (state_ == State::begin && fields_.empty()) fields_.emplace_back();
    const std::string_view text = without_line_break(line);
    for (const char c : text) {
      take(c);
      if (!broken_.empty()) return false;
    }
    if (state_ != State::quoted) return false;
    fields_.back() += line.substr(text.size());
    return true;
  }
  void end_early() { broken_ = "a field in quotes does not end"; }

  const std::string& broken() const { return broken_; }
  Fields& fields() { return fields_; }

 private:
  enum class State { begin, plain, quoted, after_quote };

  void take(char c) {
    switch (state_) {
      case State::quoted:
        if (c == '"') {
          state_ = State::after_quote;
        } else {
          fields_.back() += c;
        }
        return;
      case State::after_quote:
        if (c == '"') {  // two quotes are one
          fields_.back() += c;
          state_ = State::quoted;
          return;
        }
        if (c != ',') {
          broken_ = "text after the closing quote of a field";
          return;
        }
        break;
      case State::begin:
        if (c == '"') {
          state_ = State::quoted;
          return;
        }
        state_ = State::plain;
        break;
      case State::plain:
        break;
    }
    if (c == ',') {
      fields_.emplace_back();
      state_ = State::begin;
    } else if (c == '"') {
      broken_ = "a quote within a field that is not in quotes";
    } else {
      fields_.back() += c;
    }
  }

  State state_ = State::begin;
  Fields fields_;
  std::string broken_;
};

class CsvCorpus final : public CorpusReader {
 public:
  CsvCorpus(std::unique_ptr<ByteStream> stream, const std::string& field) : lines_(std::move(stream)) {
    Fields header;
    std::string broken;
    if (!read_record(header, broken)) fail("{}: the CSV is empty, expected a header", lines_.where());
    if (!broken.empty()) fail("{}: the header of the CSV: {}", lines_.where(), broken);
    columns_ = header.size();
    column_ = column_of(header, field);
  }

  bool next(CorpusRow& row) override {
    Fields fields;
    if (!read_record(fields, row.broken)) return false;
    row.name = fmt::format("row {}", ++row_);
    row.text.clear();
    if (row.broken.empty() && fields.size() != columns_) {
      row.broken = fmt::format("{} fields, expected {}", fields.size(), columns_);
    }
    if (row.broken.empty()) {
      row.text = std::move(fields[column_]);
    } else {
      row.broken = fmt::format("line {}: {}", first_line_, row.broken);
    }
    return true;
  }

 private:
  std::size_t column_of(const Fields& header, const std::string& field) const {
    std::vector<std::string> wanted(std::begin(kTextFields), std::end(kTextFields));
    if (!field.empty()) wanted = {field};
    if (field.empty() && header.size() == 1) wanted = {header.front()};
    for (const std::string& name : wanted) {
      const auto found = std::find(header.begin(), header.end(), name);
      if (found == header.end()) continue;
      if (std::find(found + 1, header.end(), name) != header.end()) {
        fail("{}: has the column {} twice", lines_.where(), in_quotes(name));
      }
      return static_cast<std::size_t>(found - header.begin());
    }
    std::string names;
    for (const std::string& name : header) names += (names.empty() ? "" : ", ") + in_quotes(name);
    fail("{}: has no column {}; it has {}", lines_.where(),
         field.empty() ? "text, review, sentence or content" : in_quotes(field), names);
  }

  struct Line {
    std::string text;
    std::uint64_t number = 0;
    bool too_long = false;
  };

  bool next_line(Line& line) {
    if (!waiting_.empty()) {
      line = std::move(waiting_.front());
      waiting_.pop_front();
      return true;
    }
    if (!lines_.next(line.text)) return false;
    line.number = lines_.number();
    line.too_long = lines_.too_long();
    return true;
  }

  // A record, or why it is none: then only its first line is lost, and those after it are read again. That
  // stays linear: a quote that is still open after a line is closed, or found misplaced, by the next line
  // that has one.
  bool read_record(Fields& fields, std::string& broken) {
    Line line;
    do {
      if (!next_line(line)) return false;
    } while (without_line_break(line.text).empty());
    first_line_ = line.number;
    CsvRecord record;
    std::deque<Line> after;
    std::size_t length = line.text.size();
    bool too_long = line.too_long, more = !too_long && record.add(line.text);
    while (more) {
      Line next;
      if (!next_line(next)) {
        record.end_early();
        break;
      }
      length += next.text.size();
      too_long = next.too_long || length > kLongestLine;
      more = !too_long && record.add(next.text);
      after.push_back(std::move(next));
    }
    broken = too_long ? fmt::format("longer than {} bytes", grouped(kLongestLine)) : record.broken();
    if (broken.empty()) {
      fields = std::move(record.fields());
    } else {
      waiting_.insert(waiting_.begin(), std::make_move_iterator(after.begin()),
                      std::make_move_iterator(after.end()));
    }
    return true;
  }

  LineReader lines_;
  std::deque<Line> waiting_;
  std::uint64_t first_line_ = 0, row_ = 0;
  std::size_t columns_ = 0, column_ = 0;
};

}  // namespace

std::unique_ptr<CorpusReader> read_csv(std::unique_ptr<ByteStream> stream, const std::string& field) {
  return std::make_unique<CsvCorpus>(std::move(stream), field);
}

}  // namespace internal
}  // namespace fovea
