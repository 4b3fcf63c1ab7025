// Elements, made and found.

type Child = Node | string | null | undefined;

/** Makes an element. Children that are strings become text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The element of the page with an identifier. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as Kind;
}

/** A number with a noun: `1 error`, `2 errors`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A word in hexadecimal. */
export function hexadecimal(value: number, digits = 8): string {
  return value.toString(16).padStart(digits, "0");
}

/** Text in which parts between backticks are code. */
export function withCode(text: string): (Node | string)[] {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}
