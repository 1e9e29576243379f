// A text per file: of a folder, or of a tar.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/fail.h"
#include "io/descriptor.h"
#include "io/line_reader.h"
#include "io/messages.h"
#include "io/tar_reader.h"
#include "text/corpus/corpus_reader.h"
#include "text/corpus/file_order.h"

namespace fovea {
inline namespace internal {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 16;

std::string too_long_text() { return fmt::format("longer than {} bytes", grouped(kLongestLine)); }

// All of a stream, if it is not too long.
void read_text(ByteStream& stream, CorpusRow& row) {
  row.text.clear();
  while (true) {
    const std::size_t length = row.text.size();
    if (length > kLongestLine) {
      row.text.clear();
      row.broken = too_long_text();
      return;
    }
    row.text.resize(length + kPart);
    row.text.resize(length + stream.read(row.text.data() + length, kPart));
    if (row.text.size() == length) return;
  }
}

class WholeFile final : public CorpusReader {
 public:
  WholeFile(std::unique_ptr<ByteStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {}
  bool next(CorpusRow& row) override {
    if (stream_ == nullptr) return false;
    row.name = name_;
    read_text(*stream_, row);
    stream_.reset();
    return true;
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string name_;
};

// Only reviews, where there are folders of them: aclImdb has lists of addresses beside them.
template <typename Entry>
void keep_reviews(std::vector<Entry>& entries) {
  const bool rated =
      std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return is_rated(entry.name); });
  if (rated) std::erase_if(entries, [](const Entry& entry) { return !is_review(entry.name); });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return comes_before(a.name, b.name); });
}

class FolderReader final : public CorpusReader {
 public:
  FolderReader(const std::string& path, const std::string& where) : folder_(path), where_(where) {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().lexically_relative(folder_).generic_string();
      if (at->is_regular_file(error) && is_text_name(name)) entries_.push_back({name});
    }
    if (error) fail("{}: cannot read the folder: {}", where, error.message());
    keep_reviews(entries_);
    if (entries_.empty()) fail("{}: has no .txt files", where);
  }

  Index expected() const override { return static_cast<Index>(entries_.size()); }
  bool next(CorpusRow& row) override {
    if (next_ == entries_.size()) return false;
    row.name = entries_[next_++].name;
    const auto stream = open_stream((folder_ / row.name).string(), where_ + "/" + row.name);
    read_text(*stream, row);
    return true;
  }

 private:
  struct Entry {
    std::string name;
  };
  std::filesystem::path folder_;
  std::string where_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

// Texts that wait for their turn: a file without a name, gone with the process.
class WaitingTexts {
 public:
  explicit WaitingTexts(std::string where) : where_(std::move(where)), file_(open()) {
    if (file_.get() < 0) {
      fail("{}: cannot create a temporary file: {}", where_, std::strerror(errno));
    }
  }

  void append(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::pwrite(file_.get(), bytes, count, static_cast<off_t>(size_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("{}: cannot unpack into a temporary file: {}", where_, std::strerror(errno));
      bytes += written;
      count -= static_cast<std::size_t>(written);
      size_ += static_cast<std::uint64_t>(written);
    }
  }
  void read(std::uint64_t at, std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t got =
          ::pread(file_.get(), text.data() + done, text.size() - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail("{}: cannot read the temporary file: {}", where_, std::strerror(errno));
      done += static_cast<std::size_t>(got);
    }
  }
  std::uint64_t size() const { return size_; }

 private:
  static int open() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    std::string pattern = ((error ? "/tmp" : folder) / "fovea-XXXXXX").string();
    const int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(pattern.c_str());
    return descriptor;
  }

  std::string where_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

class TarCorpus final : public CorpusReader {
 public:
  explicit TarCorpus(std::unique_ptr<ByteStream> stream) : texts_(stream->where()) {
    TarReader tar(*stream);
    TarMember member;
    std::vector<char> part(kPart);
    while (tar.next(member)) {
      if (!member.is_file || !is_text_name(member.name)) continue;
      entries_.push_back({member.name, texts_.size(), member.size});
      if (member.size > kLongestLine) continue;
      while (const std::size_t got = tar.read(part.data(), part.size())) texts_.append(part.data(), got);
    }
    keep_reviews(entries_);
    if (entries_.empty()) fail("{}: has no .txt files", stream->where());
  }

  Index expected() const override { return static_cast<Index>(entries_.size()); }
  bool next(CorpusRow& row) override {
    if (next_ == entries_.size()) return false;
    const Entry& entry = entries_[next_++];
    row.name = entry.name;
    row.text.clear();
    if (entry.size > kLongestLine) {
      row.broken = too_long_text();
      return true;
    }
    row.text.resize(static_cast<std::size_t>(entry.size));
    texts_.read(entry.begin, row.text);
    return true;
  }

 private:
  struct Entry {
    std::string name;
    std::uint64_t begin = 0, size = 0;
  };
  WaitingTexts texts_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<CorpusReader> read_whole(std::unique_ptr<ByteStream> stream, const std::string& name) {
  return std::make_unique<WholeFile>(std::move(stream), name);
}

std::unique_ptr<CorpusReader> read_folder(const std::string& path, const std::string& where) {
  return std::make_unique<FolderReader>(path, where);
}

std::unique_ptr<CorpusReader> read_tar(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<TarCorpus>(std::move(stream));
}

}  // namespace internal
}  // namespace fovea
