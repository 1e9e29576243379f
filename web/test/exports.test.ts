import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, matrixTable } from "../src/exports/csv";
import { escapeXml, toSvg } from "../src/exports/figure";
import { npy, npz } from "../src/exports/npy";
import { crc32, zip } from "../src/exports/zip";
import { plainNumbers } from "../src/exports/plain_numbers";

const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

test("npy: header as NumPy writes it, data row by row", () => {
  const bytes = npy({ shape: [2, 3], data: Float32Array.from([1, 2, 3, 4, 5, 6]) });
  assert.equal(latin(bytes.subarray(0, 10)), "\x93NUMPY\x01\x00v\x00");
  assert.equal(latin(bytes.subarray(10, 128)), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".padEnd(117) + "\n");
  assert.deepEqual([...new Float32Array(bytes.slice(128).buffer)], [1, 2, 3, 4, 5, 6]);
  assert.match(latin(npy({ shape: [1], data: new Float64Array(1) })), /'<f8'.*\(1,\)/);
});

test("npy: texts as fixed-width Unicode", () => {
  const bytes = npy(["a", "小明😀"]);
  assert.match(latin(bytes), /'<U3'.*\(2,\)/);
  assert.deepEqual([...new Uint32Array(bytes.slice(128).buffer)], [97, 0, 0, 0x5c0f, 0x660e, 0x1f600]);
});

test("zip: check sums and directory", () => {
  assert.equal(crc32(Buffer.from("123456789")), 0xcbf43926);
  const bytes = zip({ "a.npy": Uint8Array.from([1, 2]), "b.npy": new Uint8Array(0) });
  const view = new DataView(bytes.buffer);
  assert.equal(view.getUint32(0, true), 0x04034b50);
  const end = bytes.length - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  assert.equal(view.getUint16(end + 10, true), 2);
  const directory = view.getUint32(end + 16, true);
  assert.equal(view.getUint32(directory, true), 0x02014b50);
  assert.equal(directory + view.getUint32(end + 12, true), end);
  assert.match(latin(npz({ w: { shape: [0], data: new Float32Array(0) } })), /w\.npy/);
});

test("csv: quotes where they are needed", () => {
  assert.equal(csvOf({ columns: ["a", 'b"'], rows: [["x,y", 1], ["\n", null]] }), 'a,"b"""\r\n"x,y",1\r\n"\n",\r\n');
  const table = matrixTable(["q"], ["k", "l"], (_, j) => j + 0.5);
  assert.equal(csvOf(table), ",k,l\r\nq,0.5,1.5\r\n");
});

test("svg: text is escaped, shapes are there", () => {
  const svg = toSvg({
    width: 10.123, height: 20, background: "#ffffff",
    shapes: [
      { type: "text", x: 1, y: 2, text: '<a> & "b"\u0001', size: 9, fill: "#000", rotate: -45 },
      { type: "curve", x1: 0, y1: 0, x2: 4, y2: 8, stroke: "#123456", width: 1, opacity: 0.5 },
      { type: "image", x: 0, y: 0, width: 2, height: 2, pixels: new Uint32Array(4), columns: 2 },
    ],
  }, (pixels, columns) => `data:${pixels.length},${columns}`);
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="10.12"/);
  assert.ok(svg.includes("&lt;a&gt; &amp; &quot;b&quot;\ufffd"));
  assert.ok(svg.includes('d="M0 0C2 0 2 8 4 8"'));
  assert.ok(svg.includes('href="data:4,2"'));
  assert.equal(escapeXml("plain"), "plain");
});

test("json: typed arrays as lists, infinity as text", () => {
  const text = JSON.stringify({ a: Float32Array.from([0.5]), b: -Infinity, c: NaN }, plainNumbers);
  assert.equal(text, '{"a":[0.5],"b":"-inf","c":"nan"}');
});
