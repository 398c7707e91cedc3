/** What if: a session under other settings, request by request. It is counted once; what is turned is only replayed. */
import { type CoreSettings, DEFAULT_SETTINGS } from "../../schema/settings";
import type { TokenCounter } from "../../schema/tokens";
import type { WhatIfKnobs, WhatIfRun } from "../../schema/whatIf";
import { hiddenAtEnd } from "./changes";
import type { SimulatedRequest } from "./context";
import { knobsOf, settingsWith } from "./knobs";
import { oursWith } from "./ours";
import { prefixesOf, withPrefixes } from "./prefix";
import { profileFrom } from "./profiles";
import { recordedOf, recordedTokens } from "./recorded";
import { type Replayed, replaying, SENDING_EVERYTHING } from "./replayed";
import { finishedWith, type Pauses } from "./running";
import { sessionOf } from "./session";
import { type CountedOnce, countedOnce } from "./tokens";
import type { Policy, Profile, Session } from "./types";
import { goneIn, type RecordedSession } from "./wholes";

/** Requests of the session between two pauses. */
const REQUESTS_AT_ONCE = 8;

/** Counts all texts of a session, which takes its time. `tokens`: any counter. */
export const prepareWhatIf = (recorded: RecordedSession, tokens: TokenCounter): PreparedWhatIf =>
  new PreparedWhatIf(recorded, tokens);

export class PreparedWhatIf {
  /** As the session was configured. */
  readonly knobs: WhatIfKnobs;
  readonly model: string; // its id
  readonly #events: RecordedSession["events"];
  readonly #settings: CoreSettings;
  readonly #session: Session;
  readonly #tokens: CountedOnce;
  readonly #gone: number;

  constructor(recorded: RecordedSession, tokens: TokenCounter) {
    const configured = recorded.events.findLast((event) => event.type === "configured");
    this.knobs = knobsOf(recorded.events);
    this.model = configured?.model.id ?? "";
    this.#events = recorded.events;
    this.#settings = configured?.settings ?? DEFAULT_SETTINGS;
    this.#tokens = countedOnce(tokens);
    this.#gone = goneIn(recorded);
    const prefixes = prefixesOf(recorded.events, this.#tokens);
    this.#session = withPrefixes(sessionOf("", recorded, this.#tokens), prefixes);
  }

  /**
   * Null where it was told to stop. Throws `Failure("settings-invalid")` where the knobs do not fit the session's other
   * settings, as Settings would not take them either.
   */
  async series(knobs: WhatIfKnobs, pauses: Pauses): Promise<WhatIfRun | null> {
    const profile = profileFrom("chosen", knobs.prices);
    const policy = oursWith("cloakroom", settingsWith(knobs, this.#settings));
    const everything = await this.#replayed(SENDING_EVERYTHING, profile, pauses);
    const cloakroom = everything && (await this.#replayed(policy, profile, pauses));
    return cloakroom && this.#seriesOf(everything, cloakroom, profile);
  }

  /** What is counted for one replay is forgotten after it: every position of a knob makes other texts. */
  #replayed(policy: Policy, profile: Profile, pauses: Pauses): Promise<Replayed | null> {
    const tokens = countedOnce(this.#tokens.counter, this.#tokens.known);
    return finishedWith(replaying(this.#session, policy, profile, tokens, []), pauses, REQUESTS_AT_ONCE);
  }

  #seriesOf(everything: Replayed, cloakroom: Replayed, profile: Profile): WhatIfRun {
    const recorded = recordedOf(this.#events, profile);
    const ours = byRequest(cloakroom.simulated.perRequest);
    return {
      counter: this.#tokens.name,
      turns: this.#events.flatMap((event) => (event.type === "replied" ? [event.turn] : [])),
      tokens: {
        everything: byRequest(everything.simulated.perRequest).tokens,
        cloakroom: ours.tokens,
        recorded: recorded && recordedTokens(this.#events),
      },
      readBack: ours.readBack,
      cost: {
        everything: everything.sent.cost,
        cloakroom: cloakroom.sent.cost,
        recorded: recorded?.cost ?? null,
      },
      peak: {
        everything: everything.sent.peakTokens,
        cloakroom: cloakroom.sent.peakTokens,
        recorded: recorded?.peakTokens ?? null,
      },
      hiddenAtEnd: hiddenAtEnd(this.#session, cloakroom.sizes),
      readBacks: cloakroom.simulated.roundTrips,
      goneResults: this.#gone,
      ...cloakroom.changes,
    };
  }
}

/** Requests that read something back stand before the one that needed it. */
function byRequest(sent: readonly SimulatedRequest[]): { tokens: number[]; readBack: number[] } {
  const tokens: number[] = [];
  const readBack: number[] = [];
  let asking = 0;
  for (const request of sent) {
    if (request.isAsking) {
      asking += request.tokens;
      continue;
    }
    tokens.push(request.tokens);
    readBack.push(asking);
    asking = 0;
  }
  return { tokens, readBack };
}
