"""Makes the files of tests/data/io with Python's own libraries.

Made with Python 3.11, NumPy 2.4.6, safetensors 0.8.0 and ml_dtypes 0.6.0 (bfloat16):
    pip install numpy safetensors ml_dtypes && python tests/data/make_io_goldens.py
The tests know the values; change both together.
"""
import pathlib

import ml_dtypes
import numpy as np
import safetensors.numpy

here = pathlib.Path(__file__).parent / "io"
here.mkdir(exist_ok=True)

# 2 x 3, exact in float16: the values every float test expects.
floats = np.array([[0, 1, -2.5], [0.125, 1024, -0.0]])
# 2 x 3 integers that fit int8 and, taken absolutely, uint8.
integers = np.array([[0, 1, -2], [100, -128, 127]])


def save(name, array, version=None):
    with open(here / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version, allow_pickle=False)


save("f4.npy", floats.astype("<f4"))
save("f2.npy", floats.astype("<f2"))
save("f8.npy", (floats + 1e-12).astype("<f8"))  # must be rounded
save("f4_big_endian.npy", floats.astype(">f4"))
save("f4_fortran.npy", np.asfortranarray(floats.astype("<f4")))
save("f8_big_endian_fortran.npy", np.asfortranarray(floats.astype(">f8")))
save("f4_version2.npy", floats.astype("<f4"), version=(2, 0))
save("f4_version3.npy", floats.astype("<f4"), version=(3, 0))
save("f4_scalar.npy", np.array(2.5, dtype="<f4"))
save("f4_empty.npy", np.zeros((2, 0, 3), dtype="<f4"))
save("f4_rank5.npy", np.arange(32, dtype="<f4").reshape(2, 2, 2, 2, 2))
save("f4_rank6.npy", np.zeros((1, 1, 1, 1, 1, 1), dtype="<f4"))
save("i8.npy", integers.astype("<i8"))
save("i4_big_endian.npy", integers.astype(">i4"))
save("i2.npy", integers.astype("<i2"))
save("i1.npy", integers.astype("i1"))
save("i8_fortran.npy", np.asfortranarray(integers.astype("<i8")))
save("u1.npy", np.abs(integers).astype("u1"))
save("u4.npy", np.abs(integers).astype("<u4"))
save("u8_too_large.npy", np.array([2**63], dtype="<u8"))
save("bool.npy", integers > 0)
save("complex.npy", floats.astype("<c8"))
save("records.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))

np.savez(here / "savez.npz", q=floats.astype("<f4"), ids=integers.astype("<i8"), 名=floats.astype("<f2"))
np.savez_compressed(here / "savez_compressed.npz", q=floats.astype("<f4"), ids=integers.astype("<i4"),
                    zeros=np.zeros((8, 64)))

np.savez(here / "weights_tokens.npz", weights=np.eye(3, dtype="<f4"), tokens=np.array(["我", "喜欢", "AI 🎯"]),
         bytes=np.array([b"ab", b"c", b""]), big=np.array(["x", "é"], dtype=">U3"))

safetensors.numpy.save_file(
    {
        "f32": floats.astype("<f4"),
        "f16": floats.astype("<f2"),
        "bf16": floats.astype(ml_dtypes.bfloat16),
        "f64": (floats + 1e-12).astype("<f8"),
        "i64": integers.astype("<i8"),
        "i32": integers.astype("<i4"),
        "i8": integers.astype("i1"),
        "u8": np.abs(integers).astype("u1"),
        "bool": integers > 0,
        "scalar": np.array(2.5, dtype="<f4"),
        "empty": np.zeros((2, 0), dtype="<f4"),
    },
    here / "types.safetensors",
    metadata={"format": "np", "note": "名 \"quoted\""},
)

for path in sorted(here.iterdir()):
    print(path.name, path.stat().st_size)
