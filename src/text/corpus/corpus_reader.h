// One kind of corpus, row after row.
#pragma once

#include <memory>
#include <string>

#include "fovea/corpus.h"
#include "io/byte_stream.h"

namespace fovea {
inline namespace internal {

// A row: a text, or why there is none.
struct CorpusRow {
  std::string text;
  std::string name;
  std::string broken;     // "": it is not
  bool repaired = false;  // it was not UTF-8 everywhere, and is now
};

class FOVEA_PRIVATE_API CorpusReader {
 public:
  virtual ~CorpusReader() = default;
  virtual bool next(CorpusRow& row) = 0;        // false after the last
  virtual Index expected() const { return 0; }  // rows in all, if that is known
};

std::unique_ptr<CorpusReader> read_lines(std::unique_ptr<ByteStream> stream);
std::unique_ptr<CorpusReader> read_csv(std::unique_ptr<ByteStream> stream, const std::string& field);
std::unique_ptr<CorpusReader> read_jsonl(std::unique_ptr<ByteStream> stream, const std::string& field);
std::unique_ptr<CorpusReader> read_whole(std::unique_ptr<ByteStream> stream, const std::string& name);
std::unique_ptr<CorpusReader> read_tar(std::unique_ptr<ByteStream> stream);
std::unique_ptr<CorpusReader> read_folder(const std::string& path, const std::string& where);

// The names of fields that are texts, where nobody chose one.
inline constexpr const char* kTextFields[] = {"text", "review", "sentence", "content"};

}  // namespace internal
}  // namespace fovea
