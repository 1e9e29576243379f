#include "fovea/corpus.h"

#include <algorithm>
#include <filesystem>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/ascii.h"
#include "text/corpus/corpus_reader.h"
#include "text/unicode/valid_text.h"

namespace fovea {
namespace {

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_white_space(point.value)) return false;
    at += point.bytes;
  }
  return true;
}

bool ends_with_one_of(const std::string& name, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* end) { return name.ends_with(end); });
}

CorpusFormat format_of(const std::string& path) {
  std::string name = ascii_lower_case(path);
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - std::string_view(packed).size());
  }
  if (ends_with_one_of(name, {".tar", ".tgz"})) return CorpusFormat::files;
  if (name.ends_with(".csv")) return CorpusFormat::csv;
  if (ends_with_one_of(name, {".jsonl", ".ndjson"})) return CorpusFormat::jsonl;
  return CorpusFormat::lines;
}

bool is_tar(const std::string& path) { return format_of(path) == CorpusFormat::files; }

std::unique_ptr<CorpusReader> reader_of(const std::string& path, const std::string& where,
                                        const CorpusOptions& options) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    if (options.format != CorpusFormat::automatic && options.format != CorpusFormat::files) {
      fail("{}: is a folder, whose texts are files", where);
    }
    return read_folder(path, where);
  }
  std::unique_ptr<ByteStream> stream = open_stream(path, where);
  switch (options.format == CorpusFormat::automatic ? format_of(path) : options.format) {
    case CorpusFormat::csv:
      return read_csv(std::move(stream), options.field);
    case CorpusFormat::jsonl:
      return read_jsonl(std::move(stream), options.field);
    case CorpusFormat::files:
      if (is_tar(path)) return read_tar(std::move(stream));
      return read_whole(std::move(stream), std::filesystem::path(path).filename().string());
    case CorpusFormat::automatic:
    case CorpusFormat::lines:
      break;
  }
  return read_lines(std::move(stream));
}

}  // namespace

Corpus::Corpus(const std::string& path, const CorpusOptions& options)
    : where_("[corpus] " + path), options_(options), reader_(reader_of(path, where_, options)) {
  if (options.limit < 0) fail("[corpus] got the limit {}, expected 0 or more", options.limit);
}
Corpus::Corpus(Corpus&&) noexcept = default;
Corpus& Corpus::operator=(Corpus&&) noexcept = default;
Corpus::~Corpus() = default;

Index Corpus::expected() const {
  const Index all = reader_->expected();
  return options_.limit > 0 && (all == 0 || options_.limit < all) ? options_.limit : all;
}

bool Corpus::next(CorpusText& text) {
  if (options_.limit > 0 && counts_.texts >= options_.limit) return false;
  CorpusRow row;
  while (reader_->next(row)) {
    if (row.broken.empty()) {
      const ValidText valid(row.text);
      row.repaired = row.repaired || valid.text().size() != row.text.size() || valid.text() != row.text;
      text.text = row.repaired ? std::string(valid.text()) : std::move(row.text);
      text.name = printable(row.name);
      ++counts_.texts;
      if (row.repaired) ++counts_.repaired;
      if (is_blank(text.text)) ++counts_.empty;
      return true;
    }
    const Index number = counts_.texts + ++counts_.broken;
    const std::string why = fmt::format("{}: {}", printable(row.name), printable(row.broken));
    if (options_.strict) fail("{}: {}", where_, why);
    if (counts_.listed.size() < CorpusCounts::kListedRows) counts_.listed.push_back({number, why});
    row = {};
  }
  return false;
}

}  // namespace fovea
