/** Values that the user gave a server in secret: they come back in what servers print and return, and go no further. */

const SECRET_NAME = /key|token|secret|pass|pwd|auth|credential|cookie|private/i;
const SHORTEST = 6; // a shorter value is a word, and hiding it would spoil what is no secret

/** Replaces every such value in a text, also as it stands inside a JSON string. */
export function createEnvHider(env: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= SHORTEST)
    .flatMap(([name, value]) => {
      const mark = `[env:${name.replace(/\W/g, "_")}]`;
      return [value, JSON.stringify(value).slice(1, -1)].map((text) => [text, mark] as const);
    })
    .sort(([a], [b]) => b.length - a.length); // one may be the beginning of another
  return (text) => secrets.reduce((safe, [value, mark]) => safe.replaceAll(value, () => mark), text);
}
