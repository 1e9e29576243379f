// Title, controls and export of a view.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../core/language";
import { say } from "../core/readout";
import { errorText } from "../core/errors";
import { writeAddress } from "../core/history";
import { capture, currentLink, source } from "../core/state";
import { ExplainButton, Explanation } from "./explain";
import { PassedNote } from "./head_switch";
import { LensNote } from "./lens_tools";
import { PresentButton } from "./presenting";
import { ReadingNote } from "./reading_note";
import { pageWithState } from "../exports/save_page";
import { exportFormats, exportView, save } from "../exports/view_export";
import type { ExportFormat } from "../exports/view_export";
import type { ViewName } from "../core/hash";

async function copyLink(): Promise<void> {
  const address = `${location.href.split("#")[0]}#${currentLink()}`;
  writeAddress(currentLink());
  try {
    await navigator.clipboard.writeText(address);
    say(t("linkCopied"));
  } catch {
    say(t("linkInAddress"));
  }
}

async function take(format: ExportFormat): Promise<void> {
  if (format === "link") return copyLink();
  const name = format.toUpperCase();
  say(t("exporting", { format: name }));
  await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown))); // a large picture keeps the page busy
  try {
    const outcome = await exportView(format);
    say(outcome === "saved" ? t("exported", { format: name }) : t(outcome === "too large" ? "pictureTooLarge" : "nothingToExport"));
  } catch (error) {
    say(t("notExported", { format: name, reason: errorText(error) }));
  }
}

function ExportMenu() {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    box.current?.querySelector<HTMLElement>(".menu button")?.focus();
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, [open]);
  return (
    <div class="export" ref={box}>
      <button type="button" class="plain" data-key="export" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("export")} ▾
      </button>
      {open && (
        <div class="menu">
          {exportFormats.map((format) => (
            <button
              type="button" key={format} data-export={format}
              onClick={() => {
                setOpen(false);
                void take(format);
              }}
            >
              {format === "link" ? t("link") : format.toUpperCase()}
            </button>
          ))}
          {source.value?.canRun === false && <SaveFile onSaved={() => setOpen(false)} />}
        </div>
      )}
    </div>
  );
}

// A single file can be written again, with the state of now in it.
function SaveFile(props: { onSaved: () => void }) {
  const write = () => {
    props.onSaved();
    save("page.html", pageWithState(currentLink()), "text/html");
    say(t("exported", { format: "HTML" }));
  };
  return <button type="button" data-export="html" onClick={write}>{t("saveFile")}</button>;
}

export function ViewFrame(props: {
  view: ViewName;
  example?: boolean; // an example is shown, not the model's run
  controls?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class={`view view-${props.view}`} aria-labelledby="view-title">
      <header class="view-head">
        <div class="titles">
          <h1 id="view-title">{t(`view.${props.view}`)}</h1>
          <p>{t(`about.${props.view}`)}</p>
        </div>
        <ExplainButton />
        <PresentButton />
        <ExportMenu />
      </header>
      <Explanation view={props.view} />
      {!props.example && capture.value && <ReadingNote of={capture.value} />}
      {!props.example && <LensNote view={props.view} />}
      {!props.example && props.view !== "study" && <PassedNote steps={props.view === "steps"} />}
      {props.controls && <div class="toolbar">{props.controls}</div>}
      {props.children}
    </section>
  );
}
