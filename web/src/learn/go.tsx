// A button that leads to another place in Learn.
import type { ComponentChildren } from "preact";
import { t } from "../core/language";
import { change } from "../core/state";
import { placeText } from "./place";
import type { Place } from "./place";

export const go = (place: Place) => change({ learn: placeText(place) });

export function Go(props: { to: Place; class?: string; label?: string; done?: boolean; disabled?: boolean; children: ComponentChildren }) {
  const label = props.label && `${props.label}${props.done ? ` (${t("learnDone")})` : ""}`;
  return (
    <button type="button" class={props.class} data-place={placeText(props.to)} data-done={props.done} aria-label={label} title={label} disabled={props.disabled} onClick={() => go(props.to)}>
      {props.children}
    </button>
  );
}
