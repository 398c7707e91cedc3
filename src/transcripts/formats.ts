/** Every format, in the order in which they are asked whether a file is theirs. */
import { claudeCode } from "./claudeCode";
import type { DocumentFormat, LineFormat } from "./format";

export const LINE_FORMATS: readonly LineFormat[] = [claudeCode];
export const DOCUMENT_FORMATS: readonly DocumentFormat[] = [];
export const FORMAT_NAMES: readonly string[] = [...LINE_FORMATS, ...DOCUMENT_FORMATS].map(({ name }) => name);
