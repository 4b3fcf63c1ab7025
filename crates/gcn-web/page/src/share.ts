// The page's state in the fragment of its address: target, dialect, and the text, compressed.

export interface State {
  target: string;
  dialect: string;
  tab: "source" | "words";
  text: string;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Fragment for a state, without `#`. */
export async function toFragment(state: State): Promise<string> {
  const packed = await through(new TextEncoder().encode(state.text), new CompressionStream("deflate-raw"));
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  const text = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return new URLSearchParams({ target: state.target, dialect: state.dialect, [state.tab]: text }).toString();
}

/** State of a fragment; `undefined` if it has none or is damaged. */
export async function fromFragment(fragment: string): Promise<State | undefined> {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const tab = values.has("words") ? "words" : "source";
  const text = values.get(tab);
  if (text === null) return undefined;
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    return {
      target: values.get("target") ?? "",
      dialect: values.get("dialect") ?? "",
      tab,
      text: new TextDecoder().decode(bytes),
    };
  } catch {
    return undefined;
  }
}
