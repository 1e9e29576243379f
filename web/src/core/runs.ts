// Starting: where the data come from, which capture is shown, and runs of the model.
import { capture, captures, change, failure, now, page, running, source } from "./state";
import { errorText } from "./errors";
import { parseLink } from "./hash";
import { say } from "./readout";
import { t } from "./language";
import { FileSource } from "../data/source_file";
import { HttpSource } from "../data/source_http";
import { thousandths } from "./numbers";
import type { Capture } from "../data/types";

// The capture and what a link to it needs.
function show(shown: Capture): void {
  change({ capture: shown.id, model: shown.model, text: shown.text, text2: shown.text2 ?? "" });
}

export function chooseCapture(id: string): void {
  const chosen = captures.peek().find((candidate) => candidate.id === id);
  if (chosen) show(chosen);
}

export async function runModel(model: string, text: string, text2: string): Promise<void> {
  const from = source.peek();
  if (!from?.canRun || running.peek()) return;
  running.value = true;
  failure.value = "";
  try {
    const made = await from.run(model, text, text2);
    const kept = captures.peek().filter((other) => other.id !== made.id);
    captures.value = [...kept, made].slice(-(page.peek()?.limits.captures ?? 16));
    change({ tokens: [], key: -1 });
    show(made);
    const tokens = made.kinds[0]?.keys ?? 0;
    const cut = made.cut ? ` ${t("cut", { count: made.cut })}` : "";
    say(t("ran", { tokens, time: thousandths(made.seconds) }) + cut);
  } catch (error) {
    failure.value = errorText(error);
  } finally {
    running.value = false;
  }
}

export async function forget(): Promise<void> {
  const shown = capture.peek();
  if (!shown) return;
  try {
    await source.peek()?.remove(shown.id);
  } catch (error) {
    failure.value = errorText(error);
    return;
  }
  captures.value = captures.peek().filter((other) => other.id !== shown.id);
  const last = captures.peek().at(-1);
  if (last) show(last);
}

// A link may name a capture of this server, or a model and a text to run.
async function showLinked(): Promise<void> {
  const all = captures.peek();
  const [model, text, text2] = [now.model.peek(), now.text.peek(), now.text2.peek()];
  const fits = (one: Capture) =>
    !text || (one.model === model && one.text === text && (one.text2 ?? "") === text2);
  const linked = all.find((one) => one.id === now.capture.peek() && fits(one)) ?? (text ? all.find(fits) : undefined);
  const last = all.at(-1);
  if (linked) show(linked);
  else if (model && text && source.peek()?.canRun) await runModel(model, text, text2);
  else if (last) show(last);
}

export async function start(): Promise<void> {
  try {
    const from = FileSource.fromDocument() ?? new HttpSource();
    source.value = from;
    const state = await from.state();
    captures.value = state.captures;
    page.value = state;
    await showLinked();
  } catch (error) {
    failure.value = errorText(error);
  }
}

// An address typed or pasted while the page is open may name another text.
export function followAddress(): void {
  addEventListener("hashchange", () => {
    const linked = parseLink(location.hash);
    const shown = capture.peek();
    if (linked.text && linked.text !== shown?.text) void showLinked();
  });
}
