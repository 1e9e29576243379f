#include "fovea/npz.h"

#include <gtest/gtest.h>

#include "fovea/file.h"
#include "fovea/npy.h"
#include "io/io_testing.h"
#include "io/little_endian.h"
#include "io/npz_format.h"
#include "io/zip_format.h"

namespace fovea {
namespace {

std::string parse_error(const std::string& bytes) {
  return error_of([&] { parse_npz(bytes, "[npz] t.npz"); });
}

// A small archive of our own, and places in it.
std::string small_archive(const TemporaryFolder& folder) {
  NamedArrays arrays;
  arrays.add("q", Tensor::from({1, 2, 3}));
  arrays.add("ids", Ids{4, 5});
  save_npz(folder / "small.npz", arrays);
  return read_file(folder / "small.npz");
}
std::size_t directory_at(const std::string& bytes) { return bytes.find("PK\x01\x02"); }
std::size_t end_at(const std::string& bytes) { return bytes.rfind("PK\x05\x06"); }

// `bytes` with those at `at` replaced.
std::string patched(std::string bytes, std::size_t at, const std::string& replacement) {
  return bytes.replace(at, replacement.size(), replacement);
}

TEST(Npz, savez_written_by_numpy) {
  const NamedArrays arrays = load_npz(golden("savez.npz"));
  EXPECT_EQ(arrays.names(), (std::vector<std::string>{"q", "ids", "名"}));
  EXPECT_EQ(values_of(arrays.tensor("q")), (std::vector<float>{0, 1, -2.5f, 0.125f, 1024, -0.0f}));
  EXPECT_EQ(values_of(arrays.tensor("名")), values_of(arrays.tensor("q")));
  EXPECT_EQ(arrays.ids("ids"), (Ids{{0, 1, -2}, {100, -128, 127}}));
}

TEST(Npz, savez_compressed_written_by_numpy) {
  const NamedArrays arrays = load_npz(golden("savez_compressed.npz"));
  EXPECT_EQ(arrays.tensor("q")(1, 1), 1024.0f);
  EXPECT_EQ(arrays.ids("ids")(1, 1), -128);
  EXPECT_EQ(arrays.tensor("zeros").shape(), (Shape{8, 64}));
}

TEST(Npz, same_arrays_same_bytes) {
  const TemporaryFolder a, b;
  EXPECT_EQ(small_archive(a), small_archive(b));
}

TEST(Npz, every_truncation_is_an_error) {
  for (const char* name : {"savez.npz", "savez_compressed.npz"}) {
    const std::string bytes = read_file(golden(name));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_TRUE(contains(parse_error(bytes.substr(0, length)), "[npz] t.npz: ")) << name << " " << length;
    }
    EXPECT_EQ(parse_error(bytes), "");
  }
}

TEST(Npz, every_changed_byte_is_read_or_refused) {
  for (const char* name : {"savez.npz", "savez_compressed.npz"}) {
    const std::string bytes = read_file(golden(name));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int change : {0x01, 0x10, 0x80, 0xFF}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ change);
        refused += parse_error(changed).empty() ? 0 : 1;  // anything but an Error fails the test
      }
    }
    // What may change unseen: times and attributes, and the local headers where the directory says the
    // same.
    EXPECT_GT(refused, 2 * bytes.size()) << name;
  }
}

TEST(Npz, changed_data_fail_the_check_sum) {
  const TemporaryFolder folder;
  std::string bytes = small_archive(folder);
  bytes[bytes.find("NUMPY") + 127] ^= 1;  // in the first number
  EXPECT_TRUE(contains(parse_error(bytes), "entry \"q.npy\": expected checksum"));
}

TEST(Npz, damaged_deflate_stream_is_an_error) {
  std::string bytes = read_file(golden("savez_compressed.npz"));
  for (std::size_t i = 0; i < 8; ++i) bytes[70 + i] = '\xFF';
  EXPECT_TRUE(contains(parse_error(bytes), "[npz] t.npz: entry \"q.npy\": "));
}

TEST(Npz, malformed_archives) {
  const TemporaryFolder folder;
  const std::string good = small_archive(folder);
  const std::size_t directory = directory_at(good), end = end_at(good);
  const std::size_t second = good.find("PK\x01\x02", directory + 4);
  const std::string four_ff(4, '\xFF'), zeros(4, '\0');
  const struct {
    std::string bytes;
    const char* message;
  } table[] = {
      {"", "is not a zip archive"},
      {std::string(100, 'x'), "no zip directory"},
      {std::string(100, '\0'), "is not a zip archive"},
      {read_file(golden("f4.npy")), "no zip directory"},
      {good + "x", "no zip directory"},
      {"x" + good, "the zip directory should be bytes"},
      {patched(good, end + 4, "\x01"), "a multi-part archive"},
      {patched(good, end + 8, {"\x01\x00\x01\x00", 4}), "more than its 1 entries"},
      {patched(good, end + 8, {"\x03\x00\x03\x00", 4}), "directory is damaged"},
      {patched(good, end + 8, four_ff), "zip64"},
      {patched(good, end + 12, four_ff), "zip64"},
      {patched(good, end + 16, four_ff), "zip64"},
      {patched(good, end + 16, zeros), "the zip directory should be bytes 0 to"},
      {patched(good, directory, "XX"), "directory is damaged"},
      {patched(good, directory + 8, "\x01"), "is encrypted"},
      {patched(good, directory + 10, "\x0c"), "compression method 12"},
      {patched(good, directory + 10, "\x08"), "header and directory disagree"},
      {patched(good, directory + 16, zeros), "expected checksum 00000000"},
      {patched(good, directory + 20, four_ff), "zip64"},
      {patched(good, directory + 20, {"\xFF\xFF\xFF\x7F", 4}), "do not fit before the directory"},
      {patched(good, directory + 24, zeros), "expected 0 bytes"},
      {patched(good, directory + 28, "\xFF\xFF"), "truncated"},
      {patched(good, directory + 42, "\x01"), "no header at byte 1"},
      {patched(good, directory + 42, {"\xFF\xFF\xFF\x7F", 4}), "no header at byte 2,147,483,647"},
      {patched(good, directory + 46, "\xFF"), "the name is not UTF-8"},
      {patched(good, directory + 46, "p"), "header and directory disagree"},
      {patched(good, second + 42, zeros), "header and directory disagree"},
  };
  for (const auto& [bytes, message] : table) EXPECT_TRUE(contains(parse_error(bytes), message));
}

// An archive of q = 1, 2, 3, whose entry says that it is deflated. `stored` replaces its data; size and
// check sum in the directory are `size_change` and `crc_change` off.
std::string deflated_archive(const std::string& stored, std::uint32_t size_change,
                             std::uint32_t crc_change) {
  const TemporaryFolder folder;
  const std::string good = small_archive(folder);
  const std::size_t directory = directory_at(good);
  const std::size_t second = good.find("PK\x01\x02", directory + 4);
  const auto little = [](std::size_t value) {
    std::string bytes;
    append_little_endian(bytes, static_cast<std::uint32_t>(value));
    return bytes;
  };
  const std::string local = patched(good.substr(0, kZipLocalSize + 5), 8, "\x08");
  std::string central = patched(good.substr(directory, second - directory), 10, "\x08");
  const auto crc = little_endian<std::uint32_t>(central, 16),
             size = little_endian<std::uint32_t>(central, 24);
  central =
      patched(central, 16, little(crc + crc_change) + little(stored.size()) + little(size + size_change));
  const std::string counts("\x01\x00\x01\x00", 4);
  const std::string end = patched(good.substr(end_at(good)), 8,
                                  counts + little(central.size()) + little(local.size() + stored.size()));
  return local + stored + central + end;
}

// The deflate stream of one block that is not compressed.
std::string deflated(const std::string& bytes) {
  std::string stream = "\x01";
  append_little_endian(stream, static_cast<std::uint16_t>(bytes.size()));
  append_little_endian(stream, static_cast<std::uint16_t>(~bytes.size()));
  return stream + bytes;
}

TEST(Npz, lies_about_inflated_size_are_seen) {
  const TemporaryFolder folder;
  save_npy(folder / "q.npy", Tensor::from({1, 2, 3}));
  const std::string stored = deflated(read_file(folder / "q.npy"));
  EXPECT_EQ(parse_error(deflated_archive(stored, 0, 0)), "");
  EXPECT_TRUE(contains(parse_error(deflated_archive(stored, 4'000'000'000u, 0)),
                       "cannot inflate to 4,000,000,140"));
  // The shape in the header says which size is meant; then the data have to say the same.
  EXPECT_TRUE(contains(parse_error(deflated_archive(stored, 1, 0)),
                       "expected 12 bytes of data for shape [3] of <f4, the file has 13"));
  EXPECT_TRUE(contains(parse_error(deflated_archive(stored, ~0u, 0)),
                       "expected 12 bytes of data for shape [3] of <f4, the file has 11"));
  const std::string npy = read_file(folder / "q.npy");
  EXPECT_TRUE(contains(parse_error(deflated_archive(deflated(npy.substr(0, 139)), 0, 0)),
                       "are damaged: expected 140 bytes, got 139"));
  EXPECT_TRUE(contains(parse_error(deflated_archive(deflated(npy + "x"), 0, 0)),
                       "are damaged: expected 140 bytes, got 141"));
  EXPECT_TRUE(contains(parse_error(deflated_archive(stored + "x", 0, 0)), "are damaged"));
  EXPECT_TRUE(contains(parse_error(deflated_archive("", ~std::uint32_t{139}, 0)), "not an npy file"));
  EXPECT_TRUE(contains(parse_error(deflated_archive(stored, 0, 1)), "checksum"));
}

TEST(Npz, overlapping_and_duplicate_entries_are_errors) {
  const TemporaryFolder folder;
  const std::string good = small_archive(folder);
  const std::size_t directory = directory_at(good), end = end_at(good);
  const std::size_t second = good.find("PK\x01\x02", directory + 4);
  // Both records of the directory tell of the first entry.
  const std::string first_record = good.substr(directory, second - directory);
  std::string twice = good.substr(0, directory) + first_record + first_record + good.substr(end);
  const std::size_t new_end = end_at(twice);
  twice[new_end + 12] = static_cast<char>(2 * first_record.size());
  EXPECT_TRUE(contains(parse_error(twice), "entries \"q.npy\" and \"q.npy\" overlap"));

  NamedArrays arrays;
  arrays.add("aa", Tensor::from({1}));
  arrays.add("ab", Tensor::from({2}));
  save_npz(folder / "names.npz", arrays);
  std::string same = read_file(folder / "names.npz");
  for (std::size_t at = same.find("ab.npy"); at != same.npos; at = same.find("ab.npy")) same[at + 1] = 'a';
  EXPECT_TRUE(contains(parse_error(same), "the name \"aa\" appears twice"));
}

TEST(Npz, entry_that_is_no_array_is_an_error) {
  const TemporaryFolder folder;
  std::string bytes = small_archive(folder);
  for (std::size_t at = bytes.find("q.npy"); at != bytes.npos; at = bytes.find("q.npy"))
    bytes[at + 4] = 'x';
  EXPECT_TRUE(contains(parse_error(bytes), "entry \"q.npx\": not an array"));
}

TEST(Npz, check_sum_of_an_array_without_data) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("none", Ids(Shape{0, 4}, {}));  // zlib starts anew when it is given a null pointer
  save_npz(folder / "a.npz", arrays);
  EXPECT_EQ(load_npz(folder / "a.npz").ids("none").shape(), (Shape{0, 4}));
}

TEST(Npz, no_arrays_at_all_is_a_file) {
  const TemporaryFolder folder;
  save_npz(folder / "none.npz", NamedArrays());
  EXPECT_EQ(load_npz(folder / "none.npz").size(), 0u);
}

TEST(Npz, name_that_is_not_utf8_leaves_no_file) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("good", Tensor::from({1}));
  arrays.add("\xff", Tensor::from({1}));
  EXPECT_THROW(save_npz(folder / "a.npz", arrays), Error);
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace fovea
