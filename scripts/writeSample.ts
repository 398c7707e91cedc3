// scripts: writes the whole sample workspace into a new folder, for the command line and for your own tries.
//   npm run sample -- FOLDER
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { writeSample } from "../test/support/sample";

const [given] = process.argv.slice(2);
if (given === undefined) {
  console.error("usage: npm run sample -- FOLDER");
  process.exit(2);
}
const folder = path.resolve(process.env.INIT_CWD ?? ".", given);
if (existsSync(folder) && readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty. Name a new folder.`);
  process.exit(2);
}
writeSample(folder);
console.log(folder);
