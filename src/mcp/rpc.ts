/** JSON-RPC 2.0 over lines: requests with time-outs, stops and progress; what nobody asked for is bounded. */
import * as z from "zod";

/** What came of a request. `line` is the whole answer as the server wrote it: numbers in it are not rounded. */
export type Answer =
  | { readonly kind: "result"; readonly result: unknown; readonly line: string }
  | { readonly kind: "refused"; readonly code: number; readonly message: string } // by the server, in the protocol's words
  | { readonly kind: "timed_out" | "stopped" }
  | { readonly kind: "ended"; readonly why: string }; // there is no server any more

export type RequestOptions = {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
};

type Wire = { send(line: string): void; fail(why: string): void; note(text: string): void };
type Pending = { readonly settle: (answer: Answer) => void; readonly onProgress?: (text: string) => void };

/** Bytes of messages that answer nothing, since the last answer. */
const MAXIMUM_UNASKED_CHARS = 16 * 1024 * 1024;
const METHOD_NOT_FOUND = -32601;

const Id = z.union([z.string(), z.number()]);
const Message = z.looseObject({
  id: Id.nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  error: z.unknown().optional(),
  result: z.unknown().optional(),
});
const RpcError = z.looseObject({ code: z.number(), message: z.string() });
const Progress = z.looseObject({
  progressToken: Id,
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

export class Rpc {
  readonly #wire: Wire;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #unaskedChars = 0;
  #ended: string | null = null;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Never rejects. After a time-out or a stop the server is told, and its late answer is nobody's. */
  request(method: string, params: object, options: RequestOptions): Promise<Answer> {
    const { timeoutMs, signal, onProgress } = options;
    if (signal.aborted) return Promise.resolve({ kind: "stopped" });
    if (this.#ended !== null) return Promise.resolve({ kind: "ended", why: this.#ended });
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        if (!this.#pending.delete(id)) return;
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        resolve(answer);
      };
      const giveUp = (kind: "timed_out" | "stopped") => {
        if (method !== "initialize")
          this.notify("notifications/cancelled", { requestId: id, reason: kind.replace("_", " ") });
        settle({ kind });
      };
      const timer = setTimeout(() => giveUp("timed_out"), timeoutMs);
      const stop = () => giveUp("stopped");
      signal.addEventListener("abort", stop, { once: true });
      this.#pending.set(id, { settle, ...(onProgress && { onProgress }) });
      const meta = onProgress && { _meta: { progressToken: id } };
      this.#send({ id, method, params: { ...params, ...meta } });
    });
  }

  notify(method: string, params: object = {}): void {
    this.#send({ method, params });
  }

  /** One line from the server. Whatever it is, nothing is thrown. */
  receive(line: string): void {
    const message = messageIn(line);
    if (message === null) this.#wire.note(`[not a message: ${line.slice(0, 200)}]`);
    else if (message.method === undefined && this.#answer(message, line)) return;
    else this.#unasked(message);
    this.#unaskedChars += line.length;
    if (this.#unaskedChars > MAXIMUM_UNASKED_CHARS)
      this.#wire.fail("sent more than 16 MB that nobody asked for");
  }

  /** Every request that waits, and every later one, has this for an answer. */
  end(why: string): void {
    this.#ended ??= why;
    for (const { settle } of [...this.#pending.values()]) settle({ kind: "ended", why });
  }

  #answer(message: z.infer<typeof Message>, line: string): boolean {
    const pending = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    if (pending === undefined) return false;
    this.#unaskedChars = 0;
    const { error } = message;
    if (error !== undefined && error !== null) {
      const { code, message: words } = RpcError.safeParse(error).data ?? {
        code: 0,
        message: "no reason given",
      };
      pending.settle({ kind: "refused", code, message: words });
    } else pending.settle({ kind: "result", result: message.result, line });
    return true;
  }

  /** Requests of the server's: a ping is answered, everything else is not offered. */
  #unasked({ id, method, params }: z.infer<typeof Message>): void {
    if (method === "notifications/progress") this.#progress(params);
    else if (method !== undefined && id !== undefined && id !== null) {
      if (method === "ping") this.#send({ id, result: {} });
      else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: "This client does not offer that." } });
    }
  }

  #progress(params: unknown): void {
    const told = Progress.safeParse(params).data;
    if (told === undefined || typeof told.progressToken !== "number") return;
    const { progress, total, message } = told;
    const figures = total === undefined ? `${progress}` : `${progress}/${total}`;
    this.#pending.get(told.progressToken)?.onProgress?.(message ? `${figures} ${message}\n` : `${figures}\n`);
  }

  #send(message: object): void {
    this.#wire.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
}

/** Null where a line is no JSON-RPC message: servers print what they like. */
function messageIn(line: string): z.infer<typeof Message> | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return Message.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
