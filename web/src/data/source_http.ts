// The server's answers: JSON for words, safetensors for numbers.
import { FirstAnswer } from "./first_answer";
import { TensorFile } from "./safetensors";
import { HttpLearn } from "../learn/learn_source";
import { json, request } from "./request";
import { matrixOf } from "./source";
import type { Cells, Rollout, RowStatistics, RunWanted, Similarity, Source, Thumbnails } from "./source";
import type {
  Account, Capture, Cosine, Crop, HeadAddress, KindName, Matrix, Overview, PageState, Predictions,
} from "./types";
import { readVariant } from "../core/whatif";
import type { StudyCard, StudyOverview } from "./study_types";

// What an address says of changes; "": nothing.
function changeIn(path: string): string {
  const values = new URLSearchParams(path.slice(path.indexOf("?") + 1));
  const said = ["off", "hide", "visible"].map((name) => values.get(name) ?? "");
  return said.some(Boolean) ? path.slice(0, path.lastIndexOf("/")) + JSON.stringify(said) : "";
}

const first = new FirstAnswer();

async function tensors(path: string, signal?: AbortSignal): Promise<TensorFile> {
  await first.turn(changeIn(path));
  return new TensorFile(new Uint8Array(await (await request(path, { signal })).arrayBuffer()));
}

async function words<T>(path: string): Promise<T> {
  await first.turn(changeIn(path));
  return json<T>(path);
}

function query(values: Record<string, string | number>): string {
  return new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)])).toString();
}

function of(capture: string, what: string, values: Record<string, string | number>): string {
  const { run, values: changed } = readVariant(capture);
  return `api/captures/${encodeURIComponent(run)}/${what}?${query({ ...changed, ...values })}`;
}

function ofHead(head: HeadAddress, what: string, values: Record<string, string | number> = {}): string {
  return of(head.capture, what, { kind: head.kind, layer: head.layer, head: head.head, ...values });
}

function cropped(crop: Crop): Record<string, string> {
  return { rows: `${crop.rowBegin}:${crop.rowEnd}`, keys: `${crop.keyBegin}:${crop.keyEnd}` };
}

export class HttpSource implements Source {
  readonly canRun = true;
  readonly notes = null;
  readonly learn = new HttpLearn();

  state(): Promise<PageState> {
    return json<PageState>("api/state");
  }

  async examples(): Promise<Account[]> {
    return (await json<{ examples: Account[] }>("api/examples")).examples;
  }

  async run({ model, text, text2, more, replaces }: RunWanted): Promise<Capture> {
    const response = await request("api/captures", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model, text, ...(text2 && { text2 }), ...(more.length && { more: more.join(".") }), ...(replaces && { replaces }) }),
    });
    return (await response.json()) as Capture;
  }

  async remove(capture: string): Promise<void> {
    await request(`api/captures/${encodeURIComponent(capture)}`, {
      method: "DELETE",
      headers: { "Content-Type": "application/json" },
    });
  }

  overview(capture: string, kind: KindName): Promise<Overview> {
    return words<Overview>(of(capture, "overview", { kind }));
  }

  async thumbnails(capture: string, kind: KindName): Promise<Thumbnails> {
    const file = await tensors(of(capture, "thumbnails", { kind, size: 48 }));
    const [layers, heads, rows, columns] = file.shape("mean");
    return { layers, heads, rows, columns, mean: file.floats("mean"), max: file.floats("max") };
  }

  async weights(head: HeadAddress, crop: Crop, mask: string): Promise<Matrix> {
    const values = mask ? { ...cropped(crop), mask } : cropped(crop);
    return matrixOf(await tensors(ofHead(head, "weights", values)), "weights");
  }

  async cells(head: HeadAddress, size: number, mask: string): Promise<Cells> {
    const file = await tensors(ofHead(head, "weights", mask ? { cells: size, mask } : { cells: size }));
    return { mean: matrixOf(file, "mean"), max: matrixOf(file, "max") };
  }

  async rows(head: HeadAddress): Promise<RowStatistics> {
    const file = await tensors(ofHead(head, "rows"));
    return { entropy: file.floats("entropy"), received: file.floats("received") };
  }

  // The steps compute weights, whatever the pictures show.
  steps(head: HeadAddress, crop: Crop): Promise<TensorFile> {
    return tensors(ofHead(head, "steps", { ...cropped(crop), show: "weights" }));
  }

  predictions(capture: string, position: number, top: number, signal: AbortSignal): Promise<Predictions> {
    const path = of(capture, "predictions", position < 0 ? { top } : { top, position });
    return first.lead(changeIn(path), json<Predictions>(path, { signal }));
  }

  cosine(capture: string, other: string): Promise<Cosine> {
    return words<Cosine>(of(capture, "cosine", { with: other }));
  }

  async similarity(capture: string, kind: KindName): Promise<Similarity> {
    const file = await tensors(of(capture, "similarity", { kind }));
    return {
      divergence: matrixOf(file, "divergence"),
      layout: matrixOf(file, "layout"),
      order: file.integers("order"),
    };
  }

  async rollout(capture: string, kind: KindName): Promise<Rollout> {
    const file = await tensors(of(capture, "rollout", { kind }));
    const [layers, tokens] = file.shape("rollout");
    return { layers, tokens, data: file.floats("rollout") };
  }

  async rolloutRow(capture: string, kind: KindName, position: number, signal: AbortSignal): Promise<Float32Array> {
    return (await tensors(of(capture, "rollout", { kind, query: position }), signal)).floats("row");
  }

  stepHeads(): null {
    return null;
  }

  study(id: string): Promise<StudyOverview> {
    return json<StudyOverview>(`api/studies/${encodeURIComponent(id)}`);
  }

  studyHead(id: string, head: number): Promise<StudyCard> {
    return json<StudyCard>(`api/studies/${encodeURIComponent(id)}/head?${query({ head })}`);
  }
}
