// Small controls that every view uses.
import type { ComponentChildren } from "preact";
import { errorText } from "../core/errors";
import { t } from "../core/language";
import { MaskError } from "../core/mask_expression";
import { MaskShapeError } from "../core/mask";

export interface Choice<T extends string> {
  value: T;
  label: string;
  title?: string;
}

export function Segmented<T extends string>(props: {
  label: string;
  choices: Choice<T>[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <div class="segmented" role="group" aria-label={props.label}>
      {props.choices.map((choice) => (
        <button
          type="button"
          key={choice.value}
          title={choice.title}
          aria-pressed={choice.value === props.value}
          onClick={() => props.onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

export function Select<T extends string>(props: {
  label: string;
  hideLabel?: boolean;
  choices: Choice<T>[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <label class="field">
      <span class={props.hideLabel ? "unseen" : ""}>{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value as T)}>
        {props.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>{choice.label}</option>
        ))}
      </select>
    </label>
  );
}

export function Stepper(props: {
  label: string;
  value: number;
  count: number;
  text?: string; // instead of the number
  onChange: (value: number) => void;
}) {
  const move = (by: number) => props.onChange((props.value + by + props.count) % props.count);
  return (
    <div class="stepper" role="group" aria-label={props.label}>
      <span class="name">{props.label}</span>
      <button type="button" aria-label={`${props.label} −`} onClick={() => move(-1)}>‹</button>
      <output>{props.text ?? props.value}</output>
      <button type="button" aria-label={`${props.label} +`} onClick={() => move(1)}>›</button>
    </div>
  );
}

export function NumberField(props: {
  label: string;
  value: number;
  least: number;
  largest: number;
  step?: number;
  onChange: (value: number) => void;
}) {
  const accept = (text: string) => {
    const value = Number(text);
    if (text !== "" && value >= props.least && value <= props.largest) props.onChange(value);
  };
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type="number" value={props.value} min={props.least} max={props.largest} step={props.step ?? 1}
        onInput={(event) => accept(event.currentTarget.value)}
      />
    </label>
  );
}

export function Notice(props: { children: ComponentChildren; error?: boolean }) {
  return <p class={props.error ? "notice error" : "notice"} role={props.error ? "alert" : undefined}>{props.children}</p>;
}

// Appears when something takes longer than a moment.
export function Working(props: { children: ComponentChildren }) {
  return <p class="working" role="status">{props.children}</p>;
}

export function Failure(props: { error: Error | null }) {
  const { error } = props;
  return error && <Notice error>{errorText(error)}</Notice>;
}

export function maskErrorText(error: MaskError | MaskShapeError): string {
  if (error instanceof MaskShapeError) {
    return t("maskShapeError", { mask: error.mask, got: error.got, expected: error.expected });
  }
  return t("maskError", { column: error.column, expected: error.expected, got: error.got || t("theEnd") });
}

export function ColourBar(props: { css: string[]; low: string; high: string; label: string }) {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((i) => props.css[i]).join(",");
  return (
    <div class="colourbar" role="img" aria-label={`${props.label}: ${props.low} – ${props.high}`}>
      <span>{props.low}</span>
      <i style={{ background: `linear-gradient(90deg,${stops})` }} />
      <span>{props.high}</span>
    </div>
  );
}
