/** Reads the system's code off an error, and refuses to guess. */

/** The code of a system error, e.g. "ENOENT". Anything else is thrown on unchanged: it is a fault, not an outcome. */
export function errorCode(cause: unknown): string {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string" && "syscall" in cause) {
    return cause.code;
  }
  throw cause;
}
