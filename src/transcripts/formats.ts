/** Every format, in the order in which they are asked whether a file is theirs: what is told by more stands first. */
import { anthropic } from "./anthropic";
import { claudeCode } from "./claudeCode";
import { codex } from "./codex";
import { continueSession } from "./continueSession";
import { copilotChat } from "./copilotChat";
import { copilotChatLog } from "./copilotChatLog";
import { copilotCli } from "./copilotCli";
import { copilotReplay } from "./copilotReplay";
import type { DocumentFormat, LineFormat } from "./format";
import { gemini } from "./gemini";
import { geminiLog } from "./geminiLog";
import { geminiRecording } from "./geminiRecording";
import { kimi } from "./kimi";
import { kimiContext } from "./kimiContext";
import { langchain } from "./langchain";
import { miniSweAgent } from "./miniSweAgent";
import { openAi } from "./openai";
import { opencode } from "./opencode";
import { pi } from "./pi";
import { roo } from "./roo";
import { sweAgent } from "./sweAgent";

export const LINE_FORMATS: readonly LineFormat[] = [
  copilotChatLog,
  geminiLog,
  codex,
  copilotCli,
  kimi,
  kimiContext,
  claudeCode,
  pi,
];
export const DOCUMENT_FORMATS: readonly DocumentFormat[] = [
  copilotChat,
  copilotReplay,
  sweAgent,
  miniSweAgent,
  continueSession,
  opencode,
  geminiRecording,
  gemini,
  langchain,
  roo,
  anthropic,
  openAi,
];
/** An agent that has gone from one shape to another has one name. */
export const FORMAT_NAMES: readonly string[] = [
  ...new Set([...LINE_FORMATS, ...DOCUMENT_FORMATS].map(({ name }) => name)),
];
