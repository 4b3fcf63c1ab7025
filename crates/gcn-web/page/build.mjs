// Bundles the page into a directory: `node build.mjs DIRECTORY WASM`. All scripts are classic ones and WebAssembly is in one of
// them, so that the page also works from a file, where modules, `fetch` and workers with an address of their own do not.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [directory, wasm] = process.argv.slice(2);
if (!directory || !wasm) {
  console.error("usage: node build.mjs DIRECTORY WASM");
  process.exit(2);
}
const here = import.meta.dirname;
await mkdir(directory, { recursive: true });

const common = {
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox115", "safari16.4"],
  legalComments: "none",
};
const worker = await build({ ...common, entryPoints: [join(here, "src/worker.ts")], write: false });
await build({
  ...common,
  entryPoints: [join(here, "src/main.ts")],
  outfile: join(directory, "playground.js"),
  define: { WORKER_SOURCE: JSON.stringify(worker.outputFiles[0].text) },
});
await build({
  bundle: true,
  minify: true,
  entryPoints: [join(here, "playground.css")],
  outfile: join(directory, "playground.css"),
});
await copyFile(join(here, "index.html"), join(directory, "index.html"));
const packed = gzipSync(await readFile(wasm), { level: 9 }).toString("base64");
await writeFile(join(directory, "gcn-wasm.js"), `globalThis.gcnWebAssembly="${packed}";\n`);
