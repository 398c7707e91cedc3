// The inspector's browser side: its entry. Shows what the extension sends.
import "./inspector.css";
import "./tree.css";
import "./details.css";
import "./controls.css";
import type { ToView } from "../src/schema/inspector";
import { createFormat } from "./format";
import { Inspector } from "./inspector";
import type { Host } from "./savedPlaces";

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>("#inspector") ?? document.body;
const inspector = new Inspector(root, host, createFormat(navigator.language));

window.addEventListener("message", ({ data }: MessageEvent<ToView | undefined>) => {
  if (typeof data?.type === "string") inspector.show(data);
});
host.postMessage({ type: "ready" });
