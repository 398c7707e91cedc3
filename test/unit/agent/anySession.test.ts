/** Any session: whatever the model, the provider and the person do, every request is valid, shared and rebuilt from the log. */
import fc from "fast-check";
import { Attack, anyRun } from "../../support/anySession";

test("P15 P17 P18 M1 M11 any session, any settings, any refusal: valid requests, whole results, shared beginnings", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 4 }), async (runs) => {
      const attack = new Attack();
      for (const [n, one] of runs.entries()) await attack.run(one, `Question ${n}: what is it?`);
      attack.checkAll();
    }),
    { numRuns: Number(process.env.RUNS ?? 100) },
  );
});
