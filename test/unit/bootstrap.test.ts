// test/unit: what an outer npm or a production shell sets must not change what is installed.
import assert from "node:assert/strict";
import { installEnvironment } from "../../scripts/bootstrap.mjs";

test("an install forgets what would leave something out, and keeps how to reach the registry", () => {
  const kept = {
    PATH: "/bin",
    npm_config_registry: "https://registry.example",
    npm_config_cafile: "/etc/ca.pem",
    NPM_CONFIG_USERCONFIG: "/etc/npmrc",
    https_proxy: "http://proxy.example",
  };
  const dropped = {
    NODE_ENV: "production",
    npm_config_omit: "dev",
    NPM_CONFIG_OMIT: "dev",
    npm_config_production: "true",
    npm_config_global: "true",
    "npm_config_dry-run": "true",
    npm_config_prefix: "/usr/local",
    npm_config_headless: "true",
    npm_package_name: "cloakroom",
    npm_lifecycle_event: "test",
    INIT_CWD: "/elsewhere",
  };
  assert.deepEqual(installEnvironment({ ...kept, ...dropped }), kept);
});
