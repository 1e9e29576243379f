// The page inside of another one, a notebook say: what is selected is told to the page around it, which may select.
import { effect } from "@preact/signals";
import { address, change, kindInfo, now, page, selectedTokens } from "./state";
import { embedded } from "./embedded";
import { patchOf } from "./selection";
import type { Selection } from "./selection";

function selection(): Selection | null {
  const head = address.value;
  if (!page.value || !head || !kindInfo.value) return null;
  return {
    view: now.view.value, kind: head.kind, layer: head.layer, head: head.head, tokens: selectedTokens.value, key: now.key.value,
  };
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
