// The moving picture of the README:
//   npm run animation -- --fovea BINARY --out FILE.png [--lang zh]
// An animated PNG, put together from Chromium's screenshots: each frame is the part of the page that changed.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { newPage, openBrowser, serve, settled } from "./harness.mjs";

const { values: options } = parseArgs({ options: { fovea: { type: "string" }, out: { type: "string" }, lang: { type: "string", default: "en" } } });
if (!options.fovea || !options.out) {
  console.error("usage: npm run animation -- --fovea BINARY --out FILE.png [--lang zh]");
  process.exit(2);
}
const size = { width: 1080, height: 680 };
const text = "The animal did not cross the street because it was too tired.";
const largest = 1_000_000; // bytes

// {type, data} of a PNG's chunks.
function chunksOf(png) {
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type, ...parts) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...parts]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const word = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

// RGBA pixels of a PNG of Chromium: 8 bits, RGB or RGBA, not interlaced.
function pixelsOf(png) {
  const chunks = chunksOf(png);
  const [width, height] = [chunks[0].data.readUInt32BE(0), chunks[0].data.readUInt32BE(4)];
  const bytes = { 2: 3, 6: 4 }[chunks[0].data[9]];
  assert.ok(bytes && chunks[0].data[8] === 8 && chunks[0].data[12] === 0, "a kind of PNG that is read here");
  const packed = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)));
  const stride = width * bytes;
  let above = new Uint8Array(stride);
  const pixels = new Uint8Array(4 * width * height).fill(255);
  for (let y = 0; y < height; ++y) {
    const from = y * (stride + 1);
    const row = new Uint8Array(packed.subarray(from + 1, from + 1 + stride));
    for (let i = 0; i < stride; ++i) row[i] += predicted(packed[from], row[i - bytes] ?? 0, above[i], above[i - bytes] ?? 0);
    for (let x = 0; x < width; ++x) for (let i = 0; i < bytes; ++i) pixels[4 * (y * width + x) + i] = row[x * bytes + i];
    above = row;
  }
  return { width, height, pixels };
}

// What PNG's filters 0 to 4 take away.
function predicted(filter, left, up, corner) {
  if (filter < 3) return [0, left, up][filter];
  if (filter === 3) return (left + up) >> 1;
  const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Rows, each with the filter that leaves the smallest numbers.
function packed({ width, height, pixels }) {
  const stride = 4 * width;
  const out = Buffer.alloc(height * (stride + 1));
  const tried = new Uint8Array(stride);
  for (let y = 0; y < height; ++y) {
    let best = Infinity;
    for (let filter = 0; filter <= 4; ++filter) {
      let cost = 0;
      for (let i = 0; i < stride; ++i) {
        const at = y * stride + i;
        const left = i < 4 ? 0 : pixels[at - 4];
        const [up, corner] = y ? [pixels[at - stride], i < 4 ? 0 : pixels[at - stride - 4]] : [0, 0];
        tried[i] = pixels[at] - predicted(filter, left, up, corner);
        cost += tried[i] < 128 ? tried[i] : 256 - tried[i];
      }
      if (cost >= best) continue;
      best = cost;
      out[y * (stride + 1)] = filter;
      out.set(tried, y * (stride + 1) + 1);
    }
  }
  return deflateSync(out, { level: 9, memLevel: 9 });
}

// The part that differs from the picture before; what is the same in it is transparent.
function changed(before, { width, height, pixels }) {
  const old = new Uint32Array(before.pixels.buffer);
  const all = new Uint32Array(pixels.buffer);
  let [left, top, right, bottom] = [width - 1, height - 1, 0, 0];
  all.forEach((pixel, at) => {
    if (pixel === old[at]) return;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  });
  const part = { x: left, y: top, width: Math.max(1, right - left + 1), height: Math.max(1, bottom - top + 1) };
  const kept = new Uint32Array(part.width * part.height);
  for (let y = 0; y < part.height; ++y) {
    for (let x = 0; x < part.width; ++x) {
      const at = (y + top) * width + x + left;
      if (all[at] !== old[at]) kept[y * part.width + x] = all[at];
    }
  }
  return { ...part, pixels: new Uint8Array(kept.buffer) };
}

// frames: {png, milliseconds}
function animated(frames) {
  const pictures = frames.map(({ png }) => pixelsOf(png));
  const { width, height } = pictures[0];
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk("IHDR", word(width), word(height), Buffer.from([8, 6, 0, 0, 0])),
    chunk("acTL", word(frames.length), word(0)),
  ];
  let number = 0;
  frames.forEach(({ milliseconds }, at) => {
    const part = at ? changed(pictures[at - 1], pictures[at]) : { x: 0, y: 0, ...pictures[0] };
    const times = Buffer.alloc(4);
    times.writeUInt16BE(milliseconds, 0);
    times.writeUInt16BE(1000, 2);
    const blend = at ? 1 : 0; // over the frame before
    parts.push(chunk("fcTL", word(number++), ...[part.width, part.height, part.x, part.y].map(word), times, Buffer.from([0, blend])));
    parts.push(at ? chunk("fdAT", word(number++), packed(part)) : chunk("IDAT", packed(part)));
  });
  return Buffer.concat([...parts, chunk("IEND")]);
}

// Screenshots show no pointer: one is drawn.
const pointer = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="26" viewBox="0 0 20 26"><path d="M2 1v19l5-4 3.500 8 3.500-1.500-3.500-8H17z" fill="#111" stroke="#fff" stroke-width="1.500"/></svg>`;

async function record({ page, url }) {
  const frames = [];
  await page.goto(url);
  await page.waitForFunction(() => location.hash.includes("spot="));
  if (options.lang === "zh") await page.click("button.language");
  await page.evaluate((svg) => {
    const image = document.createElement("img");
    image.id = "pointer";
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    image.hidden = true;
    document.body.append(image);
  }, pointer);
  const pointAt = async (x, y) => {
    await page.mouse.move(x, y);
    await page.$eval("#pointer", (image, [left, top]) => {
      image.hidden = false;
      Object.assign(image.style, { position: "fixed", zIndex: 99, pointerEvents: "none", left: `${left}px`, top: `${top}px` });
    }, [x, y]);
  };
  const over = async (selector, [x, y] = [0.5, 0.6]) => {
    const box = await page.locator(selector).first().boundingBox();
    await pointAt(box.x + box.width * x, box.y + box.height * y);
  };
  const press = async (selector, place) => {
    await over(selector, place);
    await page.mouse.down();
    await page.mouse.up();
  };
  const take = async (milliseconds) => {
    await settled(page);
    frames.push({ png: await page.screenshot(), milliseconds });
  };
  await take(2400);
  for (const token of [12, 6, 2]) {
    await over(`.chip[data-i='${token}']`);
    await take(900);
  }
  await press(".small-heads", [0.71, 0.25]);
  await take(1300);
  await over(".chip[data-i='5']");
  await take(1100);
  await press("[data-lens=clean]");
  await take(1400);
  await press("[data-view=matrix]");
  await take(600);
  await over(".canvas.tall", [0.3, 0.5]);
  await take(1300);
  await press("[data-lens=clean]");
  await press("[data-view=lines]");
  await take(1500);
  await press("[data-view=grid]");
  await take(1700);
  await press("[data-view=steps]");
  await press(".timeline li:nth-child(5) button");
  await settled(page);
  await press(".box.result .numbers", [0.4, 0.4]);
  await take(2200);
  return frames;
}

const context = await openBrowser({ viewport: size });
const server = await serve(options.fovea, "--model", "minilm", text);
try {
  const session = await newPage(context, server.url);
  const frames = await record(session);
  assert.deepEqual(session.problems, []);
  const picture = animated(frames);
  assert.ok(picture.length < largest, `${picture.length} bytes, at most ${largest}`);
  writeFileSync(options.out, picture);
  console.log(`${options.out}: ${frames.length} frames, ${picture.length} bytes`);
} finally {
  await context.close();
  await server.stop();
}
