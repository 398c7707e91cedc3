// The inspector's browser side: shows what the extension sends.
import "./inspector.css";

const place = document.querySelector("#inspector");

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  if (place) place.textContent = JSON.stringify(event.data, null, 2);
});

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };
acquireVsCodeApi().postMessage({ kind: "ready" });
