/** Words of a server's for a terminal or a log: control characters are shown, never sent. */
export const plainWords = (text: string): string =>
  text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
