/** What the model calls a server's tool: valid for every model's API, unique, the same in every run. */
import type { Hash } from "../schema/claim";
import { SERVER_MARK } from "../schema/tool";

const MAXIMUM_CHARS = 64;
const DIGEST_CHARS = 8;

/**
 * `server` and `tool` with a mark between them, where that says which is which; else cut to what is valid, and told
 * apart by a digest of both. Nothing is ever read out of it again: `ToolSpec.origin` says where a tool comes from.
 */
export function toolNameOf(server: string, tool: string, hash: Hash): string {
  const plain = `${server}${SERVER_MARK}${tool}`;
  const isPlain = /^[a-zA-Z0-9_-]+$/.test(plain) && !/__|_$/.test(server) && !/__|^_/.test(tool);
  if (isPlain && plain.length <= MAXIMUM_CHARS) return plain;
  const digest = hash(JSON.stringify([server, tool])).slice(0, DIGEST_CHARS);
  const room = MAXIMUM_CHARS - SERVER_MARK.length - 1 - DIGEST_CHARS;
  const shortServer = valid(server).slice(0, Math.floor(room / 2));
  const shortTool = valid(tool).slice(0, room - shortServer.length);
  return `${shortServer}${SERVER_MARK}${shortTool}_${digest}`;
}

const valid = (name: string): string => name.replace(/[^a-zA-Z0-9-]+/g, "_");
