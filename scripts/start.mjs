// scripts: `npm start`. Sets up what is missing, builds, and opens VS Code on a copy of the sample workspace
// (scripts/open.ts).
//   --headless     runs the demo session by itself and ends; also without a terminal and a display
import { bootstrap } from "./bootstrap.mjs";
import { runTypeScript } from "./runTypeScript.mjs";

await bootstrap();
process.exitCode = await runTypeScript("scripts/open.ts", process.argv.slice(2));
