// Whatever is written is read again, bit for bit: by property, over random shapes, values and strides.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

#include "fovea/named_tensors.h"
#include "fovea/npy.h"
#include "fovea/random.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

Shape random_shape() {
  const auto rank = *rc::gen::inRange(1, kMaxRank + 1);
  return Shape(*rc::gen::container<std::vector<Index>>(static_cast<std::size_t>(rank),
                                                       rc::gen::inRange<Index>(0, 5)));
}

// Any bits: NaN with payloads, infinities and subnormals among them.
Tensor random_tensor(const Shape& shape) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Tensor tensor(shape);
  for (Index i = 0; i < shape.elements(); ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    std::memcpy(tensor.data() + i, &bits, sizeof(bits));
  }
  return tensor;
}

Ids random_ids(const Shape& shape) {
  return Ids(shape, *rc::gen::container<std::vector<std::int64_t>>(
                        static_cast<std::size_t>(shape.elements()), rc::gen::arbitrary<std::int64_t>()));
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.shape().elements()) * sizeof(float)) ==
             0;
}

TEST(RoundTrip, npy) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    const Tensor tensor = random_tensor(random_shape());
    save_npy(folder / "a.npy", tensor);
    RC_ASSERT(same_bits(load_npy(folder / "a.npy"), tensor));
    const Ids ids = random_ids(random_shape());
    save_npy(folder / "ids.npy", ids);
    RC_ASSERT(load_npy_ids(folder / "ids.npy") == ids);
  }));
}

TEST(RoundTrip, npy_of_strided_views) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    const Tensor tensor = random_tensor(random_shape());
    const int rank = tensor.shape().rank();
    ConstView view = tensor.view().transpose(*rc::gen::inRange(0, rank), *rc::gen::inRange(0, rank));
    const int axis = *rc::gen::inRange(0, rank);
    const Index extent = view.shape()[axis];
    const Index begin = *rc::gen::inRange<Index>(0, extent + 1);
    view = view.slice(axis, begin, extent, *rc::gen::inRange<Index>(1, 4));
    save_npy(folder / "a.npy", view);
    RC_ASSERT(same_bits(load_npy(folder / "a.npy"), Tensor::copy_of(view)));
  }));
}

TEST(RoundTrip, npz_and_safetensors) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    NamedArrays arrays;
    const auto names = *rc::gen::unique<std::vector<std::string>>(
        rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
    for (const std::string& name : names) {
      if (*rc::gen::arbitrary<bool>()) {
        arrays.add(name, random_tensor(random_shape()));
      } else {
        arrays.add(name, random_ids(random_shape()));
      }
    }
    for (const char* file : {"a.npz", "a.safetensors"}) {
      save_arrays(folder / file, arrays);
      const NamedArrays loaded = load_arrays(folder / file);
      RC_ASSERT(loaded.size() == arrays.size());
      for (const auto& entry : arrays) {
        if (entry.is_tensor()) {
          RC_ASSERT(same_bits(loaded.tensor(entry.name), arrays.tensor(entry.name)));
        } else {
          RC_ASSERT(loaded.ids(entry.name) == arrays.ids(entry.name));
        }
      }
    }
  }));
}

}  // namespace
}  // namespace fovea
