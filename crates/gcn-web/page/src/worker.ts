// Worker that answers requests with the engine in WebAssembly. The page starts another one if an answer takes too long.

interface Exports {
  memory: WebAssembly.Memory;
  gcn_reserve(size: number): number;
  gcn_respond(): number;
  gcn_buffer(): number;
}

let exports: Exports | undefined;

/** Answers a request; both are JSON. */
function respond(engine: Exports, request: string): string {
  const bytes = new TextEncoder().encode(request);
  const place = engine.gcn_reserve(bytes.length);
  new Uint8Array(engine.memory.buffer, place, bytes.length).set(bytes);
  const size = engine.gcn_respond();
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.gcn_buffer(), size));
}

self.onmessage = async (event: MessageEvent) => {
  const { module, id, request } = event.data;
  try {
    if (module) {
      const instance = await WebAssembly.instantiate(module as WebAssembly.Module);
      exports = instance.exports as unknown as Exports;
      return;
    }
    if (!exports) throw new Error("the engine has not started");
    self.postMessage({ id, answer: respond(exports, request) });
  } catch (error) {
    self.postMessage({ id, failure: String(error) });
  }
};
