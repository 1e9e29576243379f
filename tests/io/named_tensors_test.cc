#include "fovea/named_tensors.h"

#include <gtest/gtest.h>

#include "fovea/file.h"
#include "fovea/npy.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

NamedArrays two_arrays() {
  NamedArrays arrays;
  arrays.add("q", Tensor::from({{1, 2}}));
  arrays.add("ids", Ids{3});
  return arrays;
}

TEST(NamedArrays, keeps_order_and_kinds) {
  const NamedArrays arrays = two_arrays();
  EXPECT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.names(), (std::vector<std::string>{"q", "ids"}));
  EXPECT_TRUE(arrays.contains("q"));
  EXPECT_FALSE(arrays.contains("k"));
  EXPECT_TRUE(arrays.begin()->is_tensor());
  EXPECT_EQ(arrays.begin()->shape(), (Shape{1, 2}));
  EXPECT_EQ(arrays.ids("ids"), Ids{3});
}

TEST(NamedArrays, errors_tell_what_there_is) {
  const NamedArrays arrays = two_arrays();
  EXPECT_EQ(error_of([&] { arrays.tensor("k"); }),
            "[arrays]: there is no array \"k\"; there are \"q\", \"ids\"");
  EXPECT_TRUE(contains(error_of([&] { arrays.tensor("ids"); }), "\"ids\" holds integers"));
  EXPECT_TRUE(contains(error_of([&] { arrays.ids("q"); }), "\"q\" holds floats"));
  EXPECT_TRUE(contains(error_of([] { NamedArrays("[npz] a.npz").ids("q"); }), "[npz] a.npz: "));
  NamedArrays many;
  for (int i = 0; i < 12; ++i) many.add(std::to_string(i), Ids{i});
  EXPECT_TRUE(contains(error_of([&] { many.ids("x"); }), "\"9\", … and 2 more"));
}

TEST(NamedArrays, duplicates_and_empty_tensors_are_errors) {
  NamedArrays arrays = two_arrays();
  EXPECT_TRUE(contains(error_of([&] { arrays.add("q", Ids{1}); }), "\"q\" appears twice"));
  EXPECT_TRUE(contains(error_of([&] { arrays.add("r", Tensor()); }), "\"r\" is empty"));
  EXPECT_EQ(arrays.size(), 2u);
}

TEST(NamedArrays, extension_chooses_the_format) {
  const TemporaryFolder folder;
  for (const char* name : {"a.npz", "a.safetensors", "A.NPZ"}) {
    save_arrays(folder / name, two_arrays());
    const NamedArrays loaded = load_arrays(folder / name);
    EXPECT_EQ(loaded.tensor("q")(0, 1), 2.0f) << name;
    EXPECT_EQ(loaded.ids("ids"), Ids{3}) << name;
  }
  EXPECT_EQ(read_file(folder / "a.npz").substr(0, 2), "PK");
  EXPECT_TRUE(contains(load_arrays(folder / "a.npz").source(), "[npz] "));
}

TEST(NamedArrays, npy_holds_one_array_named_after_the_file) {
  const TemporaryFolder folder;
  save_npy(folder / "weights.npy", Tensor::from({{1, 2}}));
  EXPECT_EQ(load_arrays(folder / "weights.npy").tensor("weights")(0, 1), 2.0f);
  EXPECT_TRUE(
      contains(error_of([&] { save_arrays(folder / "a.npy", two_arrays()); }), "holds one array, got 2"));
  NamedArrays one;
  one.add("x", Ids{1, 2});
  save_arrays(folder / "a.npy", one);
  EXPECT_EQ(load_npy_ids(folder / "a.npy"), (Ids{1, 2}));
}

TEST(NamedArrays, unknown_extension_lists_the_known) {
  EXPECT_EQ(error_of([] { load_arrays("q.pt"); }),
            "[arrays] q.pt: unknown extension .pt; supported: .npy, .npz, .safetensors and .json");
  EXPECT_TRUE(
      contains(error_of([] { save_arrays("q", NamedArrays()); }), "has no extension; supported: .npy"));
}

TEST(NamedArrays, ids_become_tensors_where_exact) {
  const Tensor tensor = to_tensor(Ids{{-(1 << 24), 1 << 24}});
  EXPECT_EQ(tensor.shape(), (Shape{1, 2}));
  EXPECT_EQ(tensor(0, 1), 16777216.0f);
  EXPECT_THROW(to_tensor(Ids{-(1 << 24) - 1}), Error);
}

}  // namespace
}  // namespace fovea
