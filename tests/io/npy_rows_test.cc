// Rows of .npy files, read and written by their place in the file.
#include "fovea/npy_rows.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/file.h"
#include "fovea/npy.h"
#include "fovea/random.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

TEST(NpyRows, are_those_of_the_whole_array) {
  const TemporaryFolder folder;
  const Tensor whole = Random(1).normal({2, 3, 7, 5});
  save_npy(folder / "x.npy", whole);
  const NpyRows file(folder / "x.npy");
  EXPECT_EQ(file.shape(), whole.shape());
  for (Index begin = 0; begin <= 7; ++begin) {
    for (Index end = begin; end <= 7; ++end) {
      const Tensor rows = file.rows(begin, end);
      const Tensor expected = Tensor::copy_of(whole.view().slice(2, begin, end));
      EXPECT_EQ(rows.shape(), expected.shape());
      EXPECT_EQ(values_of(rows), values_of(expected)) << begin << " .. " << end;
    }
  }
}

TEST(NpyRows, other_types_and_byte_orders) {
  for (const char* name : {"f2.npy", "f8.npy", "f4_big_endian.npy", "f4_version2.npy", "f4_version3.npy",
                           "i8.npy", "i4_big_endian.npy", "u1.npy", "bool.npy"}) {
    const Tensor whole = load_npy(golden(name));
    EXPECT_EQ(values_of(NpyRows(golden(name)).rows(1, 2)),
              values_of(Tensor::copy_of(whole.view().slice(0, 1, 2))))
        << name;
  }
  EXPECT_EQ(NpyRows(golden("f4_empty.npy")).rows(0, 0).shape(), (Shape{2, 0, 3}));
}

TEST(NpyRows, what_is_not_there_is_refused) {
  const TemporaryFolder folder;
  save_npy(folder / "x.npy", Random(1).normal({4, 3}));
  const NpyRows file(folder / "x.npy");
  constexpr Index kMost = std::numeric_limits<Index>::max();
  for (const auto& [begin, end] : std::vector<std::pair<Index, Index>>{
           {-1, 2}, {3, 2}, {0, 5}, {5, 5}, {4, kMost}, {-kMost - 1, kMost}}) {
    EXPECT_TRUE(
        contains(error_of([&, first = begin, last = end] { file.rows(first, last); }), "there are 4"))
        << begin << " .. " << end;
  }
  EXPECT_TRUE(contains(error_of([&] { NpyRows(folder / "none.npy"); }), "none.npy"));
  EXPECT_TRUE(contains(error_of([] { NpyRows(golden("f4_scalar.npy")); }), "expected [.., rows, width]"));
  EXPECT_TRUE(contains(error_of([] { NpyRows(golden("f4_fortran.npy")); }), "Fortran order"));
  EXPECT_TRUE(contains(error_of([] { NpyRows(golden("complex.npy")); }), "unsupported dtype"));
}

// Cut at any byte, or with a header that promises more than is there: an Error, before any row is read.
TEST(NpyRows, short_files_and_large_promises_are_refused) {
  const TemporaryFolder folder;
  save_npy(folder / "x.npy", Random(1).normal({4, 3}));
  const std::string bytes = read_file(folder / "x.npy");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_file(folder / "short.npy", bytes.substr(0, length));
    EXPECT_NE(error_of([&] { NpyRows(folder / "short.npy"); }), "") << length;
  }
  for (const char* shape :
       {"(4000000, 3)", "(9223372036854775807, 3)", "(4, 9223372036854775807)", "(-4, 3)"}) {
    std::string changed = bytes;
    const std::size_t at = changed.find("(4, 3)");
    changed.replace(at, std::string(shape).size(), shape);  // over the blanks that fill the header
    changed.replace(at + std::string(shape).size(), 1, "}");
    write_file(folder / "large.npy", changed);
    EXPECT_NE(error_of([&] { NpyRows(folder / "large.npy"); }), "") << shape;
  }
}

TEST(NpyRowsWriter, several_write_one_file) {
  const TemporaryFolder folder;
  const Tensor whole = Random(2).normal({2, 9, 4});
  {
    const std::string name = NpyRowsWriter::choose_name(folder / "out.npy");
    NpyRowsWriter maker(folder / "out.npy", name, whole.shape());
    NpyRowsWriter second(folder / "out.npy", name, whole.shape());
    EXPECT_EQ(folder.entries(), 0u);
    maker.make();
    second.join();
    second.write(5, whole.view().slice(1, 5, 9));
    maker.write(0, whole.view().slice(1, 0, 2));
    second.write(2, whole.view().slice(1, 2, 5));
    second.write(9, whole.view().slice(1, 9, 9));  // none
    second.flush();
    maker.flush();
    EXPECT_FALSE(std::filesystem::exists(folder / "out.npy"));
    maker.finish();
  }
  EXPECT_EQ(values_of(load_npy(folder / "out.npy")), values_of(whole));
  save_npy(folder / "expected.npy", whole);
  EXPECT_EQ(read_file(folder / "out.npy"), read_file(folder / "expected.npy"));
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(NpyRowsWriter, nothing_is_left_of_a_file_that_was_not_finished) {
  const TemporaryFolder folder;
  write_file(folder / "out.npy", "what was there");
  {
    const std::string name = NpyRowsWriter::choose_name(folder / "out.npy");
    NpyRowsWriter maker(folder / "out.npy", name, {6, 2});
    NpyRowsWriter second(folder / "out.npy", name, {6, 2});
    maker.make();
    second.join();
    maker.write(0, Random(1).normal({6, 2}));
    EXPECT_EQ(folder.entries(), 2u);
  }
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_EQ(read_file(folder / "out.npy"), "what was there");

  NpyRowsWriter maker(folder / "out.npy", NpyRowsWriter::choose_name(folder / "out.npy"), {6, 2});
  maker.make();
  remove_unfinished_files();  // as after a signal
  EXPECT_EQ(folder.entries(), 1u);
}

// The maker was killed as soon as the file was there: the others know its name although none has joined.
TEST(NpyRowsWriter, who_knows_the_name_removes_the_file) {
  const TemporaryFolder folder;
  const std::string name = NpyRowsWriter::choose_name(folder / "out.npy");
  const NpyRowsWriter second(folder / "out.npy", name, {6, 2});
  write_file(name, "by the maker");
  remove_unfinished_files();
  EXPECT_EQ(folder.entries(), 0u);
  EXPECT_NE(NpyRowsWriter::choose_name(folder / "out.npy"), name);
}

TEST(NpyRowsWriter, a_file_of_the_chosen_name_is_not_overwritten) {
  const TemporaryFolder folder;
  const std::string name = NpyRowsWriter::choose_name(folder / "out.npy");
  write_file(name, "by somebody else");
  {
    NpyRowsWriter maker(folder / "out.npy", name, {6, 2});
    EXPECT_TRUE(contains(error_of([&] { maker.make(); }), "out.npy: cannot be written: File exists"));
  }
  EXPECT_EQ(read_file(name), "by somebody else");
}

TEST(NpyRowsWriter, what_does_not_fit_is_refused) {
  const TemporaryFolder folder;
  const std::string name = NpyRowsWriter::choose_name(folder / "out.npy");
  NpyRowsWriter maker(folder / "out.npy", name, {2, 6, 3});
  EXPECT_TRUE(contains(error_of([&] {
                         maker.write(0, Tensor({2, 6, 3}));
                       }),
                       "before it is made or joined"));
  NpyRowsWriter second(folder / "out.npy", name, {2, 6, 3});
  EXPECT_TRUE(contains(error_of([&] { second.join(); }), "do all machines see this folder?"));
  maker.make();
  second.join();
  const auto refused = [&](Index first, const Shape& shape) {
    return contains(error_of([&] { maker.write(first, Tensor(shape)); }), "do not fit [2, 6, 3]");
  };
  EXPECT_TRUE(refused(-1, {2, 1, 3}));
  EXPECT_TRUE(refused(5, {2, 2, 3}));
  EXPECT_TRUE(refused(std::numeric_limits<Index>::max(), {2, 1, 3}));
  EXPECT_TRUE(refused(0, {2, 1, 4}));
  EXPECT_TRUE(refused(0, {1, 1, 3}));
  EXPECT_TRUE(refused(0, {6, 3}));
  EXPECT_TRUE(refused(0, {3}));
  const auto writer = [&](const char* path, const Shape& shape) {
    NpyRowsWriter(folder / path, NpyRowsWriter::choose_name(folder / path), shape).make();
  };
  EXPECT_TRUE(contains(error_of([&] { writer("flat.npy", {6}); }), "expected [.., rows, width]"));
  EXPECT_TRUE(contains(error_of([&] { writer("no/out.npy", {6, 2}); }), "no/out.npy"));
  EXPECT_TRUE(contains(error_of([&] { second.finish(); }), "only the process that made the file"));
}

}  // namespace
}  // namespace fovea
