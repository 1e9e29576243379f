// The selection that all views share: kind, layer, head, tokens, mask, colours.
import { useLayoutEffect, useRef } from "preact/hooks";
import { pick, t } from "../core/language";
import {
  activeMask, address, capture, change, colourName, colours, keyNames, kindInfo, now, page, queryNames,
  shownTokens, showsPassed,
} from "../core/state";
import { isOff } from "../core/head_off";
import { axes } from "../core/shown";
import { entryOf, rangeNames } from "../core/colours";
import { overviewOf, patience } from "../core/overviews";
import { placed } from "../core/tokens";
import { sized, theme } from "../canvas/theme";
import { useLoaded } from "./loading";
import { useScrollCue } from "./scroll_cue";
import { ColourBar, Segmented, Select, Stepper } from "./controls";
import { HeadSwitch, PassedSwitch } from "./head_switch";

const mapMeasure = "normalised_entropy";

// A head that is switched off.
function crossOut(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  context.fillStyle = theme().ground;
  context.fillRect(x, y, width, height);
  context.strokeStyle = theme().warn;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x + 2, y + 2);
  context.lineTo(x + width - 2, y + height - 2);
  context.moveTo(x + width - 2, y + 2);
  context.lineTo(x + 2, y + height - 2);
  context.stroke();
}

// All heads as small squares: how spread each is; a click selects.
function HeadMap() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const info = kindInfo.value!;
  const chosen = address.value!;
  const overview = useLoaded(`${chosen.capture}|${chosen.kind}`, () => overviewOf(chosen.capture, chosen.kind, patience));
  const width = 180;
  const cell = Math.min(width / info.heads, 15);
  const height = Math.min(cell * info.layers, 260);
  const rowHeight = height / info.layers;
  const table = colours.value;
  useLayoutEffect(() => {
    const context = sized(canvas.current!, cell * info.heads, height);
    const gap = cell > 5 ? 1 : 0;
    for (let l = 0; l < info.layers; ++l) {
      for (let h = 0; h < info.heads; ++h) {
        const measured = overview.value?.heads[l]?.[h]?.measures[mapMeasure];
        context.fillStyle = measured == null ? theme().line : table.css[entryOf(1 - measured)];
        context.fillRect(h * cell, l * rowHeight, cell - gap, rowHeight - gap);
        if (isOff(l, h)) crossOut(context, h * cell, l * rowHeight, cell - gap, rowHeight - gap);
      }
    }
    context.strokeStyle = theme().accent;
    context.lineWidth = 2;
    const { layer, head } = chosen;
    if (head === "mean") context.strokeRect(1, layer * rowHeight, cell * info.heads - 2, rowHeight - gap);
    else context.strokeRect(head * cell, layer * rowHeight, cell - gap, rowHeight - gap);
  });
  const select = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const head = Math.floor((event.clientX - box.left) / cell);
    const layer = Math.floor((event.clientY - box.top) / rowHeight);
    if (head < info.heads && layer < info.layers) change({ head: Math.max(0, head), layer: Math.max(0, layer) });
  };
  const role = chosen.head === "mean" ? undefined : overview.value?.heads[chosen.layer]?.[chosen.head]?.role;
  return (
    <div class="headmap">
      <canvas ref={canvas} role="img" aria-label={t("headMap")} title={t("headMap")} onClick={select} />
      {role && <p class="role" title={pick(role.rule)}>{pick(role.name)}</p>}
    </div>
  );
}

// A token's name, or that of the word it is shown in.
function shownName(names: string[], token: number, query: boolean): string {
  const { rowOf, columnOf, queries, keys, queryAt, keyAt } = axes.value;
  const at = (query ? rowOf : columnOf)(token);
  if (at < 0) return placed(names[token], token);
  return query ? placed(queries[at], queryAt[at]) : placed(keys[at], keyAt[at]);
}

function Tokens() {
  const out = now.direction.value === "out";
  const names = out ? queryNames.value : keyNames.value;
  const keys = keyNames.value;
  const chosen = shownTokens.value;
  const key = now.key.value;
  return (
    <div class="tokens-selected">
      <span class="name">{out ? t("query") : t("key")}</span>
      <span class="value">
        {chosen.length
          ? chosen.slice(0, 4).map((i) => shownName(names, i, out)).join(" + ") + (chosen.length > 4 ? " …" : "")
          : t("none")}
        {out && key >= 0 && key < keys.length && ` → ${shownName(keys, key, false)}`}
      </span>
      {chosen.length > 0 && (
        <button type="button" class="plain" aria-label={t("clear")} title={t("clear")} onClick={() => change({ tokens: [], key: -1, spot: -1 })}>×</button>
      )}
    </div>
  );
}

function ActiveMask() {
  if (!activeMask.value) return null;
  const text = activeMask.value;
  return (
    <div class="mask-chip">
      <span class="name">{t("mask")}</span>
      <code title={text}>{text.length > 30 ? `${text.slice(0, 29)}…` : text}</code>
      <button type="button" class="plain" aria-label={t("removeMask")} title={t("removeMask")} onClick={() => change({ mask: "" })}>×</button>
    </div>
  );
}

function Colours() {
  const names = Object.keys(page.value?.colormaps ?? {}).filter((name) => name !== "RdBu");
  const range = now.range.value;
  return (
    <div class="colours">
      <Select
        label={t("colours")} value={now.colormap.value}
        choices={[{ value: "auto", label: t("auto", { name: colourName.value }) }, ...names.map((name) => ({ value: name, label: name }))]}
        onChange={(colormap) => change({ colormap })}
      />
      <Segmented
        label={t("range")} value={range} onChange={(value) => change({ range: value })}
        choices={rangeNames.map((name) => ({ value: name, label: t(`range.${name}`), title: t(`rangeTitle.${name}`) }))}
      />
      <ColourBar
        css={colours.value.css} label={t(showsPassed.value ? "passedShare" : "weight")}
        low={range === "log" ? "1e-4" : "0"} high={range === "row" ? t("rowMaximum") : "1"}
      />
    </div>
  );
}

export function SelectionPanel() {
  return kindInfo.value && address.value && <Panel />;
}

function Panel() {
  const info = kindInfo.value!;
  const chosen = address.value!;
  const box = useRef<HTMLElement>(null);
  useScrollCue(box);
  const kinds = capture.value?.kinds ?? [];
  const head = chosen.head;
  return (
    <section class="selection" ref={box} aria-label={t("selection")}>
      {kinds.length > 1 && (
        <Segmented
          label={t("kind")} value={info.kind} onChange={(kind) => change({ kind, tokens: [], key: -1 })}
          choices={kinds.map(({ kind }) => ({ value: kind, label: t(`kind.${kind}`) }))}
        />
      )}
      <div class="steppers">
        <Stepper label={t("layer")} value={chosen.layer} count={info.layers} onChange={(layer) => change({ layer })} />
        <Stepper
          label={t("head")} value={head === "mean" ? 0 : head} count={info.heads} text={head === "mean" ? t("mean") : undefined}
          onChange={(value) => change({ head: value })}
        />
        <button type="button" class="plain mean" aria-pressed={head === "mean"} title={t("meanTitle")}
          onClick={() => change({ head: head === "mean" ? 0 : "mean" })}>{t("mean")}</button>
      </div>
      <Tokens />
      <ActiveMask />
      <HeadMap />
      <HeadSwitch />
      <PassedSwitch />
      <Colours />
    </section>
  );
}
