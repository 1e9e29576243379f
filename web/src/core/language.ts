// The words of the page in the chosen language.
import { effect, signal } from "@preact/signals";
import { strings } from "../text/strings";
import type { StringKey } from "../text/strings";
import type { Words } from "../data/types";

export type Language = "en" | "zh";

const storageKey = "fovea.language";

// Storage may be forbidden (a file, a private window): then nothing is remembered.
function remembered(): Language | null {
  try {
    const value = localStorage.getItem(storageKey);
    return value === "en" || value === "zh" ? value : null;
  } catch {
    return null;
  }
}

// An address may name the language: `fovea learn --lang zh --browser` opens /?lang=zh.
function addressed(): Language | null {
  const value = new URLSearchParams(location.search).get("lang");
  return value === "en" || value === "zh" ? value : null;
}

function preferred(): Language {
  return addressed() ?? remembered() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
}

export const language = signal<Language>(preferred());

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  if (addressed()) history.replaceState(history.state, "", location.pathname + location.hash);
  try {
    localStorage.setItem(storageKey, chosen);
  } catch {
    // See above.
  }
}

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});

// Nothing hovers over a touch screen: some texts have another form there.
const touchMedia = matchMedia("(hover: none)");
export const touch = signal(touchMedia.matches);
touchMedia.addEventListener("change", () => (touch.value = touchMedia.matches));

function wordsOf(key: StringKey): readonly [string, string] {
  const other = `touch.${key}`;
  return touch.value && other in strings ? strings[other as StringKey] : strings[key];
}

// The text of a key; {name} is replaced by values.name.
export function t(key: StringKey, values: Record<string, string | number> = {}): string {
  const text = wordsOf(key)[language.value === "zh" ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function pick(words: Words | undefined): string {
  return words ? words[language.value] : "";
}
