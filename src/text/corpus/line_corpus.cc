// A text per line: plain, or in a JSON object.
#include <algorithm>

#include "core/fail.h"
#include "io/json.h"
#include "io/line_reader.h"
#include "io/messages.h"
#include "text/corpus/corpus_reader.h"
#include "text/unicode/valid_text.h"

namespace fovea {
inline namespace internal {
namespace {

std::string too_long_line() { return fmt::format("longer than {} bytes", grouped(kLongestLine)); }

class LineCorpus final : public CorpusReader {
 public:
  explicit LineCorpus(std::unique_ptr<ByteStream> stream) : lines_(std::move(stream)) {}

  bool next(CorpusRow& row) override {
    if (!lines_.next(row.text)) return false;
    row.name = fmt::format("line {}", lines_.number());
    if (lines_.too_long()) row.broken = too_long_line();
    row.text.resize(without_line_break(row.text).size());
    return true;
  }

 private:
  LineReader lines_;
};

class JsonLines final : public CorpusReader {
 public:
  JsonLines(std::unique_ptr<ByteStream> stream, std::string field)
      : lines_(std::move(stream)), field_(std::move(field)) {}

  bool next(CorpusRow& row) override {
    do {
      if (!lines_.next(line_)) return false;
    } while (without_line_break(line_).empty());
    row.name = fmt::format("line {}", lines_.number());
    row.text.clear();
    if (lines_.too_long()) {
      row.broken = too_long_line();
      return true;
    }
    try {
      // Bytes that are no UTF-8 are repaired where they stand: the row is not lost for them.
      take_field(parse_json(line_, "JSON"), row);
    } catch (const Error& error) {
      const std::string repaired = repair_utf8(line_);
      if (repaired == line_) {
        row.broken = error.what();
      } else {
        take_repaired(repaired, row);
      }
    }
    return true;
  }

 private:
  void take_repaired(const std::string& repaired, CorpusRow& row) const {
    try {
      take_field(parse_json(repaired, "JSON"), row);
      row.repaired = row.broken.empty();
    } catch (const Error& error) {
      row.broken = error.what();
    }
  }

  void take_field(const Json& object, CorpusRow& row) const {
    if (!object.is_object()) {
      row.broken = fmt::format("expected a JSON object, got {}", object.type_name());
      return;
    }
    auto found = object.end();
    if (!field_.empty()) {
      found = object.find(field_);
    } else {
      for (const char* name : kTextFields) {
        if (found == object.end()) found = object.find(name);
      }
      if (found == object.end() && object.size() == 1) found = object.begin();
    }
    if (found == object.end()) {
      row.broken = field_.empty() ? "has neither text, review, sentence nor content; --field names another"
                                  : fmt::format("has no field {}", in_quotes(field_));
    } else if (!found->is_string()) {
      row.broken = fmt::format("{} is {}, expected a text", in_quotes(found.key()), found->type_name());
    } else {
      row.text = found->get<std::string>();
    }
  }

  LineReader lines_;
  std::string field_, line_;
};

}  // namespace

std::unique_ptr<CorpusReader> read_lines(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<LineCorpus>(std::move(stream));
}

std::unique_ptr<CorpusReader> read_jsonl(std::unique_ptr<ByteStream> stream, const std::string& field) {
  return std::make_unique<JsonLines>(std::move(stream), field);
}

}  // namespace internal
}  // namespace fovea
