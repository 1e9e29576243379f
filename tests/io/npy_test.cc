#include "fovea/npy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/file.h"
#include "fovea/named_tensors.h"
#include "io/io_testing.h"
#include "io/little_endian.h"
#include "io/npy_format.h"

namespace fovea {
namespace {

const std::vector<float> kFloats = {0, 1, -2.5f, 0.125f, 1024, -0.0f};
const std::vector<std::int64_t> kIntegers = {0, 1, -2, 100, -128, 127};
const std::vector<std::int64_t> kMagnitudes = {0, 1, 2, 100, 128, 127};

// A file of version 1.0 (or another) with this dictionary and so many bytes of data.
std::string npy(const std::string& dictionary, std::size_t data,
                const std::string& version = {"\x01\x00", 2}) {
  std::string bytes = "\x93NUMPY" + version;
  if (version[0] == 1) {
    append_little_endian(bytes, static_cast<std::uint16_t>(dictionary.size()));
  } else {
    append_little_endian(bytes, static_cast<std::uint32_t>(dictionary.size()));
  }
  return bytes + dictionary + std::string(data, '\0');
}

std::string parse_error(const std::string& bytes) {
  return error_of([&] {
    const MemorySource file(bytes, "[npy] t.npy");
    decode(parse_npy(file, file.where()), file.where());
  });
}

TEST(Npy, floats_written_by_numpy) {
  for (const char* name : {"f4", "f2", "f8", "f4_big_endian", "f4_fortran", "f8_big_endian_fortran",
                           "f4_version2", "f4_version3"}) {
    const Tensor tensor = load_npy(golden(name + std::string(".npy")));
    EXPECT_EQ(tensor.shape(), (Shape{2, 3})) << name;
    std::vector<float> expected = kFloats;
    if (name == std::string("f8")) expected[0] = expected[5] = 1e-12f;  // the others swallow it
    EXPECT_EQ(values_of(tensor), expected) << name;
  }
  EXPECT_TRUE(std::signbit(load_npy(golden("f4.npy"))(1, 2)));
}

TEST(Npy, scalar_empty_and_deep_arrays_written_by_numpy) {
  EXPECT_EQ(load_npy(golden("f4_scalar.npy")).shape(), (Shape{1}));
  EXPECT_EQ(load_npy(golden("f4_scalar.npy"))(0), 2.5f);
  EXPECT_EQ(load_npy(golden("f4_empty.npy")).shape(), (Shape{2, 0, 3}));
  const Tensor deep = load_npy(golden("f4_rank5.npy"));
  EXPECT_EQ(deep.shape(), (Shape{2, 2, 2, 2, 2}));
  EXPECT_EQ(deep(1, 0, 1, 1, 0), 22.0f);
}

TEST(Npy, integers_written_by_numpy) {
  for (const char* name : {"i8", "i4_big_endian", "i2", "i1", "i8_fortran"}) {
    EXPECT_EQ(load_npy_ids(golden(name + std::string(".npy"))), Ids(Shape{2, 3}, kIntegers)) << name;
  }
  for (const char* name : {"u1", "u4"}) {
    EXPECT_EQ(load_npy_ids(golden(name + std::string(".npy"))), Ids(Shape{2, 3}, kMagnitudes)) << name;
  }
  EXPECT_EQ(load_npy_ids(golden("bool.npy")), (Ids{{0, 1, 0}, {1, 0, 1}}));
}

TEST(Npy, integers_are_floats_where_exact) {
  EXPECT_EQ(values_of(load_npy(golden("i8.npy"))), std::vector<float>(kIntegers.begin(), kIntegers.end()));
  const TemporaryFolder folder;
  save_npy(folder / "big.npy", Ids{(1 << 24) + 1});
  EXPECT_TRUE(contains(error_of([&] { load_npy(folder / "big.npy"); }), "16777217 is beyond"));
}

TEST(Npy, wrong_kinds_are_refused) {
  EXPECT_TRUE(contains(error_of([] { load_npy_ids(golden("f4.npy")); }), "f4.npy: expected integers"));
  EXPECT_TRUE(contains(error_of([] { load_npy(golden("complex.npy")); }), "unsupported dtype \"<c8\""));
  EXPECT_TRUE(contains(error_of([] { load_npy(golden("records.npy")); }), "arrays of records"));
  EXPECT_TRUE(
      contains(error_of([] { load_npy(golden("f4_rank6.npy")); }), "rank 6 exceeds the maximum of 5"));
  EXPECT_TRUE(contains(error_of([] { load_npy_ids(golden("u8_too_large.npy")); }), "9223372036854775808"));
}

TEST(Npy, what_does_not_exist_cannot_be_written) {
  const TemporaryFolder folder;
  EXPECT_THROW(save_npy(folder / "a.npy", Tensor()), Error);
  EXPECT_THROW(save_npy(folder / "a.npy", Ids()), Error);
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Npy, header_is_as_numpy_writes_it) {
  const std::string header = npy_header("<f4", Shape{3});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   ");
  EXPECT_EQ(header.back(), '\n');
  EXPECT_TRUE(contains(npy_header("<i8", Shape{2, 0, 4}), "'shape': (2, 0, 4), }"));
}

TEST(Npy, every_truncation_is_an_error) {
  const std::string bytes = read_file(golden("f4.npy"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_TRUE(contains(parse_error(bytes.substr(0, length)), "[npy] t.npy: ")) << length;
  }
  EXPECT_EQ(parse_error(bytes), "");
}

TEST(Npy, every_changed_byte_is_read_or_refused) {
  const std::string bytes = read_file(golden("f4_fortran.npy"));
  const std::size_t magic = 6, data = bytes.size() - 2 * 3 * 4;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x10, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const std::string error =
          parse_error(changed);  // anything but an Error leaves it, and fails the test
      if (at < magic || at >= data) {
        EXPECT_EQ(error.empty(), at >= data) << at;
      }
    }
  }
}

TEST(Npy, wrong_amount_of_data_is_told) {
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16), }";
  EXPECT_EQ(parse_error(npy(dictionary, 1000)),
            "[npy] t.npy: expected 1,024 bytes of data for shape [16, 16] of <f4, the file has 1,000");
  EXPECT_TRUE(contains(parse_error(npy(dictionary, 1025)), "the file has 1,025"));
}

struct Malformed {
  const char* dictionary;
  const char* message;
};

TEST(Npy, malformed_headers) {
  const Malformed table[] = {
      {"", "expected '{'"},
      {"garbage", "expected '{' at character 1"},
      {"{", "expected a string"},
      {"{}", "incomplete header"},
      {"{'descr': '<f4', 'fortran_order': False}", "incomplete header"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", "unknown key \"more\""},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "\"descr\" twice"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "expected True or False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "expected '('"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "a comma in a tuple of one"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "expected ')'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "extent -1 of axis 0 is negative"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-4, -1)}", "is negative"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1)}", "rank 6"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000000,)}",
       "expected 4,000,000,000,000,000,000 bytes of data"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693951,)}",
       "expected 18,446,744,073,709,551,608 bytes of data"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "extents overflow"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "too large"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}",
       "extents overflow"},
      {"{'descr': '!f4', 'fortran_order': False, 'shape': (1,)}", "unsupported dtype \"!f4\""},
      {"{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}", "unsupported dtype \"|f4\""},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "unsupported dtype \"|O\""},
      {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "unsupported dtype \"\""},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "expected the end"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", "expected"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,", "expected an integer"},
      {"{'descr: 1}", "expected a plain string"},
  };
  for (const auto& [dictionary, message] : table) {
    EXPECT_TRUE(contains(parse_error(npy(dictionary, 4)), message)) << dictionary;
  }
}

TEST(Npy, unusual_but_valid_headers) {
  for (const char* dictionary : {"{'shape': (1,), 'fortran_order': True, 'descr': '<f4'}",
                                 "{\"descr\":\"=f4\",'fortran_order':False,'shape':(1L,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n"}) {
    EXPECT_EQ(parse_error(npy(dictionary, 4)), "") << dictionary;
  }
}

TEST(Npy, wrong_magic_version_and_length) {
  EXPECT_TRUE(contains(parse_error("\x93NUMPX\x01"), "not an npy file"));
  EXPECT_TRUE(contains(parse_error("PK\x03\x04"), "not an npy file"));
  EXPECT_TRUE(contains(parse_error(npy("{}", 0, {"\x04\x00", 2})), "npy version 4.0"));
  EXPECT_TRUE(contains(parse_error(npy("{}", 0, {"\x01\x01", 2})), "npy version 1.1"));
  std::string bytes = npy("{}", 0, {"\x02\x00", 2});
  bytes[11] = '\xFF';
  EXPECT_TRUE(contains(parse_error(bytes), "the header claims 4,278,190,082 bytes, the file has only 2"));
}

}  // namespace
}  // namespace fovea
