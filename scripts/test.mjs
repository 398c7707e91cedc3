// scripts: `npm test`. Sets up what is missing, then runs the stages (test/run/main.ts).
import { bootstrap } from "./bootstrap.mjs";
import { runTypeScript } from "./runTypeScript.mjs";

await bootstrap();
process.exitCode = await runTypeScript("test/run/main.ts", process.argv.slice(2));
