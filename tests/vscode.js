// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the extension for Visual Studio Code without it: vscode.js EXTENSION DIRECTORY COMMAND...
//
// A stub takes the place of the module `vscode`: its documents are texts, and it keeps what the extension registers. The extension
// starts COMMAND, the language server. Everything that it offers is asked once, with the expected answers. Positions and ranges of
// the stub are written as JSON as those of VS Code are.
const assert = require("assert");
const Module = require("module");
const path = require("path");
const { pathToFileURL } = require("url");

const [extension, directory, ...command] = process.argv.slice(2);

// --- the stub

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
  toJSON() { return { line: this.line, character: this.character }; }
}
class Range {
  constructor(start, end) { Object.assign(this, { start, end }); }
  toJSON() { return [this.start, this.end]; }
}
const record = (...members) => class {
  constructor(...values) { members.forEach((member, i) => { this[member] = values[i]; }); }
};
class Uri {
  constructor(text) { this.text = text; this.scheme = text.slice(0, text.indexOf(":")); }
  static parse(text) { return new Uri(text); }
  toString() { return this.text; }
}
class WorkspaceEdit {
  constructor() { this.edits = new Map(); }
  set(uri, edits) { this.edits.set(uri.toString(), edits); }
}
class TextEdit {
  static replace(range, newText) { return { range, newText }; }
}
class Emitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
  }
  fire(value) { for (const listener of this.listeners) listener(value); }
}

const emitters = {};
for (const name of ["DidOpenTextDocument", "DidCloseTextDocument", "DidSaveTextDocument", "DidChangeTextDocument", "DidChangeConfiguration"])
  emitters[name] = new Emitter();
const watching = { created: new Emitter(), changed: new Emitter(), deleted: new Emitter() };
const registered = {};
const collections = [];
const shown = [];
const commands = {};
const settings = { path: command[0], initializationOptions: {} };
let disposed = 0;

const stub = {
  Position, Range, Uri, WorkspaceEdit, TextEdit,
  Location: record("uri", "range"),
  Diagnostic: record("range", "message", "severity"),
  DiagnosticRelatedInformation: record("location", "message"),
  Hover: record("contents", "range"),
  MarkdownString: record("value"),
  DocumentHighlight: record("range"),
  DocumentSymbol: record("name", "detail", "kind", "range", "selectionRange"),
  CompletionItem: record("label", "kind"),
  SignatureHelp: record(),
  SignatureInformation: record("label"),
  ParameterInformation: record("label"),
  InlayHint: record("position", "label"),
  CodeAction: record("title", "kind"),
  CodeLens: record("range", "command"),
  FoldingRange: record("start", "end"),
  SymbolInformation: record("name", "kind", "containerName", "location"),
  CallHierarchyItem: record("kind", "name", "detail", "uri", "range", "selectionRange"),
  CallHierarchyIncomingCall: record("from", "fromRanges"),
  CallHierarchyOutgoingCall: record("to", "fromRanges"),
  CodeActionKind: { QuickFix: "quickfix" },
  SemanticTokens: record("data"),
  SemanticTokensLegend: record("tokenTypes", "tokenModifiers"),
  workspace: {
    textDocuments: [],
    workspaceFolders: [{ uri: Uri.parse(pathToFileURL(directory).href) }],
    getConfiguration: (section) => ({ get: (name) => { assert.strictEqual(section, "slipway"); return settings[name]; } }),
    createFileSystemWatcher: () => ({
      onDidCreate: watching.created.event, onDidChange: watching.changed.event, onDidDelete: watching.deleted.event, dispose() {},
    }),
  },
  window: {
    createOutputChannel: () => ({ append() {}, appendLine() {}, dispose() {} }),
    showErrorMessage: async (text) => { shown.push(text); },
  },
  commands: {
    registerCommand: (name, run) => { commands[name] = run; return { dispose() {} }; },
    executeCommand: (name) => commands[name](),
  },
  languages: {
    // Of patterns only those of the extension: `**/{name,*.suffix}`.
    match: (selector, { uri, languageId }) => Number(selector.some(({ scheme, language, pattern }) => {
      const names = pattern ? pattern.slice(4, -1).split(",") : ["*"];
      const name = path.basename(uri.text);
      return scheme === uri.scheme && language === languageId &&
        names.some((each) => (each.startsWith("*") ? name.endsWith(each.slice(1)) : name === each));
    })),
    registerWorkspaceSymbolProvider: (provider) => {
      registered.WorkspaceSymbol = { provider, more: [] };
      return { dispose: () => { ++disposed; } };
    },
    createDiagnosticCollection: () => {
      const all = new Map();
      collections.push(all);
      return { set: (uri, list) => all.set(uri.toString(), list), dispose: () => all.clear() };
    },
  },
};
for (const name of Object.keys(emitters)) stub.workspace[`on${name}`] = emitters[name].event;
for (const name of ["Hover", "Definition", "Reference", "DocumentHighlight", "DocumentSymbol", "DocumentFormattingEdit", "InlayHints", "Rename",
  "CodeActions", "CompletionItem", "SignatureHelp", "DocumentSemanticTokens", "TypeDefinition", "FoldingRange", "CodeLens",
  "CallHierarchy", "DocumentRangeFormattingEdit"]) {
  stub.languages[`register${name}Provider`] = (selector, provider, ...more) => {
    assert(selector.some(({ language }) => language === "rpl"));
    registered[name] = { provider, more };
    return { dispose: () => { ++disposed; } };
  };
}
// Everything else that the extension would use of VS Code is an error here, not undefined.
const strict = (object, name) => new Proxy(object, {
  get(target, key) {
    assert(key in target || typeof key === "symbol" || key === "then", `the stub has no ${name}.${String(key)}`);
    return target[key];
  },
});
for (const part of ["workspace", "window", "commands", "languages"]) stub[part] = strict(stub[part], part);

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? strict(stub, "vscode") : load(name, ...rest));

// --- documents

class Document {
  constructor(name, languageId, text) {
    Object.assign(this, { uri: Uri.parse(pathToFileURL(path.join(directory, name)).href), languageId, text, version: 1 });
  }
  getText() { return this.text; }
  // Of the first occurrence, after `skip` characters.
  at(text, skip = 0) {
    const offset = this.text.indexOf(text) + skip;
    assert(offset >= skip, text);
    const before = this.text.slice(0, offset).split("\n");
    return new Position(before.length - 1, before.at(-1).length);
  }
  replace(old, text) {
    const range = new Range(this.at(old), this.at(old, old.length));
    this.text = this.text.replace(old, text);
    ++this.version;
    emitters.DidChangeTextDocument.fire({ document: this, contentChanges: [{ range, text }] });
  }
}

async function until(what, holds) {
  for (const end = Date.now() + 30000; Date.now() < end;) {
    if (holds()) return;
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
  assert.fail(`${what}: ${JSON.stringify([...(collections.at(-1) ?? [])])} ${shown}`);
}
const diagnostics = (document) => collections.at(-1)?.get(document.uri.toString());
const codes = (document) => diagnostics(document)?.map(({ code }) => code).filter(Boolean).join();

const program = `set_pass uniform_buffer view { f4 camera; };
color_output_container target { f4 color; };
f1 half_of (in f1 value) { return value * 0.5; }
void fragment_main (void)
{
    // \u00e4 \u{1f600}: two UTF-16 units
    f1 dim = half_of (view.camera.x);
    target.color = f4 {dim};
}
`;

async function main() {
  const wrapper = { path: command[0] };
  const manifest = require(path.join(extension, "package.json"));
  const { activate, deactivate } = require(path.join(extension, manifest.main));
  const opened = new Document("shade.rpl", "rpl", program);
  const text = new Document("notes.txt", "plaintext", "set_pass");
  stub.workspace.textDocuments.push(opened, text);
  const context = { subscriptions: [] };
  await activate(context);
  assert.deepStrictEqual(shown, []);
  assert(context.subscriptions.length >= 3 && context.subscriptions.every(({ dispose }) => dispose));

  // Diagnostics of documents that were open, that are opened, changed and closed.
  await until("the program has no errors", () => codes(opened) === "");
  opened.replace("half_of (view", "half_off (view");
  await until("a misspelled name", () => codes(opened) === "rpl-unknown-function");
  const [wrong] = diagnostics(opened);
  assert.deepStrictEqual([wrong.severity, wrong.source], [0, "slipway"]);
  assert.deepStrictEqual(wrong.range.start.toJSON(), opened.at("half_off (view").toJSON());
  const actions = await registered.CodeActions.provider.provideCodeActions(opened, wrong.range);
  assert.strictEqual(actions[0].title, "replace `half_off` by `half_of`");
  const [[uri, edits]] = actions[0].edit.edits;
  assert.deepStrictEqual([uri, edits[0].newText], [opened.uri.toString(), "half_of"]);
  opened.replace("half_off", "half_of");
  await until("the name is right again", () => codes(opened) === "");
  const scene = new Document("big.scenario.json", "json", '{"commands": [], "resources": [{"bufer": {"uid": "a"}}]}\n');
  emitters.DidOpenTextDocument.fire(scene);
  await until("a scenario", () => codes(scene)?.includes("unknown-key"));
  emitters.DidCloseTextDocument.fire(scene);
  await until("a closed document has none", () => diagnostics(scene).length === 0);
  assert.strictEqual(diagnostics(text), undefined);
  // JSON that is not ours: the server does not hear of it, though it would find the error.
  const other = new Document("settings.json", "json", scene.text);
  emitters.DidOpenTextDocument.fire(other);
  emitters.DidOpenTextDocument.fire(scene);
  await until("a scenario that is opened again", () => codes(scene)?.includes("unknown-key"));
  assert.strictEqual(diagnostics(other), undefined);
  emitters.DidSaveTextDocument.fire(opened);
  watching.changed.fire(opened.uri);

  // Each provider.
  const ask = (name, method, ...given) => registered[name].provider[`provide${method}`](opened, ...given);
  const use = opened.at("half_of (view", 2), declaration = opened.at("half_of (in");
  const hover = await ask("Hover", "Hover", use);
  assert(hover.contents.value.includes("f1 half_of (in f1 value)"), hover.contents.value);
  const definition = await ask("Definition", "Definition", use);
  assert.deepStrictEqual(definition.range.start.toJSON(), declaration.toJSON());
  assert.strictEqual((await ask("Reference", "References", use, { includeDeclaration: true })).length, 2);
  assert.strictEqual((await ask("Reference", "References", use, { includeDeclaration: false })).length, 1);
  assert.strictEqual((await ask("DocumentHighlight", "DocumentHighlights", use)).length, 2);
  const symbols = await ask("DocumentSymbol", "DocumentSymbols");
  assert.deepStrictEqual(symbols.map(({ name }) => name), ["view", "target", "half_of", "fragment_main"]);
  assert.strictEqual(symbols[2].kind, 11, "SymbolKind.Function");
  assert.deepStrictEqual(symbols[0].children.map(({ name }) => name), ["camera"]);
  const hints = await ask("InlayHints", "InlayHints", new Range(new Position(0, 0), new Position(9, 0)));
  assert(hints.length >= 2 && hints.every(({ label }) => label), JSON.stringify(hints));
  const renamed = await registered.Rename.provider.provideRenameEdits(opened, use, "halved");
  assert.strictEqual(renamed.edits.get(opened.uri.toString()).length, 2);
  const name = await registered.Rename.provider.prepareRename(opened, use);
  assert.deepStrictEqual(name.start.toJSON(), opened.at("half_of (view").toJSON());
  await assert.rejects(registered.Rename.provider.provideRenameEdits(opened, use, "no name"), /not an identifier/);
  await assert.rejects(registered.Rename.provider.prepareRename(opened, opened.at("// ", 1)));
  const completions = await ask("CompletionItem", "CompletionItems", opened.at("view.camera.x", 5));
  assert(completions.some(({ label }) => label === "camera"), JSON.stringify(completions));
  assert(registered.CompletionItem.more.includes("."));
  const help = await ask("SignatureHelp", "SignatureHelp", opened.at("(view", 1));
  assert(help.signatures[0].label.includes("half_of") && help.signatures[0].parameters.length === 1);
  assert.strictEqual(help.activeParameter, 0);
  assert.strictEqual(await ask("TypeDefinition", "TypeDefinition", use), undefined);
  const folds = await ask("FoldingRange", "FoldingRanges");
  assert(folds.some(({ start, end }) => start === opened.at("void fragment").line && end > start), JSON.stringify(folds));
  const [lens] = await ask("CodeLens", "CodeLenses");
  assert.match(lens.command.title, /^1 variant, 1 of this stage: \d+ bytes, \d+ instructions$/);
  const [called] = await registered.CallHierarchy.provider.prepareCallHierarchy(opened, use);
  assert.strictEqual(called.name, "half_of");
  const [incoming] = await registered.CallHierarchy.provider.provideCallHierarchyIncomingCalls(called);
  assert.deepStrictEqual([incoming.from.name, incoming.fromRanges.length], ["fragment_main", 1]);
  const [outgoing] = await registered.CallHierarchy.provider.provideCallHierarchyOutgoingCalls(incoming.from);
  assert.strictEqual(outgoing.to.name, "half_of");
  const everywhere = await registered.WorkspaceSymbol.provider.provideWorkspaceSymbols("half");
  assert.deepStrictEqual(everywhere.map(({ name, kind }) => [name, kind]), [["half_of", 11]]);
  const all = new Range(new Position(0, 0), new Position(99, 0));
  assert(Array.isArray(await ask("DocumentRangeFormattingEdit", "DocumentRangeFormattingEdits", all, {})));
  const formatted = await ask("DocumentFormattingEdit", "DocumentFormattingEdits", { tabSize: 4, insertSpaces: true });
  assert(formatted.length === 0 || formatted[0].newText.includes("half_of"));
  const tokens = await ask("DocumentSemanticTokens", "DocumentSemanticTokens");
  assert(tokens.data instanceof Uint32Array && tokens.data.length > 20 && tokens.data.length % 5 === 0);
  const [legend] = registered.DocumentSemanticTokens.more;
  assert(legend.tokenTypes.includes("function"));
  assert(!(await registered.Hover.provider.provideHover(text, new Position(0, 1))), "a document that the server does not know");

  // Settings start another server; one that cannot be started is reported.
  const before = collections.length;
  emitters.DidChangeConfiguration.fire({ affectsConfiguration: (section) => section === "slipway" });
  await until("another server", () => collections.length === before + 1 && codes(opened) === "");
  assert.strictEqual(disposed, Object.keys(registered).length);
  settings.path = path.join(directory, "missing");
  await commands["slipway.restart"]();
  assert(shown.length === 1 && shown[0].includes("missing") && shown[0].includes("slipway.path"), String(shown));
  settings.path = command[0];
  await commands["slipway.restart"]();
  await until("the server is back", () => codes(opened) === "");
  await deactivate();
  for (const emitter of Object.values(emitters)) assert(emitter.listeners.size <= 1, "only the listener of settings stays");
  console.log(`the extension was asked ${Object.keys(registered).length} things`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
