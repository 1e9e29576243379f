#include "fovea/safetensors.h"

#include <gtest/gtest.h>

#include "fovea/file.h"
#include "io/io_testing.h"
#include "io/little_endian.h"
#include "io/safetensors_format.h"

namespace fovea {
namespace {

// A file of this header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data) {
  std::string bytes;
  append_little_endian(bytes, std::uint64_t{header.size()});
  return bytes + header + std::string(data, '\0');
}

std::string parse_error(const std::string& bytes) {
  return error_of([&] { parse_safetensors(bytes, "[safetensors] t.safetensors"); });
}

TEST(Safetensors, every_type_written_by_python) {
  const NamedArrays arrays = load_safetensors(golden("types.safetensors"));
  EXPECT_EQ(arrays.size(), 11u);
  const std::vector<float> floats = {0, 1, -2.5f, 0.125f, 1024, -0.0f};
  for (const char* name : {"f32", "f16", "bf16"}) {
    EXPECT_EQ(arrays.tensor(name).shape(), (Shape{2, 3})) << name;
    EXPECT_EQ(values_of(arrays.tensor(name)), floats) << name;
  }
  EXPECT_EQ(values_of(arrays.tensor("f64")), (std::vector<float>{1e-12f, 1, -2.5f, 0.125f, 1024, 1e-12f}));
  const Ids integers = {{0, 1, -2}, {100, -128, 127}};
  for (const char* name : {"i64", "i32", "i8"}) EXPECT_EQ(arrays.ids(name), integers) << name;
  EXPECT_EQ(arrays.ids("u8"), (Ids{{0, 1, 2}, {100, 128, 127}}));
  EXPECT_EQ(arrays.ids("bool"), (Ids{{0, 1, 0}, {1, 0, 1}}));
  EXPECT_EQ(arrays.tensor("scalar").shape(), (Shape{1}));
  EXPECT_EQ(arrays.tensor("empty").shape(), (Shape{2, 0}));
  EXPECT_EQ(arrays.metadata(),
            (std::map<std::string, std::string>{{"format", "np"}, {"note", "名 \"quoted\""}}));
}

TEST(Safetensors, header_is_padded_and_data_are_aligned) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("w", Tensor::from({1, 2, 3}));
  arrays.add("ids", Ids{7});
  arrays.metadata()["format"] = "pt";
  save_safetensors(folder / "a.safetensors", arrays);
  const std::string bytes = read_file(folder / "a.safetensors");
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
      R"("w":{"dtype":"F32","shape":[3],"data_offsets":[8,20]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  const auto length = little_endian<std::uint64_t>(bytes, 0);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(bytes.size(), 8 + length + 20);
  EXPECT_EQ(bytes.substr(8 + header.size(), length - header.size()),
            std::string(length - header.size(), ' '));
}

TEST(Safetensors, every_truncation_is_an_error) {
  const std::string bytes = read_file(golden("types.safetensors"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_TRUE(contains(parse_error(bytes.substr(0, length)), "[safetensors] t.safetensors: ")) << length;
  }
  EXPECT_EQ(parse_error(bytes), "");
  EXPECT_TRUE(contains(parse_error(bytes + "x"), "the file has"));
}

TEST(Safetensors, every_changed_byte_is_read_or_refused) {
  const std::string bytes = read_file(golden("types.safetensors"));
  const std::size_t length = 8;  // the bytes that say how long the header is
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x10, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const std::string error =
          parse_error(changed);  // anything but an Error leaves it, and fails the test
      if (at < length) {
        EXPECT_NE(error, "") << at;
      }
    }
  }
}

TEST(Safetensors, header_length_is_checked) {
  const auto with_length = [](std::uint64_t length) {
    std::string bytes;
    append_little_endian(bytes, length);
    return bytes + "{}";
  };
  EXPECT_TRUE(contains(parse_error(with_length(3)), "the header claims 3 bytes, the file has only 2"));
  EXPECT_TRUE(contains(parse_error(with_length(100'000'001)), "claims 100,000,001 bytes"));
  EXPECT_TRUE(contains(parse_error(with_length(~std::uint64_t{0})), "not a safetensors file?"));
  EXPECT_TRUE(
      contains(parse_error(with_length(std::uint64_t{2} << 56)), "the header claims"));  // big-endian 2
  EXPECT_TRUE(contains(parse_error(with_length(0)), "start with '{'"));
  EXPECT_EQ(parse_error(with_length(2)), "");
}

struct Malformed {
  const char* header;
  const char* message;
};

TEST(Safetensors, malformed_headers) {
  const Malformed table[] = {
      {"[]", "start with '{'"},
      {" {}", "start with '{'"},
      {"{", "line 1, column 2"},
      {"{} x", "header: line 1, column 4"},
      {"{\"\xff\": 1}", "header: line 1"},
      {R"({"a": 1})", "tensor \"a\": should be an object, is number"},
      {R"({"a": {"shape": [1], "data_offsets": [0, 4]}})", "dtype is missing"},
      {R"({"a": {"dtype": "F32", "data_offsets": [0, 4]}})", "shape is missing"},
      {R"({"a": {"dtype": "F32", "shape": [1]}})", "data_offsets is missing"},
      {R"({"a": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}})",
       "unsupported dtype \"F8_E4M3\""},
      {R"({"a": {"dtype": 4, "shape": [1], "data_offsets": [0, 4]}})", "unsupported dtype number"},
      {R"({"a": {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}})",
       "shape should be a list, is number"},
      {R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})",
       "shape should hold sizes, has \"-1\""},
      {R"({"a": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}})", "has \"1.0\""},
      {R"({"a": {"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]}})", "shape should hold sizes"},
      {R"({"a": {"dtype": "F32", "shape": [18446744073709551615], "data_offsets": [0, 4]}})",
       "should hold sizes"},
      {R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]}})",
       "extents overflow"},
      {R"({"a": {"dtype": "F32", "shape": [1000000000000000000], "data_offsets": [0, 4]}})",
       "expected 4,000,000,000,000,000,000 bytes of data"},
      {R"({"a": {"dtype": "F32", "shape": [1,1,1,1,1,1], "data_offsets": [0, 4]}})", "rank 6"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}})",
       "data_offsets should be two numbers, got 1"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}})",
       "data_offsets should hold sizes"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})",
       "data_offsets 4 to 0 are outside"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}})", "are outside the 4 bytes"},
      {R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})",
       "expected 8 bytes of data for shape [2] of F32, data_offsets span 4"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [9223372036854775804, 9223372036854775808]}})",
       "should hold sizes"},
      {R"({"a": {"dtype": "U8", "shape": [3], "data_offsets": [0, 4]}})", "expected 3 bytes of data"},
      {R"({"a": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]}})",
       "take 3 bytes of data, the file has 4"},
      {R"({"a": {"dtype": "U8", "shape": [3], "data_offsets": [1, 4]}})", "a hole before it; expected 0"},
      {R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
           "b": {"dtype": "U8", "shape": [1], "data_offsets": [3, 4]}})",
       "tensor \"b\" starts at byte 3 of the data, a hole"},
      {R"({"a": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]},
           "b": {"dtype": "U8", "shape": [2], "data_offsets": [2, 4]}})",
       "an overlap before it; expected 3"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
           "b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})",
       "an overlap"},
      {R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
           "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})",
       "the key \"a\" appears twice"},
      {R"({"a": {"dtype": "F32", "dtype": "U8", "shape": [1], "data_offsets": [0, 4]}})", "appears twice"},
      {R"({"__metadata__": 1})", "__metadata__ should be an object, is number"},
      {R"({"__metadata__": {"a": 1}})", "__metadata__ should hold strings, \"a\" is number"},
      {R"({"a": [[[[[[[[[]]]]]]]]]})", "nested deeper than 8"},
  };
  for (const auto& [header, message] : table) {
    EXPECT_TRUE(contains(parse_error(file_of(header, 4)), message)) << header;
  }
}

TEST(Safetensors, unusual_but_valid_headers) {
  for (const char* header : {
           R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4], "more": 1}}      )",
           R"({"a": {"dtype": "U8", "shape": [2, 2], "data_offsets": [0, 4]},
               "b": {"dtype": "F64", "shape": [7, 0], "data_offsets": [4, 4]}})",
           R"({"b": {"dtype": "U8", "shape": [3], "data_offsets": [1, 4]},
               "z": {"dtype": "BOOL", "shape": [], "data_offsets": [0, 1]}})",
       }) {
    EXPECT_EQ(parse_error(file_of(header, 4)), "") << header;
  }
}

TEST(Safetensors, arrays_come_in_the_order_of_their_data) {
  const NamedArrays arrays =
      parse_safetensors(file_of(R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]},
                  "b": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})",
                                2),
                        "");
  EXPECT_EQ(arrays.names(), (std::vector<std::string>{"b", "a"}));
}

TEST(Safetensors, names_that_cannot_be_written_leave_no_file) {
  const TemporaryFolder folder;
  for (const char* name : {"__metadata__", "\xff"}) {
    NamedArrays arrays;
    arrays.add(name, Tensor::from({1}));
    EXPECT_THROW(save_safetensors(folder / "a.safetensors", arrays), Error) << name;
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Safetensors, header_of_many_tensors_takes_linear_time) {
  std::string header = "{";
  for (int i = 0; i < 20'000; ++i) {
    header += "\"t" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
  }
  header.back() = '}';
  EXPECT_EQ(parse_safetensors(file_of(header, 0), "").size(), 20'000u);
}

TEST(Safetensors, smaller_elements_in_memory) {
  NamedArrays arrays("[test]");
  arrays.add("flags", Ids{{1, 0, 255}});
  arrays.add("bytes", Tensor::from({0, 7, 255}));
  arrays.add("halves", Tensor::from({0.5, 0.1, 65504}));
  arrays.add("plain", Tensor::from({0.1}));
  arrays.add("long", Ids{{1, 2}});
  arrays.metadata()["note"] = "\"quoted\"";
  const std::string bytes = safetensors_bytes(
      arrays, {{"flags", StoredType::u8}, {"bytes", StoredType::u8}, {"halves", StoredType::f16}});
  const NamedArrays read = parse_safetensors(bytes, "memory");
  EXPECT_EQ(read.names(), (std::vector<std::string>{"long", "plain", "halves", "flags", "bytes"}));
  EXPECT_EQ(read.ids("flags"), (Ids{{1, 0, 255}}));
  EXPECT_EQ(read.ids("bytes"), (Ids{0, 7, 255}));
  EXPECT_EQ(read.tensor("halves")(0), 0.5f);
  EXPECT_EQ(read.tensor("halves")(1), 0x1.998p-4f);  // the float16 nearest to 0.1
  EXPECT_EQ(read.tensor("halves")(2), 65504.0f);
  EXPECT_EQ(read.tensor("plain")(0), 0.1f);
  EXPECT_EQ(read.metadata().at("note"), "\"quoted\"");
  for (const char* type : {"\"U8\"", "\"F16\"", "\"F32\"", "\"I64\""}) {
    EXPECT_NE(bytes.find(type), std::string::npos) << type;
  }
}

TEST(Safetensors, what_does_not_fit_smaller_elements_is_told) {
  NamedArrays arrays("[test]");
  arrays.add("half", Tensor::from({0.5}));
  arrays.add("large", Ids{{256}});
  EXPECT_TRUE(contains(error_of([&] {
                         safetensors_bytes(arrays, {{"half", StoredType::u8}});
                       }),
                       "half holds 0.5, but u8 stores whole numbers from 0 to 255"));
  EXPECT_TRUE(contains(error_of([&] { safetensors_bytes(arrays, {{"large", StoredType::u8}}); }), "256"));
  EXPECT_TRUE(contains(error_of([&] {
                         safetensors_bytes(arrays, {{"large", StoredType::f16}});
                       }),
                       "integers"));
}

}  // namespace
}  // namespace fovea
