import assert from "node:assert/strict";
import { test } from "node:test";
import { halfToFloat } from "../src/data/float16";
import { TensorFile } from "../src/data/safetensors";
import { bytesOfBase64, downsample } from "../src/data/source_file";

function fileOf(header: unknown, data: number[] = [], length?: number): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes;
}

const entry = (dtype: string, shape: number[], begin: number, end: number) => ({ dtype, shape, data_offsets: [begin, end] });

test("every type is read, whatever its alignment", () => {
  const file = new TensorFile(
    fileOf(
      {
        __metadata__: { scale: "0.5" },
        byte: entry("U8", [1], 0, 1),
        single: entry("F32", [2], 1, 9),
        half: entry("F16", [2], 9, 13),
        long: entry("I64", [1], 13, 21),
      },
      [255, 0, 0, 128, 63, 0, 0, 0, 192, 0, 60, 0, 184, 254, 255, 255, 255, 255, 255, 255, 255],
    ),
  );
  assert.deepEqual([...file.floats("single")], [1, -2]);
  assert.deepEqual([...file.floats("half")], [1, -0.5]);
  assert.deepEqual(file.integers("long"), [-2]);
  assert.deepEqual([...file.floats("byte")], [255]);
  assert.deepEqual([...file.weights("byte")], [1]);
  assert.equal(file.metadata["scale"], "0.5");
  assert.deepEqual([...file.floats("single", 1, 1)], [-2]);
});

test("part gives the tensors of one prefix", () => {
  const file = new TensorFile(fileOf({ "a.q": entry("U8", [1], 0, 1), "b.q": entry("U8", [1], 1, 2) }, [7, 9]));
  const part = file.part("b.");
  assert.equal(part.has("q"), true);
  assert.deepEqual([...part.floats("q")], [9]);
  assert.equal(file.part("c.").entries.size, 0);
});

test("bad files are refused, not read past their end", () => {
  const refused = (bytes: Uint8Array, message: RegExp) => assert.throws(() => new TensorFile(bytes), message);
  refused(new Uint8Array(7), /7 bytes/);
  refused(fileOf({}, [], 1e9), /header should have/);
  refused(fileOf("{"), /no JSON/);
  refused(fileOf("[1]"), /no JSON object/);
  refused(fileOf({ x: 1 }), /no object/);
  refused(fileOf({ x: entry("F64", [1], 0, 8) }, [0, 0, 0, 0, 0, 0, 0, 0]), /type F64/);
  refused(fileOf({ x: entry("F32", [-1], 0, 4) }, [0, 0, 0, 0]), /shape/);
  refused(fileOf({ x: { dtype: "F32", shape: [1] } }), /data_offsets/);
  refused(fileOf({ x: entry("F32", [2], 0, 4) }, [0, 0, 0, 0]), /4 bytes, its shape needs 8/);
  refused(fileOf({ x: entry("F32", [1], 0, 4) }, [0, 0]), /lies at 0..4 of 2/);
  refused(fileOf({ x: entry("F32", [1], 4, 0) }, [0, 0, 0, 0]), /lies at/);
  refused(fileOf({ __metadata__: { a: 1 } }), /no text/);
  const file = new TensorFile(fileOf({ x: entry("U8", [2], 0, 2) }, [1, 2]));
  assert.throws(() => file.floats("y"), /no "y"/);
  assert.throws(() => file.floats("x", 1, 2), /elements 1..3/);
});

test("half precision: ends, subnormals, infinities", () => {
  const values: [number, number][] = [
    [0x0000, 0], [0x0001, 2 ** -24], [0x03ff, 1023 * 2 ** -24], [0x0400, 2 ** -14], [0x3555, 0.333251953125],
    [0x3c00, 1], [0x7bff, 65504], [0xc000, -2], [0x7c00, Infinity], [0xfc00, -Infinity],
  ];
  for (const [bits, value] of values) assert.equal(halfToFloat(bits), value);
  assert.ok(Number.isNaN(halfToFloat(0x7e00)));
  assert.ok(Object.is(halfToFloat(0x8000), -0));
});

test("base64 gives the bytes back", () => {
  assert.deepEqual([...bytesOfBase64("AP+AfwE=")], [0, 255, 128, 127, 1]);
});

test("cells cover every weight once, also where the size does not divide", () => {
  const matrix = { rows: 5, columns: 3, data: Float32Array.from({ length: 15 }, (_, i) => i) };
  const { mean, max } = downsample(matrix, 2);
  assert.deepEqual([mean.rows, mean.columns], [2, 2]);
  // rows 0–2 and 3–4, columns 0–1 and 2: ⌊i·2/5⌋ and ⌊j·2/3⌋
  assert.deepEqual([...max.data], [7, 8, 13, 14]);
  assert.deepEqual([...mean.data], [3.5, 5, 11, 12.5]);
});
