/** All that can be made of a session besides an archive. */
import type { DocumentWriters } from "../../schema/export";
import { htmlOf } from "./html";
import { jsonOf } from "./json";
import { otlpOf } from "./otlp";

export const DOCUMENTS: DocumentWriters = {
  json: jsonOf,
  otlp: otlpOf,
  html: (session, _withContents, ports) => htmlOf(session, ports),
};
