/** A tool of a server as one of ours: asked for, called with arguments that survive the way, its result taken apart. */
import type { Hash } from "../schema/claim";
import { asRaw } from "../schema/text";
import type { Tool, ToolOutcome, ToolPreview, ToolSpec } from "../schema/tool";
import { canonicalise } from "../thimble/identity";
import type { Connection, ListedTool } from "./connection";
import { readLossless } from "./losslessJson";
import { outcomeOf } from "./result";
import { toolNameOf } from "./toolName";

/** Who the server says that it is. */
export type ServerInfo = { readonly name: string; readonly version: string };

/** A tool that only reads, by its server's word, is a read that is asked for; of every other nobody knows what it does. */
export function specOf(configured: string, info: ServerInfo, listed: ListedTool, hash: Hash): ToolSpec {
  const { name, title, description, inputSchema, annotations } = listed;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
  const hints = {
    ...(readOnlyHint !== undefined && { readOnlyHint }),
    ...(destructiveHint !== undefined && { destructiveHint }),
    ...(idempotentHint !== undefined && { idempotentHint }),
    ...(openWorldHint !== undefined && { openWorldHint }),
  };
  const said = { server: info, tool: name, title: title ?? null, description: description ?? null };
  return {
    name: toolNameOf(configured, name, hash),
    description: description || title || `${name} of the MCP server ${configured}`,
    inputSchema,
    class: "other",
    effect: readOnlyHint === true ? "read" : "execute",
    reach: "outside",
    origin: {
      configured,
      server: info.name,
      version: info.version,
      tool: name,
      schemaSha256: hash(canonicalise(inputSchema)),
      listingSha256: hash(canonicalise({ ...said, inputSchema, hints })),
      hints,
    },
  };
}

/** Contract: `run` sends what `preview` showed, or nothing. */
export function createServerTool(connection: Connection, spec: ToolSpec, tool: string): Tool {
  const server = connection.name;
  return {
    spec,
    async preview(argumentsText): Promise<ToolPreview> {
      const given = readArguments(argumentsText);
      if (given.kind === "refused") return { kind: "invalid", code: given.code, text: given.text };
      const shown = JSON.stringify(given.value, null, 2);
      return { kind: "call", server, tool, arguments: shown, sensitive: spec.effect !== "read" };
    },
    async run(argumentsText, { signal, preview, progress }): Promise<ToolOutcome> {
      const given = readArguments(argumentsText);
      if (given.kind === "refused") return failed(given.code, given.text);
      if (preview?.kind !== "call" || preview.arguments !== JSON.stringify(given.value, null, 2))
        return failed("not_allowed", "The call was not shown to the user as it is. It was not sent.");
      const answer = await connection.call(tool, given.value, signal, progress);
      if (answer.kind === "result") return outcomeOf(answer.result, answer.line, connection.hideEnv);
      const mayHaveRun = "It may have partly run; check before you repeat it.";
      switch (answer.kind) {
        case "refused":
          return failed(
            "server_refused",
            `${connection.hideEnv(answer.message)} (MCP error ${answer.code} of ${server})`,
          );
        case "timed_out":
          return failed("timed_out", `The MCP server ${server} did not answer in time. ${mayHaveRun}`);
        case "stopped":
          return failed("stopped", `Stopped before the MCP server ${server} answered. ${mayHaveRun}`);
        case "ended":
          return failed(
            "server_unavailable",
            `The MCP server ${server} ${connection.hideEnv(answer.why)}. Its tools are not available until the next run. If this call had begun: ${mayHaveRun.toLowerCase()}`,
          );
      }
    },
  };
}

type Given =
  | { readonly kind: "ok"; readonly value: object }
  | {
      readonly kind: "refused";
      readonly code: "lossy_arguments" | "invalid_arguments";
      readonly text: string;
    };

/** Servers are sent objects: arguments that would arrive as something else are refused before anything is sent. */
function readArguments(argumentsText: string): Given {
  const read = readLossless(argumentsText.trim() === "" ? "{}" : argumentsText);
  if (read.kind === "lossy")
    return {
      kind: "refused",
      code: "lossy_arguments",
      text: `The arguments would not reach the server as they are: ${read.what}. Nothing was sent. Write them otherwise, such as a large number as text where the tool takes it.`,
    };
  if (read.kind === "lossless" && typeof read.value === "object" && read.value && !Array.isArray(read.value))
    return { kind: "ok", value: read.value };
  const what = read.kind === "invalid" ? read.what : "they are no object";
  return {
    kind: "refused",
    code: "invalid_arguments",
    text: `The arguments are not a JSON object: ${what}. Nothing was sent.`,
  };
}

const failed = (code: string, words: string): ToolOutcome => ({ kind: "failed", code, text: asRaw(words) });
