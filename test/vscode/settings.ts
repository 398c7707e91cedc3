// test/vscode: user settings that keep the workbench quiet and off the network.

export const QUIET_SETTINGS: Readonly<Record<string, unknown>> = {
  "telemetry.telemetryLevel": "off",
  "workbench.enableExperiments": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden", // the chat view would open by itself
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "git.autofetch": false,
  "git.openRepositoryInParentFolders": "never",
  "npm.fetchOnlinePackageInfo": false,
  "json.schemaDownload.enable": false,
  "typescript.disableAutomaticTypeAcquisition": true,
  "security.workspace.trust.enabled": false,
};

/** Trust is asked for, and not given: what opens is in Restricted Mode, without a modal in the way. */
export const RESTRICTED_SETTINGS: Readonly<Record<string, unknown>> = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.emptyWindow": false,
};
