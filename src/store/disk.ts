/** The file operations that durable writing is made of, as a port: a test puts a full or failing disk in their place. */
import { mkdir, open, rename, rm } from "node:fs/promises";

export type Disk = {
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
};

export const nodeDisk: Disk = { mkdir, open, rename, rm };
