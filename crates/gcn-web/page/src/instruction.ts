// Panel with an instruction: its bit fields as a diagram and a table, and its entry in the reference.

import { element, hexadecimal, withCode } from "./dom";
import type { BitField, Inspection, IsaText } from "./engine";

const BITS = 32;

function bits(field: BitField): string {
  return field.high === field.low ? `${field.low}` : `${field.high}:${field.low}`;
}

function width(field: BitField): number {
  return field.high - field.low + 1;
}

/** A dword as a row of cells, each as wide as its bits. */
function diagram(fields: BitField[]): HTMLElement {
  const cells = fields.map((field) => {
    const value = field.role === "encoding" ? field.name : field.value.toString(width(field) > 4 ? 16 : 2);
    const shown = width(field) > 4 && field.role !== "encoding" ? `0x${value}` : value;
    const cell = element(
      "div",
      { class: `cell ${field.role}`, style: `grid-column: span ${width(field)}`, title: `${field.name} ${bits(field)}` },
      element("span", { class: "bits" }, bits(field)),
      element("span", { class: "name" }, field.role === "encoding" || field.role === "reserved" ? "" : field.name),
      element("span", { class: "value" }, shown),
    );
    if (width(field) < 4) cell.classList.add("narrow");
    return cell;
  });
  // The table below has everything for those who cannot see it.
  return element("div", { class: "dword", "aria-hidden": "true", style: `--bits: ${BITS}` }, ...cells);
}

function table(dwords: BitField[][]): HTMLElement {
  const shown = dwords.flat().filter((field) => field.role !== "reserved" || field.value !== 0);
  const rows = shown.map((field) => {
    const isEncoding = field.role === "encoding";
    return element(
      "tr",
      { class: field.role },
      element("td", {}, bits(field)),
      element("th", { scope: "row" }, isEncoding ? "encoding" : field.role === "reserved" ? "reserved" : field.name),
      element("td", {}, isEncoding ? field.name : `0x${field.value.toString(16)}`),
      element("td", {}, isEncoding ? "" : `${field.value}`),
      element("td", {}, field.meaning === `${field.value}` ? "" : element("code", {}, field.meaning)),
    );
  });
  const head = ["bits", "field", "value", "decimal", "means"].map((name) => element("th", { scope: "col" }, name));
  return element(
    "table",
    { class: "fields" },
    element("caption", { class: "unseen" }, "Fields of the instruction"),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

function entry(title: string, texts: (IsaText | string)[], isCode = false): HTMLElement[] {
  if (texts.length === 0) return [];
  const shown = texts.map((item) => {
    const text = typeof item === "string" ? item : item.text;
    return isCode ? element("dd", {}, element("pre", {}, text)) : element("dd", {}, ...withCode(text));
  });
  return [element("dt", {}, title), ...shown];
}

/** Replaces the contents of the panel. */
export function showInstruction(panel: HTMLElement, found: Inspection, words: number[], isOpen: boolean) {
  const { reference } = found;
  panel.replaceChildren(
    element("p", { class: "text" }, element("code", {}, found.text)),
    element(
      "p",
      { class: "words" },
      `${found.encoding}: `,
      element("code", {}, words.map((word) => hexadecimal(word)).join(" ")),
      isOpen ? " (a linker completes it)" : "",
    ),
    found.is_lossy ? element("p", {}, "The text does not say all bits, or assemblers refuse this instruction.") : "",
    ...found.dwords.map(diagram),
    table(found.dwords),
    element("h3", {}, reference.name),
    element(
      "dl",
      {},
      ...entry("written", [reference.written], true),
      ...entry("does", reference.does, true),
      ...entry("notes", reference.corners),
      ...entry("counters", reference.counters),
      ...entry("memory", reference.memory),
      ...entry("operands", reference.operands),
      ...entry("implicit", reference.implicit),
      ...entry("exists on", [reference.exists_on]),
      ...entry("errata", reference.errata),
    ),
  );
}
