// Corpora: many texts from files, one after the other, in bounded memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

inline namespace internal {
class FOVEA_PRIVATE_API CorpusReader;  // private, src/text/corpus
}

enum class CorpusFormat {
  automatic,  // a folder, .tar or .tgz: files; .csv; .jsonl or .ndjson; anything else: lines
  lines,      // every line is a text; empty ones count
  files,      // every .txt file of a folder or tar, in the order below; of a file: the whole of it
  csv,        // RFC 4180 with a header: quotes, line breaks within quotes
  jsonl,      // a JSON object per line
};

struct FOVEA_API CorpusOptions {
  CorpusFormat format = CorpusFormat::automatic;
  // The column of a CSV, the member of a JSON object. "": the only column; else text, review, sentence or
  // content, the first of these that is there.
  std::string field = {};
  Index limit = 0;      // so many texts at most; 0: all
  bool strict = false;  // the first broken row is an Error
};

struct FOVEA_API BrokenRow {
  Index row = 0;  // of the texts, counted from 1, the header of a CSV not counted
  std::string why;
};

struct FOVEA_API CorpusCounts {
  Index texts = 0;                // given so far
  Index empty = 0;                // of these: without a character that is not white space
  Index repaired = 0;             // of these: not UTF-8 somewhere, where U+FFFD stands now
  Index broken = 0;               // rows that were left out
  std::vector<BrokenRow> listed;  // the first kListedRows of them
  static constexpr std::size_t kListedRows = 5;
};

struct FOVEA_API CorpusText {
  std::string text;  // UTF-8
  std::string name;  // "train/pos/0_9.txt", "row 17"
};

// `path`: a folder, a file, or "-" for standard input. gzip and zstd are recognised by what they begin with
// and unpacked on the way.
//
// Files come by their folders, then by the number that their name begins with: 9_1.txt before 10_4.txt.
// Folders are sorted by name, but train comes before test and pos before neg, as people count aclImdb;
// where there are folders pos or neg, only files in these and in unsup are texts. A tar's own order does
// not count: its texts go through an unnamed temporary file.
//
// A text of more than 16 MiB is a broken row. A row that is broken is counted, and what follows is read:
// of a CSV whose quotes do not match, from the next line on.
class FOVEA_API Corpus {
 public:
  explicit Corpus(const std::string& path, const CorpusOptions& options = {});
  Corpus(Corpus&&) noexcept;
  Corpus& operator=(Corpus&&) noexcept;
  ~Corpus();

  // The next text; false after the last. Throws Error for what cannot be read at all: a damaged archive, a
  // field that is not there.
  bool next(CorpusText& text);
  const CorpusCounts& counts() const { return counts_; }
  // How many texts there will be in all, broken ones among them; 0: not known before the end.
  Index expected() const;

 private:
  std::string where_;
  CorpusOptions options_;
  CorpusCounts counts_;
  std::unique_ptr<CorpusReader> reader_;
};

}  // namespace fovea
