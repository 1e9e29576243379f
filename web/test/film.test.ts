// Frames of a film: places, names, the curve, and what a page file's film gives back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { curvePath, frameAt, frameId, framesAhead, lossRange, runOf, shareOf } from "../src/core/film_frames";
import { withFrameCache } from "../src/data/frame_cache";
import { TensorFile } from "../src/data/safetensors";
import type { Source } from "../src/data/source";
import { FilmFileSource } from "../src/data/source_film";
import type { Capture, FilmInfo } from "../src/data/types";

const film: FilmInfo = {
  texts: ["f0"],
  frames: { step: [0, 10, 20, 100], loss: [null, 3, 2, 1] },
  losses: { step: [1, 10, 20, 60, 100], loss: [4, 3, null, 2, 1] },
};

test("a step means the last frame that is not after it", () => {
  assert.deepEqual([0, 9, 10, 99, 100, 1e9].map((step) => frameAt(film, step)), [0, 0, 1, 2, 3, 3]);
});

test("the curve keeps to the places of the slider, whatever the distance between frames", () => {
  const close = (step: number, share: number) => assert.ok(Math.abs(shareOf(film, step) - share) < 1e-12, String(step));
  close(0, 0);
  close(10, 1 / 3);
  close(60, 2.5 / 3);
  close(100, 1);
  close(200, 1);
  assert.equal(shareOf({ ...film, frames: { step: [5], loss: [1] } }, 5), 0);
});

test("the curve leaves out what is not known", () => {
  assert.deepEqual(lossRange(film.losses), [1, 4]);
  assert.equal(curvePath(film, 300, 30), "M10.0 0.0L100.0 10.0M250.0 20.0L300.0 30.0");
  assert.deepEqual(lossRange({ step: [1], loss: [null] }), [0, 1]);
  assert.deepEqual(lossRange({ step: [1], loss: [2] }), [1.5, 2.5]);
});

test("frames are fetched where play goes, then around", () => {
  assert.deepEqual(framesAhead(3, 6, 9), [4, 5, 2, 1]);
  assert.deepEqual(framesAhead(0, 100, 3), [1, 2, 3]);
  assert.deepEqual(framesAhead(0, 1, 3), []);
});

test("a frame belongs to its text's run", () => {
  const runs = [{ id: "f1", film: true }, { id: "f10", film: true }, { id: "c1" }] as Capture[];
  assert.equal(runOf(runs, frameId("f1", 12)), runs[0]);
  assert.equal(runOf(runs, "f10x2"), runs[1]);
  assert.equal(runOf(runs, "c1"), runs[2]);
  assert.equal(runOf(runs, "c1x2"), undefined);
});

test("answers about frames are asked for once, others always", async () => {
  const asked: string[] = [];
  const from = { canRun: true, overview: async (capture: string) => (asked.push(capture), { heads: [] }) } as unknown as Source;
  const source = withFrameCache(from);
  await source.overview("f0x1", "decoder");
  await source.overview("f0x1", "decoder");
  await source.overview("c1", "decoder");
  await source.overview("c1", "decoder");
  assert.deepEqual(asked, ["f0x1", "c1", "c1"]);
  assert.equal(source.canRun, true);
});

test("an answer that failed is asked for again", async () => {
  let times = 0;
  const from = { rollout: () => (++times === 1 ? Promise.reject(new Error("no")) : Promise.resolve(7)) } as unknown as Source;
  const source = withFrameCache(from);
  await assert.rejects(source.rollout("f0x1", "decoder"));
  assert.equal(await source.rollout("f0x1", "decoder"), 7);
});

// A safetensors file of these arrays.
function fileOf(arrays: Record<string, { dtype: string; shape: number[]; data: Uint8Array | Float32Array | BigInt64Array }>, metadata: Record<string, string>): TensorFile {
  const header: Record<string, unknown> = { __metadata__: metadata };
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const [name, { dtype, shape, data }] of Object.entries(arrays)) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  let text = JSON.stringify(header);
  text += " ".repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8);
  const json = new TextEncoder().encode(text);
  const all = new Uint8Array(8 + json.length + at);
  new DataView(all.buffer).setBigUint64(0, BigInt(json.length), true);
  all.set(json, 8);
  parts.reduce((place, part) => (all.set(part, place), place + part.length), 8 + json.length);
  return new TensorFile(all);
}

// 2 frames, 1 layer, 2 heads, 2 tokens.
function filmFile(): FilmFileSource {
  const kind = { kind: "decoder", layers: 1, heads: 2, queries: 2, keys: 2 };
  const state = {
    captures: [{ id: "f0", film: true, kinds: [kind] }], measures: [{ name: "entropy", per_head: true }, { name: "flow", per_head: false }, { name: "distance", per_head: true }],
    film: { texts: ["f0"], frames: { step: [0, 5], loss: [2, 1] }, losses: { step: [], loss: [] } },
  };
  const role = (id: string) => [id, { en: id, zh: id }, { en: "", zh: "" }, 1];
  return FilmFileSource.of(fileOf({
    "f0.decoder.weights.row_max": { dtype: "F32", shape: [2, 4], data: new Float32Array([1, 0.5, 1, 1, 1, 1, 1, 0.75]) },
    "f0.decoder.measures": { dtype: "F32", shape: [2, 1, 2, 2], data: new Float32Array([0, 1, 2, NaN, 4, 5, 6, 7]) },
    "f0.decoder.weights": { dtype: "U8", shape: [2, 1, 2, 2, 2], data: new Uint8Array([255, 0, 255, 255, 255, 0, 0, 255, 255, 0, 255, 0, 255, 0, 85, 255]) },
  }, { state: JSON.stringify(state), examples: "[]", "f0.decoder.roles": JSON.stringify([[role("broad"), role("mixed")], [role("sink"), role("induction")]]) })) as FilmFileSource;
}

test("a page's film: weights of a frame are shares of their row's largest", async () => {
  const source = filmFile();
  const all = { rowBegin: 0, rowEnd: 2, keyBegin: 0, keyEnd: 2 };
  const weights = async (capture: string, head: number | "mean") => Array.from((await source.weights({ capture, kind: "decoder", layer: 0, head }, all)).data);
  assert.deepEqual(await weights("f0x0", 0), [1, 0, 0.5, 0.5]);
  assert.deepEqual(await weights("f0x1", 1), [1, 0, 0.25, 0.75]);
  assert.deepEqual(await weights("f0", 1), [1, 0, 0.25, 0.75]); // the last frame
  assert.deepEqual(await weights("f0x1", "mean"), [1, 0, 0.625, 0.375]);
  await assert.rejects(weights("f0x2", 0));
  await assert.rejects(weights("c1", 0));
});

test("a page's film: measures, roles and thumbnails of a frame", async () => {
  const source = filmFile();
  const { heads } = await source.overview("f0x0", "decoder");
  assert.deepEqual(heads[0].map(({ role, measures }) => [role.id, measures.entropy, measures.distance]), [["broad", 0, 1], ["mixed", 2, null]]);
  assert.equal((await source.overview("f0x1", "decoder")).heads[0][1].role.id, "induction");
  const thumbnails = await source.thumbnails("f0x1", "decoder");
  assert.deepEqual([thumbnails.rows, thumbnails.columns, thumbnails.heads], [2, 2, 2]);
  assert.deepEqual(Array.from(thumbnails.max.subarray(4)), [1, 0, 0.25, 0.75]);
});
