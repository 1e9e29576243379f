// The safetensors format: 8 bytes header length, a JSON header, the data. The bytes may come from anywhere, so
// every length and offset is checked before anything is read.
import { halvesToFloats } from "./float16";

const itemBytes = { F32: 4, F16: 2, U8: 1, I64: 8 } as const;
export type Dtype = keyof typeof itemBytes;

export interface TensorEntry {
  dtype: Dtype;
  shape: number[];
  begin: number; // within the file
  elements: number;
}

export class FormatError extends Error {}

function fail(message: string): never {
  throw new FormatError(`[safetensors] ${message}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function entryOf(name: string, value: unknown, dataBegin: number, dataBytes: number): TensorEntry {
  if (!isRecord(value)) fail(`entry "${name}" is no object`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !(dtype in itemBytes)) {
    fail(`"${name}" has type ${String(dtype)}, expected one of ${Object.keys(itemBytes).join(", ")}`);
  }
  if (!Array.isArray(shape) || !shape.every(isSize)) fail(`"${name}" has no shape of whole numbers`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize)) {
    fail(`"${name}" has no two data_offsets`);
  }
  const [begin, end] = offsets as [number, number];
  const elements = (shape as number[]).reduce((product, extent) => product * extent, 1);
  const bytes = elements * itemBytes[dtype as Dtype];
  if (begin > end || end > dataBytes) fail(`"${name}" lies at ${begin}..${end} of ${dataBytes} bytes`);
  if (end - begin !== bytes) fail(`"${name}" has ${end - begin} bytes, its shape needs ${bytes}`);
  return { dtype: dtype as Dtype, shape: shape as number[], begin: dataBegin + begin, elements };
}

export class TensorFile {
  readonly entries = new Map<string, TensorEntry>();
  readonly metadata: Record<string, string> = {};

  constructor(private readonly bytes: Uint8Array) {
    if (bytes.length < 8) fail(`${bytes.length} bytes, expected at least 8`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const headerBytes = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
    if (headerBytes > bytes.length - 8) {
      fail(`the header should have ${headerBytes} bytes, there are ${bytes.length - 8}`);
    }
    const header = this.parseHeader(bytes.subarray(8, 8 + headerBytes));
    const dataBegin = 8 + headerBytes;
    for (const [name, value] of Object.entries(header)) {
      if (name === "__metadata__") this.readMetadata(value);
      else this.entries.set(name, entryOf(name, value, dataBegin, bytes.length - dataBegin));
    }
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  shape(name: string): number[] {
    return this.entry(name).shape;
  }

  // All elements as float32, or `count` of them from element `first` on. Aligned float32 are not copied: the caller
  // does not change them.
  floats(name: string, first = 0, count?: number): Float32Array {
    const entry = this.entry(name);
    const elements = count ?? entry.elements - first;
    if (first < 0 || elements < 0 || first + elements > entry.elements) {
      fail(`elements ${first}..${first + elements} of "${name}", which has ${entry.elements}`);
    }
    const begin = this.bytes.byteOffset + entry.begin + 4 * first;
    if (entry.dtype === "F32" && begin % 4 === 0) return new Float32Array(this.bytes.buffer, begin, elements);
    const raw = this.copy(entry, first, elements);
    switch (entry.dtype) {
      case "F32":
        return new Float32Array(raw);
      case "F16":
        return halvesToFloats(new Uint16Array(raw));
      case "U8":
        return Float32Array.from(new Uint8Array(raw));
      case "I64":
        return Float32Array.from(new BigInt64Array(raw), Number);
    }
  }

  // Weights stored as bytes are w · 255.
  weights(name: string, first = 0, count?: number): Float32Array {
    const values = this.floats(name, first, count);
    if (this.entry(name).dtype === "U8") for (let i = 0; i < values.length; ++i) values[i] /= 255;
    return values;
  }

  integers(name: string): number[] {
    const entry = this.entry(name);
    if (entry.dtype !== "I64") return Array.from(this.floats(name));
    return Array.from(new BigInt64Array(this.copy(entry, 0, entry.elements)), Number);
  }

  // The tensors whose names begin with `prefix`, under the rest of their names; the same bytes.
  part(prefix: string): TensorFile {
    const part = Object.create(TensorFile.prototype) as TensorFile;
    const entries = [...this.entries].filter(([name]) => name.startsWith(prefix));
    Object.assign(part, {
      bytes: this.bytes,
      metadata: {},
      entries: new Map(entries.map(([name, entry]) => [name.slice(prefix.length), entry])),
    });
    for (const [key, value] of Object.entries(this.metadata)) {
      if (key.startsWith(prefix)) part.metadata[key.slice(prefix.length)] = value;
    }
    return part;
  }

  private entry(name: string): TensorEntry {
    return this.entries.get(name) ?? fail(`there is no "${name}"`);
  }

  // A copy, because typed arrays want aligned memory.
  private copy(entry: TensorEntry, first: number, elements: number): ArrayBuffer {
    const size = itemBytes[entry.dtype];
    const begin = this.bytes.byteOffset + entry.begin + first * size;
    return (this.bytes.buffer as ArrayBuffer).slice(begin, begin + elements * size);
  }

  private parseHeader(bytes: Uint8Array): Record<string, unknown> {
    let header: unknown;
    try {
      header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      fail("the header is no JSON");
    }
    return isRecord(header) ? header : fail("the header is no JSON object");
  }

  private readMetadata(value: unknown): void {
    if (!isRecord(value)) fail("__metadata__ is no object");
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== "string") fail(`metadata "${key}" is no text`);
      this.metadata[key] = text;
    }
  }
}
