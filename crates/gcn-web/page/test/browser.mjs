// Tests the built page in headless Chromium: `node test/browser.mjs DIRECTORY SCREENSHOTS`. Prints sizes and latencies.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import puppeteer from "puppeteer-core";

/** Maximum size of the directory, each file compressed, in bytes. */
const MAX_SIZE = 3_000_000;
/** Maximum time from a key to its drawn answer, in milliseconds; half of the keys have to be faster. */
const MAX_LATENCY = 50;

const [directory, screenshots] = process.argv.slice(2).map((path) => resolve(path));
if (!directory || !screenshots) {
  console.error("usage: node test/browser.mjs DIRECTORY SCREENSHOTS");
  process.exit(2);
}
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
if (!executablePath) {
  console.error("no Chromium is installed; on Debian: apt-get install chromium; or set CHROMIUM to its path");
  process.exit(1);
}
await mkdir(screenshots, { recursive: true });
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(join(directory, "index.html")).href;

const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args: [...sandbox, "--disable-gpu", "--force-prefers-reduced-motion"] });

/** Serves the directory over HTTP. */
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const server = createServer(async (request, response) => {
  const name = basename(new URL(request.url, "http://localhost").pathname);
  try {
    const bytes = await readFile(join(directory, name));
    response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const served = `http://127.0.0.1:${server.address().port}/index.html`;

/** Opens the page, which may request its own files only. Errors in it fail the test. */
async function open({ at = address, fragment = "", dark = false, width = 1280, height = 860, phone = false } = {}) {
  const page = await browser.newPage();
  const failures = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && failures.push(message.text()));
  page.on("request", (request) => {
    const url = request.url();
    const isOwn = url.startsWith(at.replace("index.html", "")) || url.startsWith("data:") || url.startsWith("blob:");
    if (!isOwn) failures.push(`a request of ${url}`);
  });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.setViewport({ width, height, isMobile: phone, hasTouch: phone, deviceScaleFactor: phone ? 2 : 1 });
  await page.goto(at + fragment);
  await page.waitForSelector("html[data-ready]");
  return { page, failures };
}

const text = (page, selector) => page.$eval(selector, (found) => found.textContent);
const status = (page, pattern) =>
  page.waitForFunction((source) => new RegExp(source).test(document.getElementById("status").textContent), {}, pattern.source);
const cursorTo = (page, line) =>
  page.evaluate((line) => [...document.querySelectorAll(".cm-line")].find((it) => it.textContent.includes(line)).click(), line);

/** Replaces the text of the editor by keys and the clipboard's event, as a user pastes. */
async function paste(page, source) {
  await page.focus(".cm-content");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.evaluate((source) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", source);
    document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, source);
}

async function accessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`);
  assert.deepEqual(told, [], name);
}

const tests = {
  async "a missing wait is in the margin, and its fix removes it"() {
    const { page, failures } = await open();
    await status(page, /1 missing wait/);
    assert.equal(await text(page, ".mark"), "wait");
    assert.match(await text(page, ".problem.wait .carets"), /^\^{5,}/);
    assert.match(await text(page, "#problems"), /line 8.*s_waitcnt vmcnt\(0\)/s);
    await page.click("#problems .go");
    await page.keyboard.press("Home");
    await page.keyboard.type("s_waitcnt vmcnt(0)\n");
    await status(page, /no missing waits/);
    assert.equal(await page.$(".mark"), null);
    assert.deepEqual(failures, []);
  },
  async "a server may have it, too"() {
    const { page, failures } = await open({ at: served });
    await status(page, /1 missing wait/);
    for (const index of ["1", "2", "3", "4"]) {
      await page.select("#example", index);
      await status(page, /instructions, .*no errors, no missing waits/);
    }
    assert.deepEqual(failures, []);
  },
  async "errors are below their caret, with help and an explanation"() {
    const { page, failures } = await open();
    await paste(page, "s_nop 0\n    v_ad_f32 v0, v1, v2\n");
    await status(page, /1 error/);
    assert.equal(await text(page, ".mark"), "error");
    const shown = await page.$eval(".problem.error .carets", (it) => [it.textContent, it.style.paddingLeft]);
    assert.match(shown[0], /^\^{8}( |$)/);
    assert.equal(shown[1], "4ch");
    assert.match(await text(page, ".problem.error"), /v_add_f32/);
    const below = await page.evaluate(() => {
      const word = [...document.querySelectorAll(".marked.error")].map((it) => it.getBoundingClientRect().left);
      const caret = document.querySelector(".problem .carets");
      const range = document.createRange();
      range.selectNodeContents(caret);
      return Math.abs(word[0] - range.getBoundingClientRect().left);
    });
    assert.ok(below < 2, `the carets are ${below} pixels beside the word`);
    await page.click("#problems summary");
    await page.waitForFunction(() => document.querySelector("#problems pre").textContent.startsWith("unknown-opcode:"));
    assert.deepEqual(failures, []);
  },
  async "the instruction at the cursor has bit fields"() {
    const { page, failures } = await open();
    await paste(page, "v_mov_b32 v7, 0x12345\nds_read_b32 v2, v1 offset:16\n");
    await status(page, /2 instructions, 16 bytes/);
    assert.match(await text(page, ".gutter-words"), /0000 {2}7e0e02ff 00012345/);
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => document.querySelector("#instruction").textContent.includes("lgkmcnt"));
    const cells = await page.$$eval(".dword", (all) => all.map((it) => [...it.children].map((cell) => Number(cell.style.gridColumn.split(" ")[1]))));
    assert.equal(cells.length, 2);
    for (const widths of cells) assert.equal(widths.reduce((a, b) => a + b), 32);
    const row = await page.$$eval(".fields tr", (rows) => rows.map((row) => [...row.children].map((it) => it.textContent).join(" ")));
    assert.ok(row.includes("63:56 VDST 0x2 2 v2"), row.join("\n"));
    await page.select("#target", "gfx700");
    await status(page, /^gfx700/);
    assert.deepEqual(failures, []);
  },
  async "words are read, and edited as source"() {
    const { page, failures } = await open();
    await page.click("#tab-words");
    await page.type("#words", "0xbf820001 bf800000, bf810000 zz ffffffff");
    await status(page, /4 instructions, 1 part not read/);
    const rows = await page.$$eval("#rows tr", (all) => all.map((row) => row.children[2].textContent));
    assert.deepEqual(rows.slice(0, 3), ["s_branch 1", "s_nop 0", "s_endpgm"]);
    assert.match(rows[3], /does not begin an instruction/);
    await page.click("#edit");
    await status(page, /3 instructions, 16 bytes; no errors/);
    assert.match(await text(page, ".cm-content"), /s_branch L0_8.*s_endpgm/s);
    assert.deepEqual(failures, []);
  },
  async "the address has the text"() {
    const source = "// é 𝄞\ns_nop 7\ns_endpgm\n";
    const { page } = await open();
    await page.select("#target", "gfx803");
    await paste(page, source);
    await status(page, /^gfx803: 2 instructions/);
    await page.click("#share");
    await page.waitForSelector("#shared:not([hidden])");
    const link = await page.$eval("#link", (it) => it.value);
    const other = await open({ fragment: new URL(link).hash });
    await status(other.page, /^gfx803: 2 instructions/);
    assert.match(await text(other.page, ".cm-content"), /é 𝄞s_nop 7s_endpgm/);
    const damaged = await open({ fragment: "#source=%%%" });
    await status(damaged.page, /1 missing wait/);
    assert.deepEqual([...other.failures, ...damaged.failures], []);
  },
  async "everything is reached by keyboard"() {
    const { page, failures } = await open();
    await status(page, /1 missing wait/);
    const reached = [];
    for (let presses = 0; presses < 14; presses += 1) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className.split(" ")[0] || document.activeElement.localName));
    }
    for (const name of ["target", "dialect", "example", "share", "tab-source", "cm-content", "go", "summary"]) {
      assert.ok(reached.includes(name), `${name} is not among ${reached}`);
    }
    await page.focus(".cm-content");
    // The status comes before the findings are drawn. There is one of them, so that further presses change nothing.
    const isAtFinding = () => document.querySelector(".cm-activeLine").textContent.includes("v_add_f32");
    for (let presses = 0; presses < 100 && !(await page.evaluate(isAtFinding)); presses += 1) {
      await page.keyboard.press("F8");
      await new Promise((done) => setTimeout(done, 50));
    }
    assert.ok(await page.evaluate(isAtFinding));
    await page.waitForFunction(() => document.querySelector("#instruction .text").textContent.startsWith("v_add_f32"));
    await page.focus("#tab-source");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-words");
    assert.equal(await page.$eval("#panel-words", (it) => it.hidden), false);
    assert.deepEqual(failures, []);
  },
  async "words are completed by keyboard"() {
    const { page, failures } = await open();
    const offered = async (...labels) => {
      const found = () => [...document.querySelectorAll(".cm-completionLabel")].map((it) => it.textContent).join();
      await page.waitForFunction(`(${found})() === ${JSON.stringify(labels.join())}`);
      // Keys directly after the list opens are not meant for it.
      await new Promise((done) => setTimeout(done, 150));
    };
    const select = async () => {
      await page.keyboard.press("ArrowDown");
      await page.waitForSelector(".cm-tooltip-autocomplete li[aria-selected]");
    };
    await paste(page, "loop:\n");
    await page.keyboard.type("ds_read2st64_b");
    await offered("ds_read2st64_b32", "ds_read2st64_b64");
    assert.match(await text(page, ".cm-completionDetail"), /^vDST\(2\), vADDR /);
    await accessible(page, "completion");
    // No candidate is selected, so that the key begins a line.
    await page.keyboard.press("Enter");
    await offered();
    await page.keyboard.type("v_mov_b3");
    await offered("v_mov_b32");
    await select();
    await accessible(page, "a selected candidate");
    await page.keyboard.press("Enter");
    await offered();
    // Operands are offered on request only.
    await page.keyboard.type(" v1, s4\ns_branch lo");
    await page.keyboard.down("Control");
    await page.keyboard.press("Space");
    await page.keyboard.up("Control");
    await offered("loop");
    await page.keyboard.press("Escape");
    await offered();
    await page.keyboard.down("Control");
    await page.keyboard.press("Space");
    await page.keyboard.up("Control");
    await offered("loop");
    await select();
    await page.keyboard.press("Enter");
    await offered();
    const lines = await page.$$eval(".cm-line", (all) => all.map((it) => it.textContent));
    assert.deepEqual(lines, ["loop:", "ds_read2st64_b", "v_mov_b32 v1, s4", "s_branch loop"]);
    await page.select("#target", "gfx600");
    await page.focus(".cm-content");
    await page.keyboard.type("\nds_read_addtid");
    await status(page, /2 errors/);
    await offered();
    assert.deepEqual(failures, []);
  },
  async "sources that expand without end are refused, and the page goes on"() {
    const { page, failures } = await open();
    for (const source of [".rept 2000000000\ns_nop 0\n.endr\n", ".macro m\nm\n.endm\nm\n", `s_nop ${"(".repeat(100_000)}1\n`, `.long ${"-".repeat(100_000)}1\n`]) {
      await paste(page, source);
      await status(page, /; 1 error$/);
      await paste(page, "s_endpgm\n");
      await status(page, /1 instruction, 4 bytes; no errors/);
    }
    assert.deepEqual(failures, []);
  },
  async "an engine that takes too long is replaced"() {
    const { page, failures } = await open();
    await paste(page, ".rept 1000000\nv_add_f32 v0, v1, v2\n.endr\n");
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("no answer within"), { timeout: 30_000 });
    await paste(page, "s_endpgm\n");
    await status(page, /1 instruction, 4 bytes; no errors/);
    assert.deepEqual(failures, []);
  },
  async "a key is answered at once"() {
    for (const lines of [12, 1000]) {
      const { page, failures } = await open();
      const body = "    v_add_f32 v1, v2, v3\n    global_load_dword v4, v[6:7], off offset:16\n    s_waitcnt vmcnt(0)\n    ds_write_b32 v1, v4 // stored\n";
      await paste(page, `${body.repeat(lines / 4)}s_endpgm\n`);
      await status(page, new RegExp(`${lines + 1} instructions`));
      await page.evaluate(() => performance.clearMeasures());
      const typed = "s_mov_b32 s0, 0x1234 // a comment\nv_nop";
      await page.keyboard.down("Control");
      await page.keyboard.press("Home");
      await page.keyboard.up("Control");
      for (const key of `${typed}\n`) {
        await page.keyboard.type(key);
        await new Promise((done) => setTimeout(done, 60));
      }
      await status(page, new RegExp(`${lines + 3} instructions`));
      const times = await page.evaluate(() => performance.getEntriesByName("answer").map(({ duration }) => duration));
      times.sort((a, b) => a - b);
      const [median, most] = [times[times.length >> 1], times.at(-1)];
      console.log(`    ${lines} lines: ${times.length} keys, median ${median.toFixed(1)} ms, maximum ${most.toFixed(1)} ms`);
      assert.ok(times.length > 20 && median < MAX_LATENCY, `${median} ms`);
      assert.deepEqual(failures, []);
    }
  },
  async "it is accessible, and looks as it should"() {
    const errors = "    s_load_dwordx4 s[0:3], s[4:5], 0x0\n    v_ad_f32 v0, v1, v2\n    s_nop 70000 // too large\n    s_endpgm\n";
    const views = [
      { name: "light" },
      { name: "dark", dark: true },
      { name: "phone", phone: true, width: 390, height: 844 },
      { name: "phone-dark", phone: true, width: 390, height: 844, dark: true },
    ];
    for (const view of views) {
      const { page, failures } = await open(view);
      await status(page, /1 missing wait/);
      await page.focus(".cm-content");
      await page.keyboard.press("F8");
      await page.waitForSelector(".fields");
      await accessible(page, view.name);
      await page.screenshot({ path: join(screenshots, `${view.name}.png`), fullPage: view.phone });
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll("body *")]
          .filter((it) => !it.closest(".cm-scroller, .rows, .unseen") && it.getBoundingClientRect().right > window.innerWidth + 1)
          .map((it) => it.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(wide, [], `${view.name} scrolls sideways`);
      await paste(page, errors);
      await status(page, /2 errors/);
      await accessible(page, view.name);
      await page.screenshot({ path: join(screenshots, `${view.name}-errors.png`), fullPage: view.phone });
      await paste(page, "s_nop 0\n");
      await page.keyboard.type("v_add_");
      await page.waitForSelector(".cm-tooltip-autocomplete");
      await accessible(page, view.name);
      await page.screenshot({ path: join(screenshots, `${view.name}-completion.png`) });
      await page.keyboard.press("Escape");
      await paste(page, "buffer_load_dword v1, v2, s[4:7], s3 offen offset:16 glc");
      await status(page, /1 instruction, 8 bytes/);
      await page.waitForFunction(() => document.querySelector("#instruction").textContent.includes("MUBUF"));
      await page.screenshot({ path: join(screenshots, `${view.name}-fields.png`), fullPage: view.phone });
      await page.click("#tab-words");
      await page.type("#words", "bf810000 d86c0000 02000001 ffffffff 7e0202ff 00012345");
      await status(page, /4 instructions/);
      await page.waitForSelector(".fields");
      await accessible(page, view.name);
      await page.screenshot({ path: join(screenshots, `${view.name}-words.png`), fullPage: view.phone });
      assert.deepEqual(failures, []);
      await page.close();
    }
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
await browser.close();
server.close();

let total = 0;
for (const file of await readdir(directory)) {
  const bytes = await readFile(join(directory, file));
  const size = gzipSync(bytes, { level: 9 }).length;
  total += size;
  console.log(`${file}: ${bytes.length} bytes, ${size} compressed`);
}
console.log(`together ${total} bytes compressed, of at most ${MAX_SIZE}`);
if (total > MAX_SIZE) failed += 1;
process.exit(failed ? 1 : 0);
