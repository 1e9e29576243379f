// Pictures of every view, to be looked at: both themes, both languages, a phone and a desk, a head switched off.
//   npm run look -- --fovea BINARY --out FOLDER [--model NAME --text TEXT]
// Writes FOLDER/<width>-<theme>-<language>-<view>.png, and says which pages had errors or were wider than their window.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { views } from "./everywhere.mjs";
import { newPage, openBrowser, post, serve, settled } from "./harness.mjs";

const { values: options } = parseArgs({
  options: {
    fovea: { type: "string" }, out: { type: "string" }, model: { type: "string", default: "stories15m" },
    text: { type: "string", default: "Once upon a time there was a little girl. She had a red ball, and her brother had a blue ball." },
  },
});
if (!options.fovea || !options.out) {
  console.error("usage: npm run look -- --fovea BINARY --out FOLDER [--model NAME --text TEXT]");
  process.exit(2);
}
mkdirSync(options.out, { recursive: true });
const server = await serve(options.fovea);
const { id } = await post(server.url, { model: options.model, text: options.text });
for (const [language, locale] of [["en", "en-US"], ["zh", "zh-CN"]]) {
  const browser = await openBrowser({ locale });
  for (const dark of [false, true]) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      const { page, problems } = await newPage(browser, server.url, { width, height, dark });
      for (const view of views) {
        await page.goto("about:blank");
        await page.goto(`${server.url}#view=${view}&c=${id}&off=L2H1`);
        await page.waitForSelector("main .view");
        await settled(page);
        const name = `${width}-${dark ? "dark" : "light"}-${language}-${view}`;
        await page.screenshot({ path: join(options.out, `${name}.png`) });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        if (wide || problems.length) console.log(name, wide ? "is too wide" : "", problems.splice(0).join("; "));
      }
      await page.close();
    }
  }
  await browser.close();
}
await server.stop();
