// The page: choices, tabs, panels, and the address that shares them.

import { byId, counted, element, hexadecimal, withCode } from "./dom";
import { byLine, classOf, Editor, problemsOf, type Shown } from "./editor";
import { type Assembly, type Catalog, type Completions, Engine, type Inspection, type Instruction, Newest, type Reading } from "./engine";
import { showInstruction } from "./instruction";
import { fromFragment, type State, toFragment } from "./share";

/** Milliseconds without an edit after which the address has the new text. */
const SHARE_DELAY = 600;
/** Milliseconds without an edit after which screen readers hear of problems. */
const ANNOUNCE_DELAY = 1200;
/** Maximum number of rows that are shown of words. */
const MAX_ROWS = 2000;
/** Maximum number of problems in the list. */
const MAX_LISTED = 50;

const target = byId<HTMLSelectElement>("target");
const dialect = byId<HTMLSelectElement>("dialect");
const example = byId<HTMLSelectElement>("example");
const status = byId("status");
const panel = byId("instruction");
const words = byId<HTMLTextAreaElement>("words");

let engine: Engine;
let editor: Editor;
let assembly: Assembly | undefined;
/** Instructions of the assembly by line. */
let lines = new Map<number, Instruction[]>();
let tab: State["tab"] = "source";
let reading: Reading | undefined;
/** True while the text is replaced by another one, not edited. */
let isReplacing = true;

const assemblies = new Newest();
const readings = new Newest();
const inspections = new Newest();

/** A function that runs after a pause in its calls. */
function paused(delay: number, run: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(run, delay);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function complain(error: unknown) {
  status.textContent = messageOf(error);
  status.classList.add("failed");
}

function state(): State {
  return { target: target.value, dialect: dialect.value, tab, text: tab === "source" ? editor.text : words.value };
}

const share = paused(SHARE_DELAY, async () => history.replaceState(null, "", `#${await toFragment(state())}`));

const announce = paused(ANNOUNCE_DELAY, () => {
  if (assembly) byId("announcement").textContent = summary(assembly);
});

function summary({ problems, findings, is_checked }: Assembly): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const others = problems.length - errors;
  const parts = [errors ? counted(errors, "error") : "no errors"];
  if (others) parts.push(counted(others, "warning"));
  if (is_checked) parts.push(findings.length ? counted(findings.length, "missing wait") : "no missing waits");
  return parts.join(", ");
}

/** Assembles the source and shows the result. Measures the time from the edit to the drawn answer. */
function assemble(begin = performance.now()) {
  void assemblies.run(async () => {
    const text = editor.text;
    try {
      const answer = await engine.request<Assembly>({ assemble: { target: target.value, dialect: dialect.value, text } });
      if (text !== editor.text) return;
      assembly = answer;
      editor.show(answer);
      lines = byLine(editor.view.state.doc, answer.instructions);
      const { length } = answer.instructions;
      const listed = length < answer.instruction_count ? ` (${length} shown)` : "";
      status.textContent = `${answer.target}: ${counted(answer.instruction_count, "instruction")}${listed}, ${counted(answer.bytes, "byte")}; ${summary(answer)}`;
      status.classList.remove("failed");
      listProblems(answer);
      inspectLine();
      performance.measure("answer", { start: begin, end: performance.now() });
      announce();
    } catch (error) {
      assembly = undefined;
      byId("problems").replaceChildren(element("p", {}, "The source is not assembled."));
      complain(error);
    }
  });
}

/** Candidates for the word at a position. */
async function complete(text: string, position: number): Promise<Completions | undefined> {
  try {
    return await engine.request<Completions>({ complete: { target: target.value, dialect: dialect.value, text, position } });
  } catch {
    // The assembly of the same text has the message.
    return undefined;
  }
}

function listProblems(answer: Assembly) {
  const all = problemsOf(answer);
  const items = all.slice(0, MAX_LISTED).map((shown) => {
    const { problem } = shown;
    const line = editor.view.state.doc.lineAt(Math.min(problem.start, editor.view.state.doc.length)).number;
    const go = element("button", { type: "button", class: "go" }, `line ${line}`);
    go.onclick = () => editor.goTo(problem.start);
    return element(
      "li",
      { class: classOf(shown) },
      go,
      element("span", {}, element("b", {}, ` ${problem.severity}: `), ...withCode(problem.message)),
      ...problem.help.map((help) => element("div", { class: "help" }, "help: ", ...withCode(help))),
      explanation(shown),
    );
  });
  if (all.length > MAX_LISTED) items.push(element("li", {}, `and ${all.length - MAX_LISTED} more`));
  const none = answer.is_checked ? "None: it assembles, and every wait is there." : "None.";
  byId("problems").replaceChildren(...(items.length ? [element("ol", {}, ...items)] : [element("p", {}, none)]));
}

/** Explanation of a problem's kind, fetched when it is opened. */
function explanation({ problem }: Shown): HTMLElement {
  const text = element("pre");
  const details = element("details", {}, element("summary", {}, `explain ${problem.name}`), text);
  details.ontoggle = async () => {
    if (!details.open || text.textContent) return;
    try {
      text.textContent = (await engine.request<{ text: string }>({ explain: problem.name })).text;
    } catch (error) {
      complain(error);
    }
  };
  return details;
}

/** Shows the instruction on the line with the cursor. */
function inspectLine() {
  if (tab !== "source" || !assembly) return;
  const [first, ...more] = lines.get(editor.line) ?? [];
  if (first) inspect(assembly.target, first.words, first.open, more.length);
  else say("No instruction on this line. Move the cursor to one to see its encoding.");
}

/** Shows a text instead of an instruction. */
function say(text: string) {
  void inspections.run(async () => panel.replaceChildren(element("p", {}, text)));
}

function inspect(name: string, of: number[], isOpen: boolean, more: number) {
  void inspections.run(async () => {
    try {
      const found = await engine.request<Inspection>({ inspect: { target: name, dialect: dialect.value, words: of } });
      showInstruction(panel, found, of, isOpen);
      if (more) panel.append(element("p", {}, `The line has ${counted(more, "further instruction")}.`));
    } catch (error) {
      panel.replaceChildren(element("p", {}, messageOf(error)));
    }
  });
}

/** Reads the pasted words and shows their instructions. */
function read() {
  void readings.run(async () => {
    try {
      const request = { target: target.value, dialect: dialect.value, text: words.value };
      reading = await engine.request<Reading>({ read: request });
      const { rows, row_count, unread } = reading;
      status.textContent = `${target.value}: ${counted(row_count, "instruction")}${unread.length ? `, ${counted(unread.length, "part")} not read` : ""}`;
      status.classList.remove("failed");
      byId("unread").replaceChildren(...unread.slice(0, MAX_LISTED).map(({ message }) => element("li", { class: "error" }, ...withCode(message))));
      byId("rows").replaceChildren(
        ...rows.slice(0, MAX_ROWS).map((row) => {
          const text = element("button", { type: "button", class: "row" }, row.text);
          text.onclick = text.onfocus = () => inspect(target.value, row.words, false, 0);
          return element(
            "tr",
            {},
            element("td", {}, hexadecimal(row.offset, 4)),
            element("td", {}, row.words.map((word) => hexadecimal(word)).join(" ")),
            element("td", {}, row.problem ? element("span", { class: "data" }, row.text, element("small", {}, ` ${row.problem}`)) : text),
          );
        }),
      );
      byId("more").textContent = row_count > MAX_ROWS ? `${row_count - MAX_ROWS} more rows are not shown; Edit as source has them all.` : "";
      byId<HTMLButtonElement>("edit").disabled = row_count === 0;
      const first = rows.find(({ problem }) => !problem);
      if (tab === "words") {
        if (first) inspect(target.value, first.words, false, 0);
        else say("Paste words to see their encoding.");
      }
    } catch (error) {
      complain(error);
    }
  });
}

function select(name: State["tab"]) {
  tab = name;
  for (const it of ["source", "words"] as const) {
    const button = byId(`tab-${it}`);
    button.setAttribute("aria-selected", String(it === name));
    button.tabIndex = it === name ? 0 : -1;
    byId(`panel-${it}`).hidden = it !== name;
  }
}

/** Answers anew after a change of the target, the dialect or the tab. */
function refresh() {
  if (tab === "source") assemble();
  else read();
}

/** Shows a state. `shown` is the number of the example that it is, if any. */
function apply(shared: State, catalog: Catalog, shown = "") {
  example.value = shown;
  if (catalog.targets.some(({ name }) => name === shared.target)) target.value = shared.target;
  if (["llvm", "clrx"].includes(shared.dialect)) dialect.value = shared.dialect;
  select(shared.tab);
  isReplacing = true;
  if (shared.tab === "source") editor.text = shared.text;
  else words.value = shared.text;
  isReplacing = false;
  refresh();
}

function connect(catalog: Catalog) {
  target.onchange = dialect.onchange = () => {
    refresh();
    share();
  };
  example.onchange = () => {
    const chosen = example.value === "" ? undefined : catalog.examples[Number(example.value)];
    if (!chosen) return;
    apply({ ...chosen, tab: "source" }, catalog, example.value);
    share();
  };
  words.oninput = () => {
    example.value = "";
    read();
    share();
  };
  byId("edit").onclick = () => {
    if (!reading) return;
    const { source } = reading;
    apply({ ...state(), tab: "source", text: source }, catalog);
    share();
    editor.view.focus();
  };
  const tabs = ["source", "words"] as const;
  for (const name of tabs) {
    const button = byId(`tab-${name}`);
    button.onclick = () => {
      select(name);
      refresh();
      share();
    };
    button.onkeydown = (event) => {
      if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
      const other = byId(`tab-${name === "source" ? "words" : "source"}`);
      other.click();
      other.focus();
    };
  }
  byId("share").onclick = async () => {
    history.replaceState(null, "", `#${await toFragment(state())}`);
    const link = byId<HTMLInputElement>("link");
    link.value = location.href;
    byId("shared").hidden = false;
    link.select();
    try {
      await navigator.clipboard.writeText(location.href);
      byId("copied").textContent = "The link is copied.";
    } catch {
      byId("copied").textContent = "Copy the link:";
      link.focus();
    }
  };
  window.onhashchange = async () => {
    const shared = await fromFragment(location.hash);
    if (shared) apply(shared, catalog);
  };
}

async function main() {
  engine = await Engine.load();
  const catalog = await engine.request<Catalog>("catalog");
  target.append(
    ...catalog.targets.map(({ name, chips, version }) =>
      element("option", { value: name }, `${name} (${version}${chips.length ? `, ${chips.join(", ")}` : ""})`),
    ),
  );
  example.append(element("option", { value: "" }, "choose…"), ...catalog.examples.map(({ title }, index) => element("option", { value: `${index}` }, title)));
  const edited = () => {
    if (isReplacing) return;
    example.value = "";
    assemble();
    share();
  };
  editor = new Editor(byId("editor"), "Assembly source", edited, inspectLine, complete);
  connect(catalog);
  const shared = await fromFragment(location.hash);
  const first = catalog.examples[0];
  if (shared) apply(shared, catalog);
  else if (first) apply({ ...first, tab: "source" }, catalog, "0");
  document.documentElement.dataset.ready = "true";
}

main().catch(complain);
