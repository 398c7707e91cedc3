/** CONFORMANCE §6's hostile lists and cursors; the bench counts the same cases. */
import { ADVERSARIAL } from "../../../bench/coverage/adversarial";

suite("coverage, adversarial", () => {
  for (const [name, holds] of Object.entries(ADVERSARIAL)) test(name, holds);
});
