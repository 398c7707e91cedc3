// test/harness: the workbench does what its options promise.
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { withWorkbench } from "../support/workbench";

suite("workbench", () => {
  test("a workspace can be opened in Restricted Mode", () =>
    withWorkbench(
      "restricted",
      { workspace: path.join(root, "sample"), restricted: true },
      async ({ page }) => {
        await page.locator(".statusbar").getByText("Restricted Mode").waitFor();
      },
    ));

  test("a secret survives a reload of the window", () => {
    const extensions = [path.join(root, "test/harness/fixtures/secret")];
    return withWorkbench(
      "secret",
      { extensions, secretStorage: true },
      async ({ page, run, answer, reload }) => {
        const message = (text: string) => page.locator(".notifications-toasts").getByText(text).first();
        await run("Fixture: Keep Secret");
        await answer("Kept word", "heron");
        await message("The secret is kept").waitFor();
        await reload();
        await run("Fixture: Tell Secret");
        await message("The secret is heron").waitFor();
      },
    );
  });
});
