// test/support: the demo session of `npm start -- --headless`, driven through the palette as a person would.
import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { sampleCopy } from "./sample";
import { type Harness, withWorkbench } from "./workbench";

export type DemoOptions = {
  /** Prints one line of the session. */
  readonly say: (text: string) => void;
  /** Where the picture of the inspector goes. */
  readonly screenshot: string;
};

/** The session itself: everything between an open workbench and the picture. */
async function playSession({ run, webview }: Harness, { say }: DemoOptions): Promise<void> {
  await run("Cloakroom: Open Context Inspector");
  const frame = await webview("#inspector");
  await frame.getByText("scripted").waitFor();
  say("inspector: open, model scripted");
}

/** Runs the demo in a VS Code of its own. Throws, with a picture in out/e2e/, when a step does not happen. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const sample = sampleCopy();
  const settings = { "cloakroom.model": "scripted" };
  const viewport = { width: 1440, height: 900 };
  try {
    await withWorkbench("demo", { workspace: sample.folder, settings, viewport }, async (harness) => {
      await playSession(harness, options);
      // Two demos may end at once: the picture appears whole.
      mkdirSync(path.dirname(options.screenshot), { recursive: true });
      const unfinished = `${options.screenshot}.${process.pid}.png`;
      await harness.screenshot(unfinished);
      renameSync(unfinished, options.screenshot);
      options.say(`picture: ${path.relative(process.cwd(), options.screenshot)}`);
    });
  } finally {
    sample.remove();
  }
}
