// Arrays of texts in npz files.
#include <gtest/gtest.h>

#include "fovea/file.h"
#include "fovea/npz.h"
#include "io/io_testing.h"
#include "io/npy_format.h"
#include "io/npy_texts.h"

namespace fovea {
namespace {

std::vector<std::string> texts_of(const std::string& npy, const std::string& where) {
  const MemorySource file(npy, where);
  SourceReader bytes(file, 0);
  const NpyHeader header = read_npy_header(bytes, file.size(), where);
  EXPECT_TRUE(is_npy_texts(header.literal));
  const NpyTextLayout layout = npy_text_layout(header.literal, file.size() - header.data_begin, where);
  return read_npy_texts(header.literal, layout, bytes, where);
}

TEST(NpzTexts, are_metadata_after_reading) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("x", Tensor::from({1, 2}));
  save_npz(folder / "x.npz", arrays, {{"tokens", {1, 4}, {"[CLS]", "喜欢", "", "a\"b"}}});
  const NamedArrays loaded = load_npz(folder / "x.npz");
  EXPECT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded.metadata().at("tokens"), R"(["[CLS]","喜欢","","a\"b"])");
}

// As np.array(["ab", "é"]) is saved: fields of two code points, filled up with zeros.
TEST(NpzTexts, bytes_are_those_of_numpy) {
  const NpyTexts npy = npy_texts({"t", {2}, {"ab", "é"}}, "[npz]");
  EXPECT_TRUE(contains(npy.header, "'descr': '<U2', 'fortran_order': False, 'shape': (2,), "));
  EXPECT_EQ(npy.data, std::string("a\0\0\0b\0\0\0\xE9\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(texts_of(npy.header + npy.data, "[npz]"), (std::vector<std::string>{"ab", "é"}));
}

TEST(NpzTexts, what_does_not_fit_is_an_error) {
  EXPECT_TRUE(contains(error_of([] { npy_texts({"t", {3}, {"a"}}, "[npz]"); }), "1 strings for shape [3]"));
  const NpyTexts npy = npy_texts({"t", {2}, {"ab", "c"}}, "[npz]");
  const std::string whole = npy.header + npy.data;
  EXPECT_TRUE(contains(error_of([&] { texts_of(whole.substr(0, whole.size() - 4), "[npz] x"); }),
                       "expected 2 strings of <U2"));
  // A surrogate is no character.
  std::string surrogate = whole;
  surrogate[npy.header.size()] = '\x00';
  surrogate[npy.header.size() + 1] = '\xD8';
  EXPECT_TRUE(contains(error_of([&] { texts_of(surrogate, "[npz]"); }), "U+D800 is not a character"));
}

TEST(NpzTexts, one_giant_among_thousands_is_an_error) {
  std::vector<std::string> texts(10'000, "a");
  texts[5] = std::string(10'000, 'b');
  EXPECT_TRUE(contains(error_of([&] {
                         npy_texts({"tokens", {10'000}, texts}, "[npz] x.npz");
                       }),
                       "10,000 strings, the longest of 10,000 characters"));
}

}  // namespace
}  // namespace fovea
