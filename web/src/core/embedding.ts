// The page inside of another one, a notebook say: what is selected is told to the page around it, which may select.
import { effect } from "@preact/signals";
import { address, change, kindInfo, now, page, selectedTokens } from "./state";
import { embedded } from "./embedded";
import { readLink } from "./hash";
import type { LinkState } from "./hash";

interface Selection {
  view: string;
  kind: string;
  layer: number;
  head: number | "mean";
  tokens: number[]; // selected queries, or keys where one looks at who looks there
  key: number; // −1: none
}

const fields = ["view", "kind", "layer", "head", "tokens", "key"] as const;

function selection(): Selection | null {
  const head = address.value;
  if (!page.value || !head || !kindInfo.value) return null;
  return {
    view: now.view.value, kind: head.kind, layer: head.layer, head: head.head, tokens: selectedTokens.value, key: now.key.value,
  };
}

// What others send is read as an address is: unknown or wrong fields change nothing.
export function patchOf(asked: Record<string, unknown>): Partial<LinkState> {
  const parts = fields.filter((name) => name in asked && asked[name] !== -1).map((name) => {
    const value = asked[name];
    return `${name}=${encodeURIComponent(Array.isArray(value) ? value.join(".") : String(value))}`;
  });
  const { state } = readLink(parts.join("&"));
  const patch = Object.fromEntries(fields.filter((name) => name in asked).map((name) => [name, state[name]]));
  return patch as Partial<LinkState>;
}

export function followParent(): void {
  if (!embedded) return;
  let ready = false;
  const tell = (message: object) => window.parent.postMessage({ fovea: "selection", ...message }, "*");
  addEventListener("message", (event: MessageEvent) => {
    const data = event.data as { fovea?: string; selection?: Record<string, unknown> } | null;
    if (event.source !== window.parent || data?.fovea !== "select" || !data.selection) return;
    change(patchOf(data.selection));
  });
  effect(() => {
    const chosen = selection();
    if (!chosen) return;
    if (!ready) tell({ ready: true });
    ready = true;
    tell({ selection: chosen });
  });
}
