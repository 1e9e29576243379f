// The single file once more, opening with what is on the screen now: for a teacher's own numbers, say.

const startId = "fovea-start";

// The document as it was written, with the state in it: nothing of what the page's script made.
export function pageWithState(link: string): string {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  copy.querySelector("#app")!.replaceChildren();
  copy.querySelector(`#${startId}`)?.remove();
  [...copy.querySelectorAll("body > script:not([id])")].slice(1).forEach((script) => script.remove()); // the loader stays
  const start = document.createElement("script");
  start.type = "text/plain";
  start.id = startId;
  start.textContent = link.replace(/</g, "%3C");
  copy.querySelector("#app")!.after(start);
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

// Where the address names nothing, the file itself may.
export function readStart(): void {
  const link = document.getElementById(startId)?.textContent;
  if (!link || location.hash.length > 1) return;
  try {
    history.replaceState(null, "", `#${link}`);
  } catch {
    location.hash = link;
  }
}
