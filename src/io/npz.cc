#include "fovea/npz.h"

#include <set>

#include "core/fail.h"
#include "io/file_writer.h"
#include "io/json_arrays.h"
#include "io/messages.h"
#include "io/npy_format.h"
#include "io/npy_texts.h"
#include "io/npz_format.h"
#include "io/zip_writer.h"

namespace fovea {
namespace {

constexpr std::string_view kSuffix = ".npy";

// Arrays that inflate beyond kGrowth are believed up to this much memory in all: numbers that were computed
// shrink to a half at best, and masks of a few megabytes to nearly nothing, but four gigabytes of zeros in
// four megabytes are nobody's data.
constexpr std::uint64_t kGrowth = 100;
constexpr std::uint64_t kMostGrown = std::uint64_t{32} << 20;

// Reads on to the data of an entry whose header is known.
void skip_header(ZipEntryReader& reader, std::uint64_t data_begin) {
  std::string header(static_cast<std::size_t>(data_begin), '\0');
  reader.read(header.data(), header.size());
}

}  // namespace

NpzArchive::NpzArchive(const ByteSource& file) : file_(file) {
  std::set<std::string> names;
  for (const ZipEntry& zip : read_zip(file, file.where())) {
    entries_.push_back(read_header(zip));
    if (!names.insert(entries_.back().name).second) {
      fail("{}: the name {} appears twice", file.where(), in_quotes(entries_.back().name));
    }
  }
}

std::string NpzArchive::where_of(const ZipEntry& entry) const {
  return fmt::format("{}: entry {}", file_.where(), in_quotes(entry.name));
}

NpzArchive::Entry NpzArchive::read_header(const ZipEntry& zip) const {
  const std::string where = where_of(zip);
  if (!zip.name.ends_with(kSuffix)) fail("{}: not an array: its name does not end in .npy", where);
  ZipEntryReader reader(file_, zip, where);
  NpyHeader header = read_npy_header(reader, zip.size, where);
  const std::uint64_t data_size = zip.size - header.data_begin;
  Entry entry = {zip.name.substr(0, zip.name.size() - kSuffix.size()), zip, std::move(header.literal),
                 header.data_begin};
  entry.is_texts = is_npy_texts(entry.literal);
  if (entry.is_texts) {
    npy_text_layout(entry.literal, data_size, where);  // the shape fits the size
  } else {
    entry.raw = raw_array_of(entry.literal, data_size, where);
  }
  return entry;
}

void NpzArchive::count_growth(const Entry& entry, std::uint64_t memory) {
  if (entry.zip.size / kGrowth <= entry.zip.stored_size) return;
  grown_ += memory;
  if (grown_ > kMostGrown) {
    fail(
        "{}: {} bytes inflate to {}, more than {} times as much, which is refused above {} bytes in total; if you "
        "trust the file, store it uncompressed (numpy.savez)",
        where_of(entry.zip), grouped(entry.zip.stored_size), grouped(entry.zip.size), kGrowth,
        grouped(kMostGrown));
  }
}

std::variant<Tensor, Ids> NpzArchive::array(const Entry& entry) {
  count_growth(entry, decoded_bytes(entry.raw));
  const std::string where = where_of(entry.zip);
  ZipEntryReader reader(file_, entry.zip, where);
  skip_header(reader, entry.data_begin);
  std::variant<Tensor, Ids> array = decode(entry.raw, reader, where);
  reader.finish();
  return array;
}

std::vector<std::string> NpzArchive::texts(const Entry& entry) {
  const std::string where = where_of(entry.zip);
  const NpyTextLayout layout = npy_text_layout(entry.literal, entry.zip.size - entry.data_begin, where);
  count_growth(entry, layout.count * (sizeof(std::string) + layout.size));
  ZipEntryReader reader(file_, entry.zip, where);
  skip_header(reader, entry.data_begin);
  std::vector<std::string> texts = read_npy_texts(entry.literal, layout, reader, where);
  reader.finish();
  return texts;
}

NamedArrays NpzArchive::all() {
  NamedArrays arrays(file_.where());
  for (const Entry& entry : entries_) {
    if (entry.is_texts) {
      arrays.metadata()[entry.name] = text_list_json(texts(entry), where_of(entry.zip));
    } else {
      std::visit([&](auto&& one) { arrays.add(entry.name, std::forward<decltype(one)>(one)); },
                 array(entry));
    }
  }
  return arrays;
}

NamedArrays parse_npz(std::string_view bytes, const std::string& where) {
  const MemorySource source(bytes, where);
  return NpzArchive(source).all();
}

NamedArrays load_npz(const std::string& path) {
  const InputFile file(path, "npz");
  return NpzArchive(file).all();
}

void save_npz(const std::string& path, const NamedArrays& arrays, const std::vector<NamedTexts>& texts) {
  const std::string where = "[npz] " + path;
  write_file_atomically(path, [&](FileWriter& file) {
    ZipWriter zip(file, where);
    for (const NamedArrays::Entry& entry : arrays) {
      const std::string header = npy_header(entry.is_tensor() ? kNpyFloat : kNpyIds, entry.shape());
      const std::string_view data =
          std::visit([](const auto& array) { return bytes_of(array); }, entry.array);
      zip.add(entry.name + std::string(kSuffix), header, data);
    }
    for (const NamedTexts& each : texts) {
      const NpyTexts npy = npy_texts(each, where);
      zip.add(each.name + std::string(kSuffix), npy.header, npy.data);
    }
    zip.finish();
  });
}

}  // namespace fovea
