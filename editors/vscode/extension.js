// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts `slipway lsp` for the languages that it serves, and again when its settings change.
const vscode = require("vscode");
const { Client } = require("./client");
const { documents } = require("./files");

let client;
let log;
let last = Promise.resolve(); // starts and stops happen one after another

const inTurn = (action) => (last = last.then(action, action));

async function start() {
  const settings = vscode.workspace.getConfiguration("slipway");
  const path = settings.get("path");
  client = new Client(path, ["lsp"], documents, settings.get("initializationOptions"), log);
  try {
    await client.start();
  } catch (error) {
    client.stop();
    client = undefined;
    log.appendLine(error.message);
    vscode.window.showErrorMessage(`Slipway: ${error.message}. The setting slipway.path names the program.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

exports.activate = (context) => {
  log = vscode.window.createOutputChannel("Slipway");
  const restart = () => inTurn(async () => { await stop(); await start(); });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("slipway.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("slipway") && restart()),
  );
  return inTurn(start);
};

exports.deactivate = () => inTurn(stop);
