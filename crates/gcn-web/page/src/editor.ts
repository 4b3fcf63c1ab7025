// The editor: colours, words beside statements, and problems in the margin and below their lines, which come from an assembly; and
// completion.

import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { searchKeymap } from "@codemirror/search";
import { countColumn, EditorState, type Range, RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";

import { element, hexadecimal, withCode } from "./dom";
import type { Assembly, Completions, Instruction, Problem } from "./engine";

const TAB_SIZE = 4;
/** Width beside messages, and their minimum width, in pixels. */
const PADDING = 16;
const MIN_WIDTH = 120;

/** Letters before the cursor from which completion opens while typing. */
const WORD = /[\w.$]{2}$/;
/** Digits of the number by which candidates are sorted. */
const ORDER_DIGITS = 5;

/** A problem, and its tool: `gcn asm` or `gcn lint`. */
export interface Shown {
  problem: Problem;
  isFinding: boolean;
}

/** Problems of an assembly in the order of the source. */
export function problemsOf(assembly: Assembly): Shown[] {
  const all = [
    ...assembly.problems.map((problem) => ({ problem, isFinding: false })),
    ...assembly.findings.map((problem) => ({ problem, isFinding: true })),
  ];
  return all.sort((a, b) => a.problem.start - b.problem.start);
}

/** Class of a problem: its colour and its word in the margin. */
export function classOf({ problem, isFinding }: Shown): string {
  return isFinding ? "wait" : problem.severity;
}

/** Message, help and notes below the line of a problem, with carets below its text. */
class ProblemWidget extends WidgetType {
  private readonly key: string;

  constructor(
    private readonly shown: Shown,
    private readonly column: number,
    private readonly width: number,
    private readonly lines: (number | undefined)[],
  ) {
    super();
    this.key = JSON.stringify([shown, column, width, lines]);
  }

  override eq(other: ProblemWidget): boolean {
    return this.key === other.key;
  }

  toDOM(): HTMLElement {
    const { problem } = this.shown;
    const carets = "^".repeat(this.width);
    const label = problem.label ? ` ${problem.label}` : "";
    const notes = problem.notes.map(({ message }, index) => {
      const line = this.lines[index];
      return element("div", { class: "note" }, `${line === undefined ? "note" : `line ${line}`}: `, ...withCode(message));
    });
    const help = problem.help.map((text) => element("div", { class: "help" }, "help: ", ...withCode(text)));
    // The list of problems below the editor has the same text for screen readers.
    return element(
      "div",
      { class: `problem ${classOf(this.shown)}`, "aria-hidden": "true" },
      element("div", { class: "carets", style: `padding-left: ${this.column}ch` }, carets + label),
      element(
        "div",
        { class: "message" },
        element("div", {}, element("b", {}, `${problem.severity}: `), ...withCode(problem.message)),
        ...notes,
        ...help,
      ),
    );
  }
}

class Margin extends GutterMarker {
  constructor(private readonly kind: string, private readonly title: string) {
    super();
  }

  override eq(other: Margin): boolean {
    return this.kind === other.kind && this.title === other.title;
  }

  override toDOM(): HTMLElement {
    return element("span", { class: `mark ${this.kind}`, title: this.title }, this.kind);
  }
}

class Words extends GutterMarker {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: Words): boolean {
    return this.text === other.text;
  }

  override toDOM(): Node {
    return document.createTextNode(this.text);
  }
}

interface Drawn {
  colours: DecorationSet;
  problems: DecorationSet;
  margin: RangeSet<Margin>;
  words: RangeSet<Words>;
}

const setAssembly = StateEffect.define<Assembly>();

const drawn = StateField.define<Drawn>({
  create: () => ({ colours: Decoration.none, problems: Decoration.none, margin: RangeSet.empty, words: RangeSet.empty }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setAssembly)) return draw(transaction.state.doc, effect.value);
    }
    if (!transaction.docChanged) return value;
    const { changes } = transaction;
    return {
      colours: value.colours.map(changes),
      problems: value.problems.map(changes),
      margin: value.margin.map(changes),
      words: value.words.map(changes),
    };
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.colours),
    EditorView.decorations.from(field, (value) => value.problems),
  ],
});

function draw(doc: Text, assembly: Assembly): Drawn {
  const colours = new RangeSetBuilder<Decoration>();
  for (const [kind, start, end] of assembly.tokens) {
    if (start < end && end <= doc.length) colours.add(start, end, colourOf(kind));
  }
  const marks: Range<Decoration>[] = [];
  const margin = new Map<number, { kinds: Set<string>; titles: string[] }>();
  for (const shown of problemsOf(assembly)) {
    const { problem } = shown;
    const kind = classOf(shown);
    const line = doc.lineAt(Math.min(problem.start, doc.length));
    const end = Math.max(problem.start, Math.min(problem.end, line.to));
    const [before, marked] = [line.text.slice(0, problem.start - line.from), doc.sliceString(problem.start, end).trimEnd()];
    const column = countColumn(before, TAB_SIZE);
    const width = Math.max(1, countColumn(before + marked, TAB_SIZE) - column);
    if (marked) marks.push(Decoration.mark({ class: `marked ${kind}` }).range(problem.start, problem.start + marked.length));
    const lines = problem.notes.map(({ span }) => (span && span.start <= doc.length ? doc.lineAt(span.start).number : undefined));
    const widget = new ProblemWidget(shown, column, width, lines);
    marks.push(Decoration.widget({ widget, block: true, side: 1 }).range(line.to));
    const known = margin.get(line.from) ?? { kinds: new Set(), titles: [] };
    known.kinds.add(kind);
    known.titles.push(`${problem.severity}: ${problem.message}`);
    margin.set(line.from, known);
  }
  const pills = [...margin].map(([from, { kinds, titles }]) => {
    const kind = ["error", "wait", "warning", "note"].find((it) => kinds.has(it)) ?? "note";
    return new Margin(kind, titles.join("\n")).range(from);
  });
  return {
    colours: colours.finish(),
    problems: Decoration.set(marks, true),
    margin: RangeSet.of(pills, true),
    words: wordsOf(doc, assembly),
  };
}

const COLOURS = new Map<string, Decoration>();

function colourOf(kind: string): Decoration {
  let colour = COLOURS.get(kind);
  if (!colour) {
    colour = Decoration.mark({ class: `token-${kind}` });
    COLOURS.set(kind, colour);
  }
  return colour;
}

/** Instructions by the line on which their statement begins. */
export function byLine(doc: Text, instructions: Instruction[]): Map<number, Instruction[]> {
  const lines = new Map<number, Instruction[]>();
  let line = doc.line(1);
  for (const instruction of instructions) {
    const at = Math.min(instruction.start, doc.length);
    if (at < line.from || at > line.to) line = doc.lineAt(at);
    const known = lines.get(line.number);
    if (known) known.push(instruction);
    else lines.set(line.number, [instruction]);
  }
  return lines;
}

function wordsOf(doc: Text, assembly: Assembly): RangeSet<Words> {
  const ranges: Range<Words>[] = [];
  for (const [line, [first, ...more]] of byLine(doc, assembly.instructions)) {
    if (!first) continue;
    const words = first.words.map((word) => hexadecimal(word)).join(" ");
    const rest = more.length ? ` +${more.length}` : "";
    ranges.push(new Words(`${hexadecimal(first.offset, 4)}  ${words}${rest}`).range(doc.line(line).from));
  }
  return RangeSet.of(ranges, true);
}

/** Candidates for a word of a text, from the engine; `undefined` without an answer. */
export type Complete = (text: string, position: number) => Promise<Completions | undefined>;

/** Candidates at the cursor: while typing, only at the start of a statement. */
async function candidates(context: CompletionContext, complete: Complete): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  if (!explicit && !context.matchBefore(WORD)) return null;
  const found = await complete(state.doc.toString(), pos);
  if (!found || !(explicit || found.is_head)) return null;
  const word = state.sliceDoc(found.start, pos);
  const { candidates } = found;
  if (candidates.every(({ label }) => label === word)) return null;
  return {
    from: found.start,
    options: candidates.map(({ label, detail }, index) => ({ label, detail, sortText: `${index}`.padStart(ORDER_DIGITS, "0") })),
    // Candidates without the word are not in the answer.
    validFor: (text) => text.startsWith(word) && !/[\s,]/.test(text),
  };
}

export class Editor {
  readonly view: EditorView;
  private problems: Shown[] = [];

  /**
   * `onChange` is called after edits, `onMove` when the cursor is on another line or the assembly is new, `complete` for candidates.
   */
  constructor(parent: HTMLElement, label: string, onChange: () => void, onMove: () => void, complete: Complete) {
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange();
      if (update.selectionSet || update.docChanged) onMove();
      if (update.geometryChanged) this.fit();
    });
    const go = (step: 1 | -1) => () => this.goToProblem(step);
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          gutter({ class: "gutter-margin", markers: (view) => view.state.field(drawn).margin }),
          lineNumbers(),
          gutter({ class: "gutter-words", markers: (view) => view.state.field(drawn).words, initialSpacer: () => new Words("0000  00000000") }),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          EditorState.tabSize.of(TAB_SIZE),
          drawn,
          // Without a selected candidate, Enter begins a new line.
          autocompletion({ override: [(context) => candidates(context, complete)], selectOnOpen: false, icons: false }),
          keymap.of([{ key: "F8", run: go(1), shift: go(-1) }, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
          listener,
        ],
      }),
    });
  }

  /** Limits the width of messages to what is visible beside the gutters. */
  private fit() {
    const { scrollDOM, contentDOM, dom } = this.view;
    const gutters = contentDOM.getBoundingClientRect().left - dom.getBoundingClientRect().left + scrollDOM.scrollLeft;
    const visible = scrollDOM.clientWidth - Math.round(gutters) - PADDING;
    dom.style.setProperty("--visible", `${Math.max(visible, MIN_WIDTH)}px`);
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    const { length } = this.view.state.doc;
    this.view.dispatch({ changes: { from: 0, to: length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  /** Number of the line with the cursor. */
  get line(): number {
    const { doc, selection } = this.view.state;
    return doc.lineAt(selection.main.head).number;
  }

  /** Draws an assembly of the current text. */
  show(assembly: Assembly) {
    this.problems = problemsOf(assembly);
    this.view.dispatch({ effects: setAssembly.of(assembly) });
  }

  /** Moves the cursor to a position, and the focus to the editor. */
  goTo(position: number) {
    const anchor = Math.min(position, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  /** Moves the cursor to the next or the previous problem, around the end. */
  private goToProblem(step: 1 | -1): boolean {
    const { head } = this.view.state.selection.main;
    const places = this.problems.map(({ problem }) => problem.start);
    const place = step === 1 ? (places.find((at) => at > head) ?? places[0]) : (places.findLast((at) => at < head) ?? places.at(-1));
    if (place === undefined) return false;
    this.goTo(place);
    return true;
  }
}
