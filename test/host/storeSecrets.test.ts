// test/host: what the store keeps in the secret storage, and the settings that say how sessions are kept.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Failure } from "../../src/schema/failure";
import { readStoreSettings } from "../../src/vscode/settings";
import { StoreSecrets } from "../../src/vscode/storeSecrets";

/** VS Code's secret storage, in memory: only an extension that is running has the real one. */
function secretStorage() {
  const kept = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
  const storage: vscode.SecretStorage = {
    keys: async () => [...kept.keys()],
    get: async (key) => kept.get(key),
    store: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
    onDidChange: changed.event,
  };
  return { kept, storage };
}

suite("secrets of the store", () => {
  test("each workspace has a key of its own, and forgetting one leaves the others", async () => {
    const { kept, storage } = secretStorage();
    const { keys } = new StoreSecrets(storage);
    assert.equal(await keys.get("one"), undefined);
    await keys.set("one", "11");
    await keys.set("two", "22");
    assert.deepEqual([await keys.get("one"), await keys.get("two")], ["11", "22"]);
    assert.equal(await new StoreSecrets(storage).keys.get("two"), "22", "for the next window too");
    await keys.delete("one");
    assert.deepEqual([...kept], [["cloakroom.key.two", "22"]]);
  });

  test("the password of Redis: typed unseen, kept until an empty answer, left alone by Escape", async () => {
    const { kept, storage } = secretStorage();
    const secrets = new StoreSecrets(storage);
    assert.equal(await secrets.redisPassword(), null);
    const answers: (string | undefined)[] = ["only for this test", undefined, ""];
    const asked: vscode.InputBoxOptions[] = [];
    const ask = async (options: vscode.InputBoxOptions) => {
      asked.push(options);
      return answers.shift();
    };
    await secrets.askRedisPassword(ask);
    assert.equal(await secrets.redisPassword(), "only for this test");
    await secrets.askRedisPassword(ask);
    assert.equal(await secrets.redisPassword(), "only for this test");
    await secrets.askRedisPassword(ask);
    assert.equal(await secrets.redisPassword(), null);
    assert.equal(kept.size, 0);
    assert.deepEqual(
      asked.map(({ password, value }) => [password, value]),
      [true, true, true].map((isHidden) => [isHidden, undefined]), // nor is the one that is there shown
    );
    assert.ok(!JSON.stringify(vscode.workspace.getConfiguration("cloakroom")).includes("only for this test"));
  });
});

suite("settings that say how sessions are kept", () => {
  const refusal = async (name: string, value: unknown): Promise<Failure> => {
    const section = vscode.workspace.getConfiguration("cloakroom.store");
    await section.update(name, value, vscode.ConfigurationTarget.Global);
    try {
      readStoreSettings();
    } catch (cause) {
      if (cause instanceof Failure) return cause;
      throw cause;
    } finally {
      await section.update(name, undefined, vscode.ConfigurationTarget.Global);
    }
    throw assert.fail(`${name} = ${JSON.stringify(value)} was taken`);
  };

  test("an address of Redis with a password in it is refused without repeating it", async () => {
    for (const url of ["redis://:hunter2@localhost:6379", "rediss://me:hunter2@example.test/0"]) {
      const { message, facts } = await refusal("redisUrl", url);
      assert.match(
        message,
        /^Setting cloakroom\.store\.redisUrl: must not have a password\. Use the command/,
      );
      assert.equal(facts.field, "store.redisUrl");
      assert.doesNotMatch(message, /hunter2/);
    }
  });

  test("what is no address of Redis is refused by the setting's name", async () => {
    for (const url of ["localhost:6379", "http://localhost:6379", "redis://", "not an address", 6379, null]) {
      const { message, facts } = await refusal("redisUrl", url);
      assert.match(message, /^Setting cloakroom\.store\.redisUrl: must be (an address such as|text)/);
      assert.equal(facts.field, "store.redisUrl");
    }
  });

  test("encryption is on or off, and nothing else", async () => {
    for (const value of ["true", 1, [], "yes"]) {
      const { message, facts } = await refusal("encryption", value);
      assert.match(message, /^Setting cloakroom\.store\.encryption: must be true or false\./);
      assert.equal(facts.field, "store.encryption");
    }
  });
});
