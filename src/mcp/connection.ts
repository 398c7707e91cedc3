/** One server of a run: started, asked what it has, called, closed. Every fault of its own is a value that names it. */

import * as z from "zod";
import { beginSource, nextOfSource } from "../coverage/sourceCursor";
import { createEnvHider } from "./hideEnv";
import { type Answer, type RequestOptions, Rpc } from "./rpc";
import { type EndProcessTree, ServerProcess } from "./serverProcess";
import type { ServerSettings } from "./settings";

export type ConnectionPorts = {
  readonly endProcessTree: EndProcessTree;
  readonly folder: string; // where servers run unless their settings say
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
};

/** A tool as the server lists it. Its words are its own: nothing of them is believed. */
const flag = z.boolean().optional().catch(undefined);
export const ListedTool = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: z
    .looseObject({
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    })
    .optional()
    .catch(undefined),
  execution: z.looseObject({ taskSupport: z.string() }).optional().catch(undefined),
});
export type ListedTool = z.infer<typeof ListedTool>;

export type Listing = { readonly tools: readonly unknown[]; readonly problems: readonly string[] };

/** What the last of these brought, tools do not need; a server that insists on another is told from here. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
export const CLIENT = { name: "cloakroom", version: "0.1.0" };
const MAXIMUM_PAGES = 100;

const Initialized = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({ tools: z.unknown().optional() }),
  serverInfo: z.looseObject({ name: z.string(), version: z.string() }),
});
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export class Connection {
  /** In the user's settings. */
  readonly name: string;
  /** Takes the secrets of the server's settings out of a text. */
  readonly hideEnv: (text: string) => string;
  readonly #ports: ConnectionPorts;
  readonly #process: ServerProcess;
  readonly #rpc: Rpc;
  #notes = "";

  /** Starts the process. Throws where the system does not even take the command. */
  constructor(name: string, settings: ServerSettings, ports: ConnectionPorts) {
    this.name = name;
    this.hideEnv = createEnvHider(settings.env);
    this.#ports = ports;
    this.#rpc = new Rpc({
      send: (line) => this.#process.send(line),
      fail: (why) => this.#process.fail(why),
      note: (text) => {
        this.#notes = `${this.#notes}${text}\n`.slice(-4096);
      },
    });
    this.#process = new ServerProcess({
      settings,
      folder: ports.folder,
      endProcessTree: ports.endProcessTree,
      onLine: (line) => this.#rpc.receive(line),
      onEnd: (why) => this.#rpc.end(why),
    });
  }

  /** The handshake. As text: why there is none, in words that follow the server's name. */
  async introduce(signal: AbortSignal): Promise<{ name: string; version: string } | string> {
    const about = { protocolVersion: VERSIONS[0], capabilities: {}, clientInfo: CLIENT };
    const answer = await this.#ask("initialize", about, signal);
    if (answer.kind !== "result") return this.#wordsFor(answer, this.#ports.startTimeoutMs);
    const parsed = Initialized.safeParse(answer.result);
    if (!parsed.success) return "answered the handshake with something else";
    const { protocolVersion, capabilities, serverInfo } = parsed.data;
    if (!VERSIONS.includes(protocolVersion))
      return `speaks version ${JSON.stringify(protocolVersion.slice(0, 40))} of the protocol, which Cloakroom does not`;
    if (capabilities.tools === undefined) return "offers no tools";
    this.#rpc.notify("notifications/initialized");
    return { name: serverInfo.name.toWellFormed(), version: serverInfo.version.toWellFormed() };
  }

  /** All pages. As text: why there is no list. */
  async list(signal: AbortSignal): Promise<Listing | string> {
    const tools: unknown[] = [];
    let trail = beginSource();
    for (let cursor: string | undefined; ; ) {
      const answer = await this.#ask("tools/list", cursor === undefined ? {} : { cursor }, signal);
      if (answer.kind !== "result") return this.#wordsFor(answer, this.#ports.startTimeoutMs);
      const page = Page.safeParse(answer.result);
      if (!page.success) return "answered with something that is no list of tools";
      tools.push(...page.data.tools);
      cursor = page.data.nextCursor;
      const step = nextOfSource(trail, cursor === undefined ? null : JSON.stringify(cursor));
      if (step.kind === "ended") return { tools, problems: [] };
      if (step.kind === "stopped" || trail.cursors.length >= MAXIMUM_PAGES)
        return { tools, problems: ["its list of tools does not end: the rest of it is left out"] };
      trail = step.trail;
    }
  }

  call(tool: string, given: object, signal: AbortSignal, onProgress: (text: string) => void) {
    const options = { timeoutMs: this.#ports.callTimeoutMs, signal, onProgress };
    return this.#rpc.request("tools/call", { name: tool, arguments: given }, options);
  }

  /** For the log: what it printed on standard error, and what of its output was no message. */
  get printed(): string {
    return this.hideEnv(`${this.#notes}${this.#process.stderr}`);
  }

  close(): Promise<void> {
    return this.#process.end();
  }

  #ask(method: string, params: object, signal: AbortSignal): Promise<Answer> {
    const options: RequestOptions = { timeoutMs: this.#ports.startTimeoutMs, signal };
    return this.#rpc.request(method, params, options);
  }

  /** Why there was no result, in words that follow the server's name. */
  #wordsFor(answer: Exclude<Answer, { kind: "result" }>, timeoutMs: number): string {
    switch (answer.kind) {
      case "ended":
        return this.hideEnv(answer.why);
      case "refused":
        return `refused: ${this.hideEnv(answer.message).slice(0, 300)}`;
      case "timed_out":
        return `did not answer within ${timeoutMs / 1000} s`;
      case "stopped":
        return "was stopped while it started";
    }
  }
}
