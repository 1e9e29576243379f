#include "fovea/array_file.h"

#include <filesystem>
#include <map>

#include "core/fail.h"
#include "fovea/ascii.h"
#include "fovea/file.h"
#include "io/byte_source.h"
#include "io/file_format.h"
#include "io/json_arrays.h"
#include "io/messages.h"
#include "io/npy_format.h"
#include "io/npz_format.h"
#include "io/safetensors_format.h"

namespace fovea {
namespace {

// A number takes some 20 bytes of text and 16 of memory: sooner than memory ends, people want .npy.
constexpr Index kJsonLimit = Index{256} << 20;

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

ArrayFile::Entry entry_of(const std::string& name, const RawArray& raw) {
  return {name, raw.shape, is_floating(raw.dtype)};
}

}  // namespace

FileFormat file_format(const std::string& path) {
  const std::string extension = ascii_lower_case(std::filesystem::path(path).extension().string());
  if (extension == ".npy") return FileFormat::npy;
  if (extension == ".npz") return FileFormat::npz;
  if (extension == ".safetensors") return FileFormat::safetensors;
  if (extension == ".json") return FileFormat::json;
  fail("[arrays] {}: {}; supported: .npy, .npz, .safetensors and .json", path,
       extension.empty() ? "the name has no extension" : "unknown extension " + extension);
}

class ArrayFile::Format {
 public:
  virtual ~Format() = default;
  virtual std::vector<Entry> entries() const = 0;
  virtual std::variant<Tensor, Ids> array(std::size_t entry) = 0;  // as numbered by entries()
  virtual std::string text(const std::string& name) = 0;
  virtual NamedArrays all() = 0;
  virtual const std::string& source() const = 0;

  class Npy;
  class Npz;
  class Safetensors;
  class JsonText;
  static std::unique_ptr<Format> open(const std::string& path);
};

class ArrayFile::Format::Npy final : public Format {
 public:
  explicit Npy(const std::string& path)
      : name_(stem_of(path)), file_(path, "npy"), raw_(parse_npy(file_, file_.where())) {}
  std::vector<Entry> entries() const override { return {entry_of(name_, raw_)}; }
  std::variant<Tensor, Ids> array(std::size_t) override { return decode(raw_, file_.where()); }
  std::string text(const std::string&) override { return ""; }
  NamedArrays all() override {
    NamedArrays arrays(file_.where());
    std::visit([&](auto&& one) { arrays.add(name_, std::forward<decltype(one)>(one)); }, array(0));
    return arrays;
  }
  const std::string& source() const override { return file_.where(); }

 private:
  std::string name_;
  InputFile file_;
  RawArray raw_;
};

class ArrayFile::Format::Npz final : public Format {
 public:
  explicit Npz(const std::string& path) : file_(path, "npz"), archive_(file_) {
    for (const NpzArchive::Entry& entry : archive_.entries()) {
      if (!entry.is_texts) arrays_.push_back(&entry);
    }
  }
  std::vector<Entry> entries() const override {
    std::vector<Entry> all;
    for (const NpzArchive::Entry* entry : arrays_) all.push_back(entry_of(entry->name, entry->raw));
    return all;
  }
  std::variant<Tensor, Ids> array(std::size_t entry) override { return archive_.array(*arrays_[entry]); }
  std::string text(const std::string& name) override {
    for (const NpzArchive::Entry& entry : archive_.entries()) {
      if (entry.is_texts && entry.name == name) return text_list_json(archive_.texts(entry), source());
    }
    return "";
  }
  NamedArrays all() override { return archive_.all(); }
  const std::string& source() const override { return file_.where(); }

 private:
  InputFile file_;
  NpzArchive archive_;
  std::vector<const NpzArchive::Entry*> arrays_;
};

class ArrayFile::Format::Safetensors final : public Format {
 public:
  explicit Safetensors(const std::string& path)
      : file_(path, "safetensors"), index_(index_safetensors(file_)) {}
  std::vector<Entry> entries() const override {
    std::vector<Entry> all;
    for (const SafetensorsIndex::Entry& entry : index_.entries)
      all.push_back(entry_of(entry.name, entry.raw));
    return all;
  }
  std::variant<Tensor, Ids> array(std::size_t entry) override {
    return decode(index_.entries[entry].raw, source());
  }
  std::string text(const std::string& name) override {
    const auto found = index_.metadata.find(name);
    return found == index_.metadata.end() ? "" : found->second;
  }
  NamedArrays all() override { return decode_safetensors(index_, source()); }
  const std::string& source() const override { return file_.where(); }

 private:
  InputFile file_;
  SafetensorsIndex index_;
};

// Has to be read as a whole.
class ArrayFile::Format::JsonText final : public Format {
 public:
  explicit JsonText(const std::string& path)
      : arrays_(parse_json_arrays(read_file(path, kJsonLimit), "[json] " + path, stem_of(path))) {}
  std::vector<Entry> entries() const override {
    std::vector<Entry> all;
    for (const NamedArrays::Entry& entry : arrays_) {
      all.push_back({entry.name, entry.shape(), entry.is_tensor()});
    }
    return all;
  }
  std::variant<Tensor, Ids> array(std::size_t entry) override {
    return (arrays_.begin() + static_cast<std::ptrdiff_t>(entry))->array;
  }
  std::string text(const std::string& name) override {
    const auto found = arrays_.metadata().find(name);
    return found == arrays_.metadata().end() ? "" : found->second;
  }
  NamedArrays all() override { return arrays_; }
  const std::string& source() const override { return arrays_.source(); }

 private:
  NamedArrays arrays_;
};

std::unique_ptr<ArrayFile::Format> ArrayFile::Format::open(const std::string& path) {
  switch (file_format(path)) {
    case FileFormat::npy:
      return std::make_unique<Npy>(path);
    case FileFormat::npz:
      return std::make_unique<Npz>(path);
    case FileFormat::safetensors:
      return std::make_unique<Safetensors>(path);
    default:
      return std::make_unique<JsonText>(path);
  }
}

ArrayFile::ArrayFile(const std::string& path) : format_(Format::open(path)) {
  source_ = format_->source();
  entries_ = format_->entries();
}

ArrayFile::ArrayFile(ArrayFile&&) noexcept = default;
ArrayFile& ArrayFile::operator=(ArrayFile&&) noexcept = default;
ArrayFile::~ArrayFile() = default;

Tensor ArrayFile::tensor(std::string_view name) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name != name) continue;
    std::variant<Tensor, Ids> array = format_->array(i);
    if (auto* tensor = std::get_if<Tensor>(&array)) return std::move(*tensor);
    return to_tensor(std::get<Ids>(array));
  }
  fail("{}: there is no array {}", source_, in_quotes(name));
}

std::string ArrayFile::text(const std::string& name) const { return format_->text(name); }

NamedArrays ArrayFile::all() const { return format_->all(); }

}  // namespace fovea
