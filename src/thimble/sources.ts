/** From policy texts to the sources of a session's policy, and what is wrong with those that are none (CONFORMANCE §5). Pure. */
import type { Digest, Hash } from "../schema/claim";
import { builtinPolicy } from "./builtin";
import type { PolicySource } from "./compose";
import { type Loading, loadPolicy, type Problem } from "./load";

/** A policy file as it was read. `label` is for people: its path, or where it comes from. */
export type PolicyText = {
  readonly layer: "user" | "workspace";
  readonly label: string;
  readonly text: string;
};

/** A file that is no policy now: half saved, mistaken, or of a later version (`isTooNew`). */
export type Faulty = {
  readonly label: string;
  readonly isTooNew: boolean;
  readonly problems: readonly Problem[];
  readonly place: { readonly line: number; readonly column: number } | null; // of the first one, from 1
};

export type LoadedSources = { readonly sources: readonly PolicySource[]; readonly faulty: readonly Faulty[] };

/**
 * Built-in contracts, then packs, then files. `isApproved`: whether the person allowed a workspace's rules, by their
 * digest, to do more than observe on this machine.
 */
export function loadSources(
  packs: readonly { readonly label: string; readonly loading: Loading }[],
  texts: readonly PolicyText[],
  isApproved: (rulesSha256: Digest) => boolean,
  hash: Hash,
): LoadedSources {
  const sources: PolicySource[] = [
    { layer: "builtin", label: "built in", policy: builtinPolicy(hash), mayEnforce: true },
  ];
  const faulty: Faulty[] = [];
  for (const { label, loading } of packs)
    if (loading.kind === "ok")
      sources.push({ layer: "pack", label, policy: loading.policy, mayEnforce: true });
    else faulty.push(faultOf(label, loading.problems, null));
  for (const { layer, label, text } of texts) {
    const loading = loadPolicy(text, hash);
    if (loading.kind === "problems") {
      faulty.push(faultOf(label, loading.problems, text));
      continue;
    }
    const mayEnforce = layer === "user" || isApproved(loading.policy.identity.rulesSha256);
    sources.push({ layer, label, policy: loading.policy, mayEnforce });
  }
  return { sources, faulty };
}

const faultOf = (label: string, problems: readonly Problem[], text: string | null): Faulty => ({
  label,
  isTooNew: problems.some(({ code }) => code === "unknown_major"),
  problems,
  place: text === null || problems[0] === undefined ? null : placeOf(text, problems[0].offset),
});

function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
