// What of a text the model did not read, or read as something else. Every view shows it: all of them show that run.
import { t } from "../core/language";
import { readingText } from "../core/reading";
import type { Capture } from "../data/types";

export function ReadingNote(props: { of: Capture; name?: string }) {
  const sentences = readingText(props.of);
  const unknown = Object.values(props.of.sequences).some((sequence) => sequence.unknown?.some(Boolean));
  if (!sentences.length && !unknown) return null;
  return (
    <p class="reading-note">
      {props.name && <b>{props.name}: </b>}
      {sentences.join(" ")}
      {unknown && <> <span class="unknown">{t("unknownMark")}</span></>}
    </p>
  );
}
