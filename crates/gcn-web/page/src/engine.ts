// Requests to the engine, which runs in a worker. The answers' types are those of the crate gcn-web.

/** A range of the text in UTF-16 code units. */
export interface Span {
  start: number;
  end: number;
}

export interface Catalog {
  targets: { name: string; chips: string[]; version: string }[];
  examples: { title: string; target: string; dialect: string; text: string }[];
}

export interface Instruction extends Span {
  section: number;
  offset: number;
  words: number[];
  open: boolean;
}

export interface Problem extends Span {
  severity: string;
  name: string;
  message: string;
  label: string;
  notes: { message: string; span: Span | null }[];
  help: string[];
}

export interface Assembly {
  target: string;
  tokens: [kind: string, start: number, end: number][];
  instructions: Instruction[];
  instruction_count: number;
  bytes: number;
  problems: Problem[];
  findings: Problem[];
  is_checked: boolean;
  kernels: string[];
}

export interface BitField {
  high: number;
  low: number;
  name: string;
  role: string;
  value: number;
  meaning: string;
}

export interface IsaText {
  text: string;
  on?: string;
}

export interface Inspection {
  text: string;
  is_lossy: boolean;
  encoding: string;
  dwords: BitField[][];
  reference: {
    name: string;
    family: string;
    exists_on: string;
    written: string;
    does: IsaText[];
    corners: IsaText[];
    counters: IsaText[];
    memory: IsaText[];
    operands: IsaText[];
    implicit: IsaText[];
    errata: string[];
  };
}

export interface Completions {
  /** Position of the word that a candidate replaces. */
  start: number;
  /** True if the word is the first of a statement. */
  is_head: boolean;
  candidates: { label: string; detail: string }[];
}

export interface Reading {
  rows: { offset: number; words: number[]; text: string; problem: string | null }[];
  row_count: number;
  source: string;
  unread: (Span & { message: string })[];
}

/** Milliseconds after which a request is given up, and the engine started anew. */
const PATIENCE = 5000;

/** Source of the worker, which the build inserts. */
declare const WORKER_SOURCE: string;
/** WebAssembly of the engine: gzip in base64. */
declare global {
  var gcnWebAssembly: string;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(reason: Error): void;
  timer: number;
}

export class Engine {
  private readonly address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
  private worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  private constructor(private readonly module: WebAssembly.Module) {
    this.worker = this.start();
  }

  static async load(): Promise<Engine> {
    const bytes = Uint8Array.from(atob(globalThis.gcnWebAssembly), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Engine(await WebAssembly.compile(await new Response(unpacked).arrayBuffer()));
  }

  private start(): Worker {
    const worker = new Worker(this.address);
    worker.postMessage({ module: this.module });
    worker.onmessage = (event) => {
      const { id, answer, failure } = event.data;
      const waiting = this.waiting.get(id);
      if (failure !== undefined) return this.restart(new Error(`the engine failed: ${failure}`));
      if (!waiting) return;
      this.waiting.delete(id);
      clearTimeout(waiting.timer);
      const value = JSON.parse(answer);
      if (typeof value.error === "string") waiting.reject(new Error(value.error));
      else waiting.resolve(value);
    };
    return worker;
  }

  private restart(reason: Error) {
    this.worker.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.worker = this.start();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(reason);
    }
  }

  /** Answers a request; rejects with the engine's message if it refuses. */
  request<Answer>(request: unknown): Promise<Answer> {
    const id = ++this.last;
    return new Promise<Answer>((resolve, reject) => {
      const late = () => this.restart(new Error(`no answer within ${PATIENCE / 1000} seconds: the source expands to too much`));
      const timer = window.setTimeout(late, PATIENCE);
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject, timer });
      this.worker.postMessage({ id, request: JSON.stringify(request) });
    });
  }
}

/** Runs one request at a time; of those made meanwhile, only the newest. */
export class Newest {
  private isBusy = false;
  private next: (() => Promise<void>) | undefined;

  async run(request: () => Promise<void>): Promise<void> {
    this.next = request;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.next) {
      const now: () => Promise<void> = this.next;
      this.next = undefined;
      await now();
    }
    this.isBusy = false;
  }
}
