// Bundles test/*.test.ts and runs them with Node's own test runner:
//   npm test -- --fovea BINARY      the built command, for what is compared with the library
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { libraryMasks } from "./library_masks.mjs";

const { values: options } = parseArgs({ options: { fovea: { type: "string" } } });
if (!options.fovea) {
  console.error("usage: npm test -- --fovea BINARY");
  process.exit(2);
}

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "fovea-web-test-"));
try {
  const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: tests.map((name) => join(here, name)),
    bundle: true,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
  const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  const masks = join(out, "library_masks.json");
  writeFileSync(masks, JSON.stringify(libraryMasks(resolve(options.fovea))));
  const run = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit", env: { ...process.env, FOVEA_LIBRARY_MASKS: masks } });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
