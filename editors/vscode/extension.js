// Starts `tilewright lsp` for Python files and hands it the settings.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = () => vscode.workspace.getConfiguration("tilewright");
  client = new LanguageClient(
    "tilewright",
    "Tilewright",
    { command: settings().get("executable"), args: ["lsp"] },
    {
      documentSelector: [{ language: "python" }],
      initializationOptions: settings(),
      synchronize: {
        configurationSection: "tilewright",
        fileEvents: vscode.workspace.createFileSystemWatcher("**/*.py"),
      },
    });
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
