#include "fovea/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <csignal>

#include "io/byte_source.h"
#include "io/file_writer.h"
#include "io/io_testing.h"
#include "io/temporary_file.h"

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
  EXPECT_TRUE(contains(error_of([&] { read_file(folder / "a.txt", 4); }), "has 5 bytes, the limit is 4"));
}

// Of pipes and devices, those only that somebody opened for this program: others would be waited for.
TEST(File, pipes_devices_and_sockets_are_refused_at_once) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(
      contains(error_of([&] { read_file(folder / "pipe"); }), "pipe: is a pipe, expected a regular file"));
  EXPECT_TRUE(contains(error_of([] { read_file("/dev/zero"); }), "is a device, expected a regular file"));
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (folder / "socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(contains(error_of([&] { read_file(folder / "socket"); }), "cannot read the file"));
}

TEST(File, pipe_that_is_open_already_is_read_to_its_end) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor reader(ends[0]);
  ASSERT_EQ(::write(ends[1], "12345", 5), 5);
  ::close(ends[1]);
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(ends[0]), folder / "link");
  EXPECT_EQ(read_file(folder / "link"), "12345");
}

TEST(File, endless_pipe_stops_at_the_limit) {
  const Descriptor zero(::open("/dev/zero", O_RDONLY));
  const std::string path = "/dev/fd/" + std::to_string(zero.get());
  EXPECT_TRUE(contains(error_of([&] { read_file(path, 10000); }), "more than 10,000 bytes"));
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

TEST(File, dangling_link_stays_and_its_target_is_written) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/b", folder / "a");
  std::filesystem::create_symlink("c.txt", folder / "sub/b");
  write_file(folder / "a", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "a"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub/b"));
  EXPECT_EQ(read_file(folder / "sub/c.txt"), "new");
  std::filesystem::create_symlink("missing/d", folder / "nowhere");
  EXPECT_TRUE(contains(error_of([&] { write_file(folder / "nowhere", "x"); }), "No such file"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "nowhere"));
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(contains(error_of([&] { write_file(folder / "loop", "x"); }), "symbolic links"));
}

TEST(File, read_only_file_is_not_replaced) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  ASSERT_EQ(::chmod((folder / "a.txt").c_str(), 0444), 0);
  EXPECT_TRUE(contains(error_of([&] { write_file(folder / "a.txt", "new"); }), "it is read-only"));
  EXPECT_EQ(read_file(folder / "a.txt"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

// What is open already is written to where it stands, as a shell's >> expects.
TEST(File, open_descriptor_is_appended_to) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old ");
  const Descriptor file(::open((folder / "a.txt").c_str(), O_WRONLY | O_APPEND));
  write_file("/dev/fd/" + std::to_string(file.get()), "new");
  EXPECT_EQ(read_file(folder / "a.txt"), "old new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(File, new_file_has_no_name_while_it_is_written) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", [&](FileWriter& writer) {
    writer.write("new");
    EXPECT_EQ(folder.entries(), 0u);
  });
  write_file_atomically(folder / "a.txt", [&](FileWriter& writer) {
    writer.write("newer");
    EXPECT_EQ(folder.entries(), 1u);
  });
  EXPECT_EQ(read_file(folder / "a.txt"), "newer");
  EXPECT_EQ(folder.entries(), 1u);
}

// Where the file system knows no files without names.
TEST(File, named_temporary_file_is_removed_on_request) {
  TemporaryFile::nameless_is_possible = false;
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");
  EXPECT_EQ(folder.entries(), 1u);
  write_file_atomically(folder / "a.txt", [&](FileWriter& writer) {
    writer.write("new");
    EXPECT_EQ(folder.entries(), 2u);
  });
  EXPECT_EQ(read_file(folder / "a.txt"), "new");
  EXPECT_THROW(write_file_atomically(folder / "a.txt",
                                     [&](FileWriter&) {
                                       EXPECT_EQ(folder.entries(), 2u);
                                       remove_unfinished_files();
                                       EXPECT_EQ(folder.entries(), 1u);
                                     }),
               Error);  // there is nothing to move any more
  remove_unfinished_files();
  EXPECT_EQ(read_file(folder / "a.txt"), "new");
  EXPECT_EQ(folder.entries(), 1u);
  TemporaryFile::nameless_is_possible = true;
}

TEST(File, killed_writer_leaves_nothing_and_the_old_file) {
  const TemporaryFolder folder;
  write_file(folder / "a.bin", "old");
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string piece(1 << 20, 'x');
      write_file_atomically(folder / "a.bin", [&](FileWriter& writer) {
        while (true) {
          writer.write(piece);
          if (writer.written() > (8u << 20)) ::pause();
        }
      });
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(2000 * round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(folder.entries(), 1u);
    EXPECT_EQ(read_file(folder / "a.bin"), "old");
  }
}

TEST(InputFile, shows_the_bytes) {
  const TemporaryFolder folder;
  write_file(folder / "a.bin", "bytes");
  const InputFile file(folder / "a.bin", "npy");
  EXPECT_EQ(file.size(), 5u);
  EXPECT_EQ(file.bytes(1, 3), "yte");
  EXPECT_EQ(file.where(), "[npy] " + folder / "a.bin");
}

TEST(InputFile, refuses_what_is_no_file) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto message = [&](const std::string& name) {
    return error_of([&] { InputFile(folder / name, "npz"); });
  };
  EXPECT_TRUE(
      contains(message("missing"), "[npz] " + folder / "missing" + ": cannot read the file: No such file"));
  EXPECT_TRUE(contains(message(""), "is a directory"));
  EXPECT_TRUE(contains(message("empty"), "the file is empty"));
  EXPECT_TRUE(contains(message("pipe"), "is a pipe, expected a regular file"));
}

// A mapped file would end the program by SIGBUS.
TEST(InputFile, file_that_is_cut_short_is_an_error) {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", std::string(100'000, 'x'));
  const InputFile file(folder / "a.npy", "npy");
  ASSERT_EQ(::truncate((folder / "a.npy").c_str(), 4096), 0);
  EXPECT_TRUE(contains(error_of([&] { file.bytes(0, 100'000); }), "was truncated while being read"));
}

}  // namespace
}  // namespace fovea
