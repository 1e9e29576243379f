#include "fovea/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/file_writer.h"
#include "io/io_testing.h"
#include "io/mapped_file.h"

namespace fovea {
namespace {

TEST(File, written_bytes_are_read_again) {
  const TemporaryFolder folder;
  std::string bytes = "line\n";
  bytes += '\0';
  for (int i = 0; i < 20000; ++i) bytes += static_cast<char>(i);
  write_file(folder / "a.bin", bytes);
  EXPECT_EQ(read_file(folder / "a.bin"), bytes);
  EXPECT_EQ(folder.entries(), 1u);
  write_file(folder / "a.bin", "");
  EXPECT_EQ(read_file(folder / "a.bin"), "");
}

TEST(File, limit_is_inclusive) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "12345");
  EXPECT_EQ(read_file(folder / "a.txt", 5), "12345");
  EXPECT_TRUE(contains(error_of([&] { read_file(folder / "a.txt", 4); }), "has 5 bytes, at most 4"));
}

TEST(File, endless_device_stops_at_the_limit) {
  EXPECT_TRUE(contains(error_of([] { read_file("/dev/zero", 10000); }), "more than 10,000 bytes"));
}

TEST(File, missing_file_and_directory_are_named) {
  const TemporaryFolder folder;
  const std::string missing = error_of([&] { read_file(folder / "none.txt"); });
  EXPECT_TRUE(contains(missing, "none.txt"));
  EXPECT_TRUE(contains(missing, "No such file"));
  EXPECT_TRUE(contains(error_of([&] { read_file(folder / ""); }), "is a directory"));
}

TEST(File, full_disk_is_an_error) {
  EXPECT_TRUE(contains(error_of([] { write_file("/dev/full", "x"); }), "No space left"));
}

TEST(File, device_is_not_replaced) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(File, folder_that_is_missing_or_the_target_is_an_error) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(error_of([&] { write_file(folder / "no/a.txt", "x"); }), "No such file"));
  std::filesystem::create_directory(folder / "sub");
  EXPECT_TRUE(contains(error_of([&] { write_file(folder / "sub", "x"); }), "is a directory"));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(File, failure_leaves_no_file) {
  const TemporaryFolder folder;
  const std::string message = error_of([&] {
    write_file_atomically(folder / "a.txt", [](FileWriter& writer) {
      writer.write("half of it");
      throw Error("[test] stop");
    });
  });
  EXPECT_EQ(message, "[test] stop");
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(File, failure_leaves_the_old_file) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  EXPECT_THROW(write_file_atomically(folder / "a.txt",
                                     [](FileWriter& writer) {
                                       writer.write("new");
                                       throw std::runtime_error("stop");
                                     }),
               std::runtime_error);
  EXPECT_EQ(read_file(folder / "a.txt"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(File, old_file_is_readable_until_the_new_one_is_whole) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  write_file_atomically(folder / "a.txt", [&](FileWriter& writer) {
    writer.write("new");
    EXPECT_EQ(read_file(folder / "a.txt"), "old");
  });
  EXPECT_EQ(read_file(folder / "a.txt"), "new");
}

TEST(File, permissions_and_links_stay) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  ASSERT_EQ(::chmod((folder / "a.txt").c_str(), 0640), 0);
  std::filesystem::create_symlink("a.txt", folder / "link.txt");
  write_file(folder / "link.txt", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(read_file(folder / "a.txt"), "new");
  struct stat status = {};
  ASSERT_EQ(::stat((folder / "a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(File, longest_name_is_possible) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "x");
  EXPECT_EQ(read_file(folder / name), "x");
}

TEST(MappedFile, shows_the_bytes) {
  const TemporaryFolder folder;
  write_file(folder / "a.bin", "bytes");
  const MappedFile file(folder / "a.bin", "npy");
  EXPECT_EQ(file.bytes(), "bytes");
  EXPECT_EQ(file.where(), "[npy] " + folder / "a.bin");
}

TEST(MappedFile, refuses_what_it_cannot_map) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto message = [&](const std::string& name) {
    return error_of([&] { MappedFile(folder / name, "npz"); });
  };
  EXPECT_TRUE(
      contains(message("missing"), "[npz] " + folder / "missing" + ": cannot be read: No such file"));
  EXPECT_TRUE(contains(message(""), "is a directory"));
  EXPECT_TRUE(contains(message("empty"), "the file is empty"));
  EXPECT_TRUE(contains(message("pipe"), "is not a regular file"));
}

}  // namespace
}  // namespace fovea
