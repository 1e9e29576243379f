#include "fovea/npz.h"

#include "core/fail.h"
#include "io/file_writer.h"
#include "io/json_arrays.h"
#include "io/mapped_file.h"
#include "io/messages.h"
#include "io/npy_format.h"
#include "io/npy_texts.h"
#include "io/npz_format.h"
#include "io/zip_reader.h"
#include "io/zip_writer.h"

namespace fovea {
namespace {

constexpr std::string_view kSuffix = ".npy";

}  // namespace

NamedArrays parse_npz(std::string_view bytes, const std::string& where) {
  NamedArrays arrays(where);
  std::string buffer;
  for (const ZipEntry& entry : read_zip(bytes, where)) {
    const std::string entry_where = fmt::format("{}: entry {}", where, in_quotes(entry.name));
    if (!entry.name.ends_with(kSuffix))
      fail("{}: is not an array, whose name would end in .npy", entry_where);
    const std::string name = entry.name.substr(0, entry.name.size() - kSuffix.size());
    const std::string_view content = zip_content(entry, buffer, entry_where);
    if (const auto texts = parse_npy_texts(content, entry_where)) {
      arrays.metadata()[name] = text_list_json(*texts, entry_where);
      continue;
    }
    std::visit([&](auto&& array) { arrays.add(name, std::forward<decltype(array)>(array)); },
               decode(parse_npy(content, entry_where), entry_where));
  }
  return arrays;
}

NamedArrays load_npz(const std::string& path) {
  const MappedFile file(path, "npz");
  return parse_npz(file.bytes(), file.where());
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
