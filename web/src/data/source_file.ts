// The data inside a page written by `fovea view`: one safetensors file, base64, in an inert script element.
import { FileLearn } from "../learn/file_learn";
import { FormatError, TensorFile } from "./safetensors";
import { SourceError } from "./source";
import type { Cells, Rollout, RowStatistics, Similarity, Source, Thumbnails } from "./source";
import type {
  Account, Capture, Cosine, Crop, FileNotes, HeadAddress, KindInfo, KindName, Matrix, Overview, PageState, Predictions,
} from "./types";
import type { StudyCard, StudyOverview } from "./study_types";

export function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The same cells as the library: row i of N belongs to cell ⌊i·R/N⌋ of R.
export function downsample(matrix: Matrix, size: number): Cells {
  const rows = Math.min(size, matrix.rows);
  const columns = Math.min(size, matrix.columns);
  const mean = { rows, columns, data: new Float32Array(rows * columns) };
  const max = { rows, columns, data: new Float32Array(rows * columns) };
  const edge = (cell: number, cells: number, extent: number) => Math.ceil((cell * extent) / cells);
  for (let r = 0; r < rows; ++r) {
    const rowBegin = edge(r, rows, matrix.rows);
    const rowEnd = edge(r + 1, rows, matrix.rows);
    for (let c = 0; c < columns; ++c) {
      const keyBegin = edge(c, columns, matrix.columns);
      const keyEnd = edge(c + 1, columns, matrix.columns);
      let sum = 0;
      let largest = 0;
      for (let i = rowBegin; i < rowEnd; ++i) {
        for (let j = keyBegin; j < keyEnd; ++j) {
          const value = matrix.data[i * matrix.columns + j];
          sum += value;
          if (value > largest) largest = value;
        }
      }
      mean.data[r * columns + c] = sum / ((rowEnd - rowBegin) * (keyEnd - keyBegin));
      max.data[r * columns + c] = largest;
    }
  }
  return { mean, max };
}

export class FileSource implements Source {
  readonly canRun = false;
  readonly notes: FileNotes | null;
  readonly learn: FileLearn;
  protected readonly pageState: PageState;
  private readonly cards = new Map<string, StudyCard[]>(); // of studies, read when first asked for

  constructor(protected readonly file: TensorFile) {
    this.pageState = this.parsed<PageState>("state");
    this.learn = new FileLearn(file.metadata);
    this.notes = file.metadata["notes"] ? this.parsed<FileNotes>("notes") : null;
  }

  static fromDocument(make: (file: TensorFile) => FileSource): FileSource | null {
    const element = document.getElementById("fovea-data");
    if (!element?.textContent) return null;
    return make(new TensorFile(bytesOfBase64(element.textContent.trim())));
  }

  async state(): Promise<PageState> {
    return this.pageState;
  }

  async examples(): Promise<Account[]> {
    const stored = this.parsed<{ examples: Account[] } | Account[]>("examples");
    return Array.isArray(stored) ? stored : stored.examples;
  }

  run(): Promise<Capture> {
    return Promise.reject(new SourceError("a file runs no model", 0, true));
  }

  remove(): Promise<void> {
    return Promise.reject(new SourceError("a file keeps its data", 0, true));
  }

  predictions(): Promise<Predictions> {
    return Promise.reject(new SourceError("a file runs no model", 0, true));
  }

  cosine(): Promise<Cosine> {
    return Promise.reject(new SourceError("a file runs no model", 0, true));
  }

  async overview(_capture: string, kind: KindName): Promise<Overview> {
    return this.parsed<Overview>(`overview.${kind}`);
  }

  async thumbnails(_capture: string, kind: KindName): Promise<Thumbnails> {
    const [layers, heads, rows, columns] = this.file.shape(`${kind}.thumbnails.mean`);
    return {
      layers, heads, rows, columns,
      mean: this.file.weights(`${kind}.thumbnails.mean`),
      max: this.file.weights(`${kind}.thumbnails.max`),
    };
  }

  // Without masks: what a file holds is small enough to be fetched whole and restricted by the caller.
  async weights(head: HeadAddress, crop: Crop): Promise<Matrix> {
    const info = this.kind(head.kind);
    const name = this.required(`${head.kind}.weights`);
    const rows = crop.rowEnd - crop.rowBegin;
    const columns = crop.keyEnd - crop.keyBegin;
    const data = new Float32Array(rows * columns);
    const heads = head.head === "mean" ? Array.from({ length: info.heads }, (_, h) => h) : [head.head];
    for (const h of heads) {
      const first = ((head.layer * info.heads + h) * info.queries + crop.rowBegin) * info.keys;
      const stored = this.file.weights(name, first, rows * info.keys);
      for (let i = 0; i < rows; ++i) {
        for (let j = 0; j < columns; ++j) {
          data[i * columns + j] += stored[i * info.keys + crop.keyBegin + j] / heads.length;
        }
      }
    }
    return { rows, columns, data };
  }

  async cells(head: HeadAddress, size: number): Promise<Cells> {
    const info = this.kind(head.kind);
    const whole = { rowBegin: 0, rowEnd: info.queries, keyBegin: 0, keyEnd: info.keys };
    return downsample(await this.weights(head, whole), size);
  }

  async rows(head: HeadAddress): Promise<RowStatistics> {
    const info = this.kind(head.kind);
    return {
      entropy: this.rowValues(`${head.kind}.rows.entropy`, head, info.heads, info.queries),
      received: this.rowValues(`${head.kind}.rows.received`, head, info.heads, info.keys),
    };
  }

  async steps(head: HeadAddress): Promise<TensorFile> {
    const prefix = `${head.kind}.steps.${head.layer}.${head.head}.`;
    this.required(`${prefix}q`);
    return this.file.part(prefix);
  }

  async similarity(_capture: string, kind: KindName): Promise<Similarity> {
    const name = `${kind}.similarity`;
    const [n] = this.file.shape(this.required(`${name}.divergence`));
    return {
      divergence: { rows: n, columns: n, data: this.file.floats(`${name}.divergence`) },
      layout: { rows: n, columns: 2, data: this.file.floats(`${name}.layout`) },
      order: this.file.integers(`${name}.order`),
    };
  }

  async rollout(_capture: string, kind: KindName): Promise<Rollout> {
    const [layers, tokens] = this.file.shape(this.required(`${kind}.rollout`));
    return { layers, tokens, data: this.file.weights(`${kind}.rollout`) };
  }

  async rolloutRow(capture: string, kind: KindName, query: number): Promise<Float32Array> {
    const { layers, tokens, data } = await this.rollout(capture, kind);
    const begin = ((layers - 1) * tokens + query) * tokens;
    return data.slice(begin, begin + tokens);
  }

  stepHeads(_capture: string, kind: KindName): [number, number][] {
    const heads: [number, number][] = [];
    for (const name of this.file.entries.keys()) {
      const match = /^(\w+)\.steps\.(\d+)\.(\d+)\.q$/.exec(name);
      if (match && match[1] === kind) heads.push([Number(match[2]), Number(match[3])]);
    }
    return heads;
  }

  async study(id: string): Promise<StudyOverview> {
    return this.parsed<StudyOverview>(`study.${id}`);
  }

  async studyHead(id: string, head: number): Promise<StudyCard> {
    let cards = this.cards.get(id);
    if (!cards) this.cards.set(id, (cards = this.parsed<StudyCard[]>(`study.${id}.heads`)));
    return cards[head];
  }

  private rowValues(name: string, head: HeadAddress, heads: number, extent: number): Float32Array {
    this.required(name);
    const layer = head.layer * heads * extent;
    if (head.head !== "mean") return this.file.floats(name, layer + head.head * extent, extent);
    const all = this.file.floats(name, layer, heads * extent);
    const mean = new Float32Array(extent);
    for (let i = 0; i < all.length; ++i) mean[i % extent] += all[i] / heads;
    return mean;
  }

  private kind(kind: KindName): KindInfo {
    const info = this.pageState.captures[0]?.kinds.find((candidate) => candidate.kind === kind);
    if (!info) throw new SourceError(`no attention of kind ${kind} in this file`, 0, true);
    return info;
  }

  protected required(name: string): string {
    if (!this.file.has(name)) throw new SourceError(`${name} is not in this file`, 0, true);
    return name;
  }

  protected parsed<T>(name: string): T {
    const text = this.file.metadata[name];
    if (text === undefined) throw new FormatError(`the page's data lack "${name}"`);
    return JSON.parse(text) as T;
  }
}
