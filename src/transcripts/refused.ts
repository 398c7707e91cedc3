/** A file that is not read, with its reason. */
import { Failure } from "../schema/failure";

export function refused(file: string, why: string, cause?: unknown): Failure {
  return new Failure(
    "import-unreadable",
    `${file} cannot be read: ${why}. Choose a session file of another agent, or an archive of Cloakroom.`,
    { file, why },
    { cause },
  );
}
