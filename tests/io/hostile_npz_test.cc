// Archives that promise more than they hold, or hold more than anybody asked for.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include "fovea/array_file.h"
#include "fovea/attention_weights.h"
#include "fovea/build_info.h"
#include "fovea/file.h"
#include "io/io_testing.h"
#include "io/little_endian.h"
#include "io/npy_format.h"
#include "io/npz_format.h"
#include "io/zip_format.h"

namespace fovea {
namespace {

std::string deflate_of(const std::string& head, std::uint64_t zeros) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out, room(1 << 16, '\0'), nothing(1 << 16, '\0');
  const auto put = [&](const char* bytes, std::size_t count, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
    stream.avail_in = static_cast<uInt>(count);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(room.data());
      stream.avail_out = static_cast<uInt>(room.size());
      deflate(&stream, flush);
      out.append(room, 0, room.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  put(head.data(), head.size(), Z_NO_FLUSH);
  for (; zeros > 0; zeros -= std::min<std::uint64_t>(zeros, nothing.size())) {
    put(nothing.data(), static_cast<std::size_t>(std::min<std::uint64_t>(zeros, nothing.size())),
        Z_NO_FLUSH);
  }
  put(nullptr, 0, Z_FINISH);
  deflateEnd(&stream);
  return out;
}

struct Packed {
  std::string name, stored;
  std::uint64_t size;  // that it claims to inflate to
  unsigned long crc = 0;
};

std::string archive_of(const std::vector<Packed>& entries) {
  std::string file, directory;
  const auto put16 = [](std::string& to, std::size_t v) {
    append_little_endian(to, static_cast<std::uint16_t>(v));
  };
  const auto put32 = [](std::string& to, std::uint64_t v) {
    append_little_endian(to, static_cast<std::uint32_t>(v));
  };
  for (const Packed& entry : entries) {
    std::string fields;  // shared by both headers
    for (const unsigned value : {20u, 0u, kZipDeflated, 0u, 0u}) put16(fields, value);
    put32(fields, entry.crc);
    put32(fields, entry.stored.size());
    put32(fields, entry.size);
    put16(fields, entry.name.size());
    put16(fields, 0);
    put32(directory, kZipCentral);
    put16(directory, 20);
    directory += fields;
    for (int i = 0; i < 3; ++i) put16(directory, 0);
    put32(directory, 0);
    put32(directory, file.size());
    directory += entry.name;
    put32(file, kZipLocal);
    file += fields + entry.name + entry.stored;
  }
  std::string end;
  put32(end, kZipEnd);
  put32(end, 0);
  put16(end, entries.size());
  put16(end, entries.size());
  put32(end, directory.size());
  put32(end, file.size());
  put16(end, 0);
  return file + directory + end;
}

// An entry of `floats` zeros, compressed as well as zlib can.
Packed zeros(const std::string& name, Index floats, std::string_view dtype = kNpyFloat) {
  const std::string header = npy_header(dtype, {floats});
  const std::uint64_t bytes = static_cast<std::uint64_t>(floats) * (dtype == "|b1" ? 1 : 4);
  unsigned long crc =
      crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
  const std::string nothing(1 << 16, '\0');
  for (std::uint64_t left = bytes; left > 0;) {
    const auto count = std::min<std::uint64_t>(left, nothing.size());
    crc = crc32(crc, reinterpret_cast<const Bytef*>(nothing.data()), static_cast<uInt>(count));
    left -= count;
  }
  return {name, deflate_of(header, bytes), header.size() + bytes, crc};
}

// Kilobytes that this process had at most.
long peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Sanitizers keep memory that was freed.
void expect_little_memory_since(long before) {
  constexpr long kMostMemory = 64 << 10;
  if (build_info().sanitizers.empty()) {
    EXPECT_LT(peak_memory() - before, kMostMemory);
  }
}

TEST(HostileNpz, claimed_size_is_not_believed) {
  // 4 MB that begin as an array of 3.8 GB would, and go on with nothing.
  const Index floats = 950'000'000;
  Packed entry = {"q.npy", deflate_of(npy_header(kNpyFloat, {floats}), 0), 0};
  entry.stored += std::string(4'000'000, '\xA5');
  entry.size = npy_header(kNpyFloat, {floats}).size() + 4ull * floats;
  const std::string bytes = archive_of({entry});
  const long before = peak_memory();
  EXPECT_NE(error_of([&] { parse_npz(bytes, "[npz]"); }), "");
  // The same at a growth that is possible: the data end at once.
  entry.size = npy_header(kNpyFloat, {floats}).size() + 4ull * 90'000'000;
  entry.stored = deflate_of(npy_header(kNpyFloat, {90'000'000}), 0) + entry.stored;
  const std::string possible = archive_of({entry});
  EXPECT_TRUE(contains(error_of([&] { parse_npz(possible, "[npz]"); }), "are damaged"));
  expect_little_memory_since(before);
}

TEST(HostileNpz, zeros_that_are_really_there_are_not_unpacked) {
  const Index floats = 20'000'000;
  const std::string bytes = archive_of({zeros("q.npy", floats)});
  ASSERT_LT(bytes.size(), 1'000'000u);
  const long before = peak_memory();
  const std::string message = error_of([&] { parse_npz(bytes, "[npz] bomb.npz"); });
  EXPECT_TRUE(contains(message, "[npz] bomb.npz: entry \"q.npy\": "));
  EXPECT_TRUE(contains(message, "bytes inflate to 80,000,128, more than 100 times as much"));
  expect_little_memory_since(before);
}

TEST(HostileNpz, many_small_ones_count_together) {
  std::vector<Packed> entries;
  for (int i = 0; i < 10; ++i) entries.push_back(zeros("a" + std::to_string(i) + ".npy", 1 << 20));
  const std::string bytes = archive_of(entries);
  EXPECT_TRUE(contains(error_of([&] { parse_npz(bytes, "[npz]"); }), "more than 100 times as much"));
  // A single mask of 16 million truth values is eight times as large in memory.
  const std::string mask = archive_of({zeros("mask.npy", 16 << 20, "|b1")});
  EXPECT_TRUE(contains(error_of([&] { parse_npz(mask, "[npz]"); }), "more than 100 times as much"));
}

TEST(HostileNpz, a_few_megabytes_of_zeros_are_fine) {
  const NamedArrays arrays = parse_npz(archive_of({zeros("q.npy", 1 << 20)}), "[npz]");
  EXPECT_EQ(arrays.tensor("q").shape(), (Shape{1 << 20}));
  EXPECT_EQ(arrays.tensor("q")(12345), 0.0f);
}

TEST(HostileNpz, header_of_any_length_is_not_read) {
  std::string header("\x93NUMPY\x02\x00", 8);
  append_little_endian(header, std::uint32_t{80'000'000});
  const Packed entry = {"q.npy", deflate_of(header, 80'000'000), 80'000'012};
  const long before = peak_memory();
  EXPECT_TRUE(contains(error_of([&] { parse_npz(archive_of({entry}), "[npz]"); }),
                       "the header claims 80,000,000 bytes, the limit is 65,536"));
  expect_little_memory_since(before);
}

TEST(ArrayFile, reads_only_what_is_asked_for) {
  const TemporaryFolder folder;
  Packed damaged = zeros("other.npy", 1000);
  damaged.crc ^= 1;
  write_file(folder / "a.npz", archive_of({zeros("q.npy", 10), damaged, zeros("bomb.npy", 20'000'000)}));
  const ArrayFile file(folder / "a.npz");
  ASSERT_EQ(file.entries().size(), 3u);
  EXPECT_EQ(file.entries()[2].shape, (Shape{20'000'000}));
  EXPECT_EQ(file.tensor("q").shape(), (Shape{10}));
  EXPECT_TRUE(contains(error_of([&] { file.tensor("other"); }), "checksum"));
  EXPECT_TRUE(contains(error_of([&] { file.tensor("none"); }), "there is no array \"none\""));
  EXPECT_THROW(load_arrays(folder / "a.npz"), Error);
}

TEST(ArrayFile, every_format_gives_the_same) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("q", Tensor::from({{1, 2}, {3, 4}}));
  arrays.metadata()["tokens"] = R"(["a", "b"])";
  save_arrays(folder / "a.npz", arrays);
  save_arrays(folder / "a.safetensors", arrays);
  save_arrays(folder / "q.npy", arrays);
  write_file(folder / "a.json", R"({"q": [[1, 2], [3, 4]], "tokens": ["a", "b"]})");
  for (const char* name : {"a.npz", "a.safetensors", "q.npy", "a.json"}) {
    const ArrayFile file(folder / name);
    ASSERT_EQ(file.entries().size(), 1u) << name;
    EXPECT_EQ(file.entries()[0].shape, (Shape{2, 2})) << name;
    EXPECT_EQ(values_of(file.tensor("q")), (std::vector<float>{1, 2, 3, 4})) << name;
    EXPECT_EQ(file.all().names(), std::vector<std::string>{"q"}) << name;
    EXPECT_EQ(file.text("other"), "") << name;
  }
  EXPECT_TRUE(contains(ArrayFile(folder / "a.json").text("tokens"), "\"b\""));
  EXPECT_TRUE(contains(ArrayFile(folder / "a.safetensors").text("tokens"), "\"b\""));
}

TEST(ArrayFile, weights_of_one_array_beside_others_that_are_damaged) {
  const TemporaryFolder folder;
  Packed damaged = zeros("other.npy", 1000);
  damaged.crc ^= 1;
  const std::string header = npy_header(kNpyFloat, {2, 2});
  const Packed weights = {
      "weights.npy", deflate_of(header, 16), header.size() + 16,
      crc32(crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size())),
            reinterpret_cast<const Bytef*>(std::string(16, '\0').data()), 16)};
  write_file(folder / "w.npz", archive_of({damaged, weights}));
  EXPECT_EQ(load_attention_weights(folder / "w.npz").values.shape(), (Shape{1, 1, 1, 2, 2}));
}

// The shape comes from the first entries; it must not be allocated before the others are looked at.
TEST(HostileJson, shape_is_not_believed) {
  const TemporaryFolder folder;
  std::string text = "[[1";
  for (int i = 0; i < 100'000; ++i) text += ",1";
  text += "]";
  for (int i = 0; i < 100'000; ++i) text += ",1";
  write_file(folder / "a.json", text + "]");
  EXPECT_TRUE(contains(error_of([&] { load_arrays(folder / "a.json"); }), "ragged"));
}

}  // namespace
}  // namespace fovea
