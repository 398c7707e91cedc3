// test/vscode: takes the place of VS Code's native logger in the test installation, so that no C++ compiler is needed.
// The same interface, appending to the same files; the Output view reads them.
const { appendFileSync, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

const LEVELS = ["trace", "debug", "info", "warning", "error", "critical"];

class Logger {
  #file;
  #level = LEVELS.indexOf("info");
  #raw = false;

  constructor(_kind, _name, file) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
  }
  #write(level, message) {
    if (level < this.#level) return;
    const stamp = new Date().toISOString().replace("T", " ").replace("Z", "");
    try {
      appendFileSync(this.#file, this.#raw ? String(message) : `${stamp} [${LEVELS[level]}] ${message}\n`);
    } catch {
      // The run is over and its folder is removed: nobody will read this line.
    }
  }
  trace(message) {
    this.#write(0, message);
  }
  debug(message) {
    this.#write(1, message);
  }
  info(message) {
    this.#write(2, message);
  }
  warn(message) {
    this.#write(3, message);
  }
  error(message) {
    this.#write(4, message);
  }
  critical(message) {
    this.#write(5, message);
  }
  getLevel() {
    return this.#level;
  }
  setLevel(level) {
    this.#level = level;
  }
  setPattern() {
    this.#raw = true;
  }
  clearFormatters() {
    this.#raw = true;
  }
  flush() {}
  drop() {}
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger("rotating", name, file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger("rotating_async", name, file);
