import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { strings } from "../src/text/strings";

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

test("every text is there in both languages, with the same values in it", () => {
  for (const [key, [english, chinese]] of Object.entries(strings)) {
    assert.ok(english.trim() && chinese.trim(), key);
    assert.deepEqual(placeholders(english), placeholders(chinese), key);
  }
});

test("English has no Chinese letters, but for the names of languages", () => {
  for (const [key, [english]] of Object.entries(strings)) {
    if (key !== "keys.language") assert.doesNotMatch(english, /[\u4e00-\u9fff]/, key);
  }
});

// Texts named by parts, as t(`view.${name}`), count as used by their beginning.
test("no text is left over", () => {
  const sources: string[] = [];
  const read = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) read(join(folder, entry.name));
      else if (!entry.name.endsWith("strings.ts")) sources.push(readFileSync(join(folder, entry.name), "utf8"));
    }
  };
  read("src");
  const all = sources.join("\n");
  for (const key of Object.keys(strings)) {
    const family = `\`${key.split(".")[0]}.\${`;
    assert.ok(all.includes(`"${key}"`) || (key.includes(".") && all.includes(family)), `"${key}" is not used`);
  }
});
