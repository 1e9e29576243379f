// One sentence for what is seen, which follows the pointer, and one for what the head does as a rule.
import type { RefObject } from "preact";
import { useLoaded } from "./loading";
import { language, t } from "../core/language";
import { overviewOf, patience } from "../core/overviews";
import { headSentence, seenSentence } from "../core/seen";
import type { Reading, Texts } from "../core/seen";
import { address, keyNames, kindInfo, showsPassed } from "../core/state";
import { strings } from "../text/strings";
import type { StringKey } from "../text/strings";

// Written for every move of the pointer, without the framework: the names of tokens are bold.
export function writeSeen(line: HTMLElement | null, reading: Reading | null, texts: Texts): void {
  const sentence = reading && seenSentence(reading, texts);
  if (!line || !sentence) return line?.replaceChildren();
  const [key, values] = sentence;
  const passed = `passed.${key}`;
  const nodes = t(showsPassed.peek() && passed in strings ? (passed as StringKey) : key).split(/(\{\w+\})/).map((part) => {
    const value = part.startsWith("{") ? values[part.slice(1, -1)] : undefined;
    if (value === undefined || part === "{where}") return value ?? part;
    const bold = document.createElement("b");
    bold.textContent = value;
    return bold;
  });
  line.replaceChildren(...nodes);
}

export function HeadDoes() {
  const head = address.value!;
  const overview = useLoaded(`${head.capture}|${head.kind}`, () => overviewOf(head.capture, head.kind, patience));
  void language.value;
  const info = kindInfo.value!;
  const own = head.head === "mean" ? null : overview.value?.heads[head.layer]?.[head.head];
  const text = head.head === "mean" ? t("does.mean", { heads: info.heads }) : own ? headSentence(own, keyNames.value) : "";
  return <p class="does">{text || "\u00a0"}</p>;
}

export function Seen(props: { line: RefObject<HTMLParagraphElement | null> }) {
  return (
    <div class="insight">
      <p class="seen" ref={props.line} />
      <HeadDoes />
    </div>
  );
}
