/** The connection to Redis. A bundle of its own: few sessions keep their stored results there. */
import { createClient, RESP_TYPES } from "@redis/client";

const CONNECT_MS = 5000;

/** Sends a command; text and bytes come back as bytes. */
export type Redis = {
  send(args: readonly (string | Buffer)[]): Promise<unknown>;
  readonly isOpen: boolean;
  close(): void;
};

/** Throws where nobody answers. It does not try again by itself: whoever needs it next does. */
export async function connect(url: string, password: string | null): Promise<Redis> {
  const client = createClient({
    url,
    RESP: 2,
    ...(password !== null && { password }),
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
    disableOfflineQueue: true,
  });
  client.on("error", () => undefined); // every command says so itself
  await client.connect().catch((cause: Error) => Promise.reject(withoutPassword(cause, password)));
  const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  return {
    send: (args) => bytes.sendCommand([...args]),
    get isOpen() {
      return client.isReady;
    },
    close: () => client.destroy(),
  };
}

/** A server may say again what it does not understand, and a client what it sent. */
function withoutPassword(cause: Error, password: string | null): Error {
  const { code } = cause as NodeJS.ErrnoException;
  if (!password) return cause;
  return Object.assign(new Error(cause.message.replaceAll(password, "…")), code !== undefined && { code });
}
