// Title, controls and export of a view.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../core/language";
import { say } from "../core/readout";
import { currentLink } from "../core/state";
import { exportFormats, exportView } from "../exports/view_export";
import type { ExportFormat } from "../exports/view_export";
import type { ViewName } from "../core/hash";

async function copyLink(): Promise<void> {
  const address = `${location.href.split("#")[0]}#${currentLink()}`;
  history.replaceState(null, "", `#${currentLink()}`);
  try {
    await navigator.clipboard.writeText(address);
    say(t("linkCopied"));
  } catch {
    say(t("linkInAddress"));
  }
}

function take(format: ExportFormat): void {
  if (format === "link") void copyLink();
  else say(exportView(format) ? t("exported", { format: format.toUpperCase() }) : t("nothingToExport"));
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
                take(format);
              }}
            >
              {format === "link" ? t("link") : format.toUpperCase()}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

export function ViewFrame(props: {
  view: ViewName;
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
        <ExportMenu />
      </header>
      {props.controls && <div class="toolbar">{props.controls}</div>}
      {props.children}
    </section>
  );
}
