/** What is wrong with the words of a command, as a sentence; and in a sentence of ours, where Node's own parser says it. */

/** How many names each command takes at most. */
const NAMES: Readonly<Record<string, number>> = {
  ...{ run: 0, show: 1, sessions: 0, list: 2, verify: 1, fork: 1, export: 2, import: 1, forget: 2 },
  ...{ pin: 2, shorten: 2, sweep: 0, replay: 1 },
  scorecard: Number.POSITIVE_INFINITY,
  analyze: Number.POSITIVE_INFINITY,
};

const HELP = "Use cloakroom --help.";

/** Null: nothing is, as far as their number tells. */
export function wrongWords(command: string, names: readonly string[]): string | null {
  const most = Object.hasOwn(NAMES, command) ? NAMES[command] : undefined;
  if (most === undefined) return `There is no command ${JSON.stringify(command)}. ${HELP}`;
  const extra = names[most];
  return extra === undefined ? null : `${JSON.stringify(extra)} is one name too many for ${command}. ${HELP}`;
}

/** Null: it is none of the parser's errors. */
export function parseProblem(cause: unknown): string | null {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code?.startsWith("ERR_PARSE_ARGS") !== true) return null;
  const [option] = /(?<=')-[^' ]+/.exec(message) ?? [];
  if (option === undefined) return `${message} ${HELP}`;
  return code === "ERR_PARSE_ARGS_UNKNOWN_OPTION"
    ? `There is no option ${option}. ${HELP}`
    : `${option} is not used as it is meant. ${HELP}`;
}
