// Builds the page: node build.mjs OUTDIR writes page.html, with script and style inline, and page.csp, the
// Content-Security-Policy of that very page. Data for a single file goes where <!--fovea-data--> stands.
// The script is stored deflated, to half its size: a loader of one line inflates it. Both are allowed by hash.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const largestPage = 240_000;

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome105", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

function policy(scripts, style) {
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hash).join(" ")}`,
    `style-src ${hash(style)}`,
    "img-src data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

async function main() {
  const out = process.argv[2];
  if (!out) {
    console.error("usage: node build.mjs OUTDIR");
    process.exit(2);
  }
  const script = await bundle("src/main.tsx");
  const style = await bundle("src/style/page.css");
  const loader = await bundle("src/loader.ts");
  const csp = policy([loader, script], style);
  const code = deflateRawSync(script, { level: 9 }).toString("base64");
  const parts = { CSP: csp, STYLE: style, CODE: code, LOADER: loader };
  const template = readFileSync(join(here, "src/page.html"), "utf8");
  const page = template.replace(/%(CSP|STYLE|CODE|LOADER)%/g, (_, name) => parts[name]);
  const bytes = Buffer.byteLength(page);
  if (bytes > largestPage) {
    console.error(`page.html has ${bytes} bytes, at most ${largestPage} are allowed`);
    process.exit(1);
  }
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "page.html"), page);
  writeFileSync(join(out, "page.csp"), csp);
  console.log(`page.html: ${bytes} bytes, script inflated: ${Buffer.byteLength(script)}`);
}

await main();
