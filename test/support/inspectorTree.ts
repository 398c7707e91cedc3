// test/support: the whole tree of a session, which the page never makes at once, and pictures of it.
import assert from "node:assert/strict";
import type { SessionView } from "../../src/schema/view";
import { createFormat } from "../../webview-ui/format";
import { belowHead, sessionRow } from "../../webview-ui/headRows";
import { belowTurn } from "../../webview-ui/partRows";
import type { Details, Row } from "../../webview-ui/row";
import { turnKey, turnRow } from "../../webview-ui/turnRow";

export const f = createFormat("en-US", "UTC");

export function rowsFrom(view: SessionView): readonly Row[] {
  const turns = view.turns.map((turn, at) => {
    const isRunning = view.running && at === view.turns.length - 1;
    const row = turnRow(view.session, at, { row: undefined, turn }, isRunning, f);
    return { ...row, children: () => belowTurn(turnKey(view.session, turn.turn), turn, isRunning, f) };
  });
  return [{ ...sessionRow(view, true, f), children: () => [...belowHead(view), ...turns] }];
}

export function picture(rows: readonly Row[], depth = 0): string[] {
  return rows.flatMap(({ label, description, opens, children }) => [
    `${"  ".repeat(depth)}${label}${description === "" ? "" : `: ${description}`}${opens === null ? "" : " ⇗"}`,
    ...picture(children(), depth + 1),
  ]);
}

export function find(rows: readonly Row[], key: string): Row {
  const all = (some: readonly Row[]): Row[] => some.flatMap((row) => [row, ...all(row.children())]);
  const row = all(rows).find((candidate) => candidate.key === key);
  assert.ok(row, `no row ${key}`);
  return row;
}

export const fact = ({ facts }: Details, label: string): string | undefined =>
  facts.find((candidate) => candidate.label === label)?.value;
