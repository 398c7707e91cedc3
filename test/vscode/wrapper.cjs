// test/vscode: what the extension host loads as its tests. Runs the real ones, sends what they print to a file that
// headless.ts relays, and leaves a mark when they have passed.
const { appendFileSync, openSync, writeFileSync, writeSync } = require("node:fs");
const { Console } = require("node:console");
const { Writable } = require("node:stream");
const { pathToFileURL } = require("node:url");

const METHODS = [
  "log",
  "info",
  "warn",
  "error",
  "debug",
  "trace",
  "dir",
  "table",
  "group",
  "groupEnd",
  "assert",
];

function redirectOutput(file) {
  const descriptor = openSync(file, "a");
  const write = (chunk) => writeSync(descriptor, chunk);
  const sink = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      write(chunk);
      done();
    },
  });
  const own = new Console({ stdout: sink, stderr: sink, colorMode: false });
  for (const name of METHODS) {
    // VS Code defines these with a setter that does nothing: an assignment would be lost.
    Object.defineProperty(console, name, { value: own[name].bind(own), writable: true, configurable: true });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (chunk, encoding, callback) => {
      write(chunk);
      const done = typeof encoding === "function" ? encoding : callback;
      if (done) process.nextTick(done);
      return true;
    };
  }
}

async function load(file) {
  try {
    return require(file);
  } catch (error) {
    if (error?.code === "ERR_REQUIRE_ESM" || error?.code === "ERR_REQUIRE_ASYNC_MODULE") {
      return import(pathToFileURL(file).href);
    }
    throw error;
  }
}

exports.run = async () => {
  const output = process.env.CLOAKROOM_HEADLESS_OUTPUT;
  redirectOutput(output);
  writeFileSync(`${output}.started`, String(process.pid));
  try {
    const tests = await load(process.env.CLOAKROOM_HEADLESS_TESTS);
    const run = tests.run ?? tests.default?.run;
    if (typeof run !== "function") throw new Error("the tests do not export a function run()");
    await run();
  } catch (error) {
    appendFileSync(output, `${error?.stack ?? error}\n`);
    throw error;
  }
  // VS Code reports 0 also when its extension host is killed or calls process.exit(): only this file means a pass.
  writeFileSync(`${output}.passed`, "");
};
