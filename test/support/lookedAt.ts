// test/support: another agent's session as a page is answered about it: what the host does, without the editor.
import { analysisReport } from "../../src/inspector/analysisReport";
import { analysisSentence } from "../../src/inspector/analysisSentence";
import { Feed } from "../../src/inspector/feed";
import { foldLookedAt, lookedAtFrom } from "../../src/inspector/lookedAt";
import type { InspectorFold } from "../../src/inspector/project";
import { type AnalysedTranscript, analyseTranscript } from "../../src/inspector/whatIf/analyseTranscript";
import type { FromView, ToView } from "../../src/schema/inspector";
import { sha256 } from "../../src/store/digest";
import { readTranscript } from "../../src/transcripts/readTranscript";
import { InspectorAnswers } from "../../src/vscode/inspectorAnswers";
import { InspectorReplays } from "../../src/vscode/inspectorReplays";
import { type SessionDisk, SessionReads } from "../../src/vscode/sessionReads";
import { transcriptPorts } from "./transcripts";

const { tokens } = transcriptPorts;

const unread = async () => {
  throw new Error("nothing of it is on disk");
};
const NO_DISK: SessionDisk = {
  ...{ read: unread, events: unread, eventsAbout: unread, eventsWith: unread },
  ...{ content: unread, window: unread, find: unread, charOfLine: unread },
};

/** Throws `import-unreadable`. */
export async function sessionsOf(file: string): Promise<readonly LookedAtSession[]> {
  const read = async (source: string) => (await readTranscript(source, transcriptPorts)).sessions;
  const found = await analyseTranscript(file, read, { tokens });
  return found.map((one, at) => new LookedAtSession(`file-${at}`, one));
}

type Asked = Parameters<InspectorAnswers["answer"]>[0];

export class LookedAtSession {
  readonly session: string;
  readonly fold: InspectorFold;
  readonly #analysed: AnalysedTranscript;
  readonly #answers: InspectorAnswers;

  constructor(session: string, analysed: AnalysedTranscript) {
    this.session = session;
    this.#analysed = analysed;
    const { recorded } = analysed;
    const lookedAt = lookedAtFrom(session, recorded);
    const { events } = lookedAt;
    this.fold = foldLookedAt(lookedAt);
    const replays = new InspectorReplays({
      events: async () => events,
      recorded: async () => ({ ...recorded, events }),
      tokens: async () => tokens,
      hash: sha256,
    });
    const reads = new SessionReads(NO_DISK);
    reads.lookAt(lookedAt);
    const sessions = { fold: async () => this.fold, reads };
    this.#answers = new InspectorAnswers(sessions, replays, String);
  }

  /** What a page begins with. */
  begun(): ToView[] {
    const opened = new Feed().opened(this.fold);
    const { analysis } = this.#analysed;
    const found = {
      agent: analysis.format,
      sentence: analysisSentence(analysis),
      lines: analysisReport(analysis),
    };
    return [...(opened ? [opened] : []), { type: "analysis", session: this.session, analysis: found }];
  }

  answer(asked: Asked | (FromView & { type: Asked["type"] })): Promise<ToView | null> {
    return this.#answers.answer(asked as Asked, this);
  }
}
