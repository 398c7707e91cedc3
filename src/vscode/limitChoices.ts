/**
 * What the person chose about result limits, kept by VS Code: intents and exemptions for this workspace's sessions;
 * approved rules and reviewed contracts for this machine. Models, tools and files of a workspace choose none of it.
 * What cannot be read counts as nothing: nobody is exempt by it, and nothing is enforced by it.
 */
import type { Memento } from "vscode";
import type { Digest } from "../schema/claim";
import {
  ApprovedRules,
  type LimitChoice,
  LimitChoicesBySession,
  type OperatorExemption,
  type Rollout,
  Rollouts,
} from "../schema/policy";

const NOTHING: LimitChoice = { intent: null, exemptions: [] };

/** For the session that is started next. */
const NEXT = "next";
const CHOICES = "cloakroom.limits.choices";
const APPROVED = "cloakroom.limits.approved";
const REVIEWED = "cloakroom.limits.reviewed";
const MOST_SESSIONS = 200; // the oldest choices go: their sessions are gone or long forgotten

export class LimitChoices {
  readonly #machine: Memento;
  readonly #workspace: Memento;

  constructor(machine: Memento, workspace: Memento) {
    this.#machine = machine;
    this.#workspace = workspace;
  }

  /** `session` null: the one that is started next. */
  of(session: string | null): LimitChoice {
    return this.#all()[session ?? NEXT] ?? NOTHING;
  }

  async set(session: string | null, choice: LimitChoice): Promise<void> {
    const { [session ?? NEXT]: _before, ...others } = this.#all();
    const kept = Object.entries(others).slice(-MOST_SESSIONS);
    await this.#workspace.update(CHOICES, Object.fromEntries([...kept, [session ?? NEXT, choice]]));
  }

  async exempt(session: string | null, exemption: OperatorExemption): Promise<void> {
    const before = this.of(session);
    await this.set(session, { ...before, exemptions: [...before.exemptions, exemption] });
  }

  /** The session that was started next is this one now. */
  async started(session: string): Promise<void> {
    const next = this.of(null);
    if (next.intent === null && next.exemptions.length === 0) return;
    await this.set(session, next);
    await this.set(null, NOTHING);
  }

  isApproved(rulesSha256: Digest): boolean {
    return this.#approved().includes(rulesSha256);
  }

  async approve(rulesSha256: Digest): Promise<void> {
    if (this.isApproved(rulesSha256)) return;
    await this.#machine.update(APPROVED, [...this.#approved(), rulesSha256]);
  }

  /** Every decision ever made, oldest first: the last one of a contract counts. */
  reviewed(): readonly Rollout[] {
    return Rollouts.safeParse(this.#machine.get(REVIEWED)).data ?? [];
  }

  async review(decision: Rollout): Promise<void> {
    await this.#machine.update(REVIEWED, [...this.reviewed(), decision]);
  }

  #approved(): readonly Digest[] {
    return ApprovedRules.safeParse(this.#machine.get(APPROVED)).data ?? [];
  }

  #all(): Record<string, LimitChoice> {
    return LimitChoicesBySession.safeParse(this.#workspace.get(CHOICES)).data ?? {};
  }
}
