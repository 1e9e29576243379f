// The data inside a page written by `fovea view --film`: every frame's weights, and what was measured of them.
import { statisticsOf } from "../core/row_statistics";
import { SourceError } from "./source";
import type { Cells, Rollout, RowStatistics, Similarity, Thumbnails } from "./source";
import { downsample, FileSource } from "./source_file";
import type { TensorFile } from "./safetensors";
import type { Crop, HeadAddress, HeadOverview, KindInfo, KindName, Matrix, Overview, Words } from "./types";

const thumbnailCells = 48;

interface Place {
  text: string; // "f0"
  frame: number;
}

// id, name, rule, most attended key
type StoredRole = [string, Words, Words, number];

export class FilmFileSource extends FileSource {
  private readonly roles = new Map<string, StoredRole[][]>();

  static of(file: TensorFile): FileSource {
    const state = JSON.parse(file.metadata["state"] ?? "{}") as { film?: unknown };
    return state.film ? new FilmFileSource(file) : new FileSource(file);
  }

  override async overview(capture: string, kind: KindName): Promise<Overview> {
    const { text, frame } = this.place(capture);
    const name = `${text}.${kind}.measures`;
    const [, layers, heads, count] = this.file.shape(this.required(name));
    const values = this.file.floats(name, frame * layers * heads * count, layers * heads * count);
    const measures = (await this.state()).measures.filter((measure) => measure.per_head).map((measure) => measure.name);
    const roles = this.rolesOf(text, kind)[frame];
    const head = (at: number): HeadOverview => {
      const [id, words, rule, attended] = roles[at];
      const numbers = measures.map((measure, i) => {
        const value = values[at * count + i];
        return [measure, Number.isNaN(value) ? null : value] as const;
      });
      return { measures: Object.fromEntries(numbers), role: { id, name: words, rule }, most_attended: attended };
    };
    return {
      heads: Array.from({ length: layers }, (_, l) => Array.from({ length: heads }, (_, h) => head(l * heads + h))),
      measures_of: "all",
    };
  }

  // The same cells as the library's, from the stored weights.
  override async thumbnails(capture: string, kind: KindName): Promise<Thumbnails> {
    const info = this.infoOf(capture, kind);
    const [rows, columns] = [Math.min(thumbnailCells, info.queries), Math.min(thumbnailCells, info.keys)];
    const all: Thumbnails = {
      layers: info.layers, heads: info.heads, rows, columns,
      mean: new Float32Array(info.layers * info.heads * rows * columns), max: new Float32Array(info.layers * info.heads * rows * columns),
    };
    for (let at = 0; at < info.layers * info.heads; ++at) {
      const { mean, max } = downsample(this.headWeights(capture, kind, at, info), thumbnailCells);
      all.mean.set(mean.data, at * rows * columns);
      all.max.set(max.data, at * rows * columns);
    }
    return all;
  }

  override async weights(head: HeadAddress, crop: Crop): Promise<Matrix> {
    const info = this.infoOf(head.capture, head.kind);
    const rows = crop.rowEnd - crop.rowBegin;
    const columns = crop.keyEnd - crop.keyBegin;
    const data = new Float32Array(rows * columns);
    const heads = head.head === "mean" ? Array.from({ length: info.heads }, (_, h) => h) : [head.head];
    for (const h of heads) {
      const stored = this.headWeights(head.capture, head.kind, head.layer * info.heads + h, info).data;
      for (let i = 0; i < rows; ++i) {
        for (let j = 0; j < columns; ++j) {
          data[i * columns + j] += stored[(crop.rowBegin + i) * info.keys + crop.keyBegin + j] / heads.length;
        }
      }
    }
    return { rows, columns, data };
  }

  override async cells(head: HeadAddress, size: number): Promise<Cells> {
    return downsample(await this.wholeOf(head), size);
  }

  override async rows(head: HeadAddress): Promise<RowStatistics> {
    return statisticsOf(await this.wholeOf(head));
  }

  override steps(): Promise<TensorFile> {
    return Promise.reject(new SourceError("a film has no steps", 0, true));
  }

  override stepHeads(): [number, number][] {
    return [];
  }

  override async similarity(capture: string, kind: KindName): Promise<Similarity> {
    const { text, frame } = this.place(capture);
    const name = `${text}.${kind}.similarity`;
    const [, n] = this.file.shape(this.required(`${name}.divergence`));
    return {
      divergence: { rows: n, columns: n, data: this.file.weights(`${name}.divergence`, frame * n * n, n * n) },
      layout: { rows: n, columns: 2, data: this.file.floats(`${name}.layout`, frame * n * 2, n * 2) },
      order: this.file.integers(`${name}.order`).slice(frame * n, (frame + 1) * n),
    };
  }

  override async rollout(capture: string, kind: KindName): Promise<Rollout> {
    const { text, frame } = this.place(capture);
    const name = this.required(`${text}.${kind}.rollout`);
    const [, layers, tokens] = this.file.shape(name);
    return { layers, tokens, data: this.shares(name, frame * layers * tokens, layers * tokens, tokens) };
  }

  private rolesOf(text: string, kind: KindName): StoredRole[][] {
    const name = `${text}.${kind}.roles`;
    const known = this.roles.get(name) ?? this.parsed<StoredRole[][]>(name);
    this.roles.set(name, known);
    return known;
  }

  private wholeOf(head: HeadAddress): Promise<Matrix> {
    const info = this.infoOf(head.capture, head.kind);
    return this.weights(head, { rowBegin: 0, rowEnd: info.queries, keyBegin: 0, keyEnd: info.keys });
  }

  // at: layer · heads + head
  private headWeights(capture: string, kind: KindName, at: number, info: KindInfo): Matrix {
    const { text, frame } = this.place(capture);
    const begin = (frame * info.layers * info.heads + at) * info.queries;
    const data = this.shares(this.required(`${text}.${kind}.weights`), begin, info.queries, info.keys);
    return { rows: info.queries, columns: info.keys, data };
  }

  // Rows are stored as shares of their largest number.
  private shares(name: string, firstRow: number, rows: number, columns: number): Float32Array {
    const data = this.file.weights(name, firstRow * columns, rows * columns);
    const most = this.file.floats(`${name}.row_max`, firstRow, rows);
    for (let i = 0; i < data.length; ++i) data[i] *= most[Math.floor(i / columns)];
    return data;
  }

  private infoOf(capture: string, kind: KindName): KindInfo {
    const { text } = this.place(capture);
    const info = this.pageState.captures.find(({ id }) => id === text)?.kinds.find((one) => one.kind === kind);
    if (!info) throw new SourceError(`no attention of kind ${kind} in this file`, 0, true);
    return info;
  }

  // "f0x12"; "f0" is the last frame, as on the server.
  private place(capture: string): Place {
    const match = /^(f\d+)(?:x(\d+))?$/.exec(capture);
    const frames = this.pageState.film?.frames.step.length ?? 0;
    const frame = match?.[2] === undefined ? frames - 1 : Number(match[2]);
    if (!match || frame >= frames) throw new SourceError(`${capture} is not in this file`, 0, true);
    return { text: match[1], frame };
  }
}
