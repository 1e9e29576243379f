// How much of a text the model read, in sentences.
import { t } from "./language";
import { wholeText } from "./numbers";
import type { Capture, TextReading } from "../data/types";

// Servers that do not say it know at least how many tokens were left out.
function readings(of: Capture): TextReading[] {
  const told = [of.reading, of.reading2].filter((one): one is TextReading => one !== undefined);
  if (told.length || !of.cut) return told;
  const read = Object.values(of.sequences)[0]?.tokens.length ?? 0;
  return [{ characters: 0, unknown_characters: 0, tokens: read + of.cut, tokens_read: read }];
}

// One sentence for characters that the model does not know, one for tokens it did not read; of two texts, for each.
// Why characters are unknown is said once.
export function readingText(of: Capture): string[] {
  const all = readings(of);
  const sentences = all.flatMap(({ characters, unknown_characters: unknown, tokens, tokens_read: read }, at) => {
    const name = all.length > 1 ? t("textName", { name: "AB"[at] }) : "";
    return [
      ...(unknown > 0 ? [name + t("unknownCharacters", { unknown: wholeText(unknown), all: wholeText(characters) })] : []),
      ...(read < tokens ? [name + t("tokensRead", { read: wholeText(read), all: wholeText(tokens) })] : []),
    ];
  });
  return all.some((one) => one.unknown_characters > 0) ? [...sentences, t("unknownWhy")] : sentences;
}
