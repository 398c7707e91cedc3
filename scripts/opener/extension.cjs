// scripts: opens the inspector as soon as `npm start`'s VS Code is up.
const vscode = require("vscode");

exports.activate = () => vscode.commands.executeCommand("cloakroom.openInspector");
