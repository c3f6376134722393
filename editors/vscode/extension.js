// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts `slipway lsp` for the languages that it serves.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = vscode.workspace.getConfiguration("slipway");
  const server = { command: settings.get("path"), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("slipway", "Slipway", server, {
    documentSelector: [
      { scheme: "file", language: "rpl" },
      { scheme: "untitled", language: "rpl" },
      { scheme: "file", language: "zeinfo" },
      { scheme: "file", language: "json" },
      { scheme: "file", language: "jsonc" },
    ],
    initializationOptions: settings.get("initializationOptions"),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.rpl,*.rplproject.json}") },
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
