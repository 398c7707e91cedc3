/** What aged lines say of a call. */

/** What a call was about: its path, query or command, as the model wrote it, on one line. */
export function subjectOf(argumentsText: string): string {
  const match = /"(?:path|query|command|glob)"\s*:\s*"((?:[^"\\]|\\.){1,80})"/.exec(argumentsText);
  return (match?.[1] ?? "").replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "); // arguments may be no JSON
}
