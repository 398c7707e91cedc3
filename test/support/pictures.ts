// test/support: a history as a picture, as in STYLE "Tests". One message a line:
//   u: text    a: text · call ID [NAME ARGUMENTS] · …    t: ID = text    (t!: an error)
import type { Message } from "../../src/schema/message";

/** Messages out of a picture. Calls get the keys `c0`, `c1`, … in order; a result belongs to the first call of its id that waits, in the reply before it. */
export function messagesFrom(picture: string): Message[] {
  let count = 0;
  let waiting: { id: string; call: string }[] = [];
  return linesOf(picture).map((line): Message => {
    const [, role = "", rest = ""] = /^(u|a|t!?):\s?(.*)$/.exec(line) ?? [];
    if (role === "u") return { role: "user", text: rest };
    if (role === "a") {
      const parts = rest === "" ? [] : rest.split(" · ");
      const text = parts.filter((part) => !part.startsWith("call")).join(" ");
      waiting = [];
      const calls = parts.flatMap((part) => {
        const [, id, name, given] = /^call(?: (\S*))?(?: (\S+) (.+))?$/.exec(part) ?? [];
        if (!part.startsWith("call")) return [];
        const call = `c${count++}`;
        waiting.push({ id: id ?? "", call });
        return [{ call, id: id ?? "", name: name ?? "tool", arguments: given ?? "{}" }];
      });
      return { role: "assistant", text, calls };
    }
    if (role === "") throw new Error(`not a message: ${line}`);
    const [, id = "", text = ""] = /^(\S*) = (.*)$/.exec(rest) ?? [];
    const call = waiting.find((candidate) => candidate.id === id)?.call ?? "none";
    waiting = waiting.filter((candidate) => candidate.call !== call);
    return { role: "tool", call, id, name: "tool", text, isError: role === "t!" };
  });
}

export function pictureOfMessages(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === "user") return `u: ${message.text}`;
    if (message.role === "tool") {
      const text =
        /^\[interrupted: .*\]$/s.test(message.text) && message.isError ? "(interrupted)" : message.text;
      return `t${message.isError && text !== "(interrupted)" ? "!" : ""}: ${message.id} = ${text}`;
    }
    const calls = message.calls.map(({ id, name, arguments: given }) =>
      given === "{}" && name === "tool" ? `call ${id}` : `call ${id} ${name} ${given}`,
    );
    return `a: ${[...(message.text === "" ? [] : [message.text]), ...calls].join(" · ")}`;
  });
}

export const linesOf = (picture: string): string[] =>
  picture
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Why a provider would refuse this history; null where it would not. Written without the code under test. */
export function problemOf(messages: readonly Message[]): string | null {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      const place = open.indexOf(message.id);
      if (place < 0) return `message ${at} is a result without a call before it`;
      open.splice(place, 1);
      continue;
    }
    if (open.length > 0) return `message ${at} comes before the result of ${open[0]}`;
    if (message.role !== "assistant") continue;
    open = message.calls.map(({ id }) => id);
    if (open.includes("")) return `message ${at} has a call without an id`;
    if (new Set(open).size !== open.length) return `message ${at} uses an id twice`;
    if (open.length === 0 && message.text === "") return `message ${at} says nothing`;
  }
  return open.length > 0 ? `the result of ${open[0]} is missing` : null;
}
