// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client of `slipway lsp`: passes documents to the server, and registers what the server offers with VS Code. It needs no
// package of npm.
const vscode = require("vscode");
const { Connection } = require("./connection");
const convert = require("./convert");

const list = (values, each) => (values ?? []).map(each);
const one = (value, convertOne) => (value ? convertOne(value) : undefined);

class Client {
  constructor(command, args, selector, options, log) {
    Object.assign(this, { command, args, selector, options, log, disposables: [], stopping: false });
  }

  async start() {
    this.diagnostics = vscode.languages.createDiagnosticCollection("slipway");
    this.disposables.push(this.diagnostics);
    this.connection = new Connection(this.command, this.args, {
      receive: (method, params) => this.receive(method, params),
      ended: (why) => this.ended(why),
      write: (text) => this.log.append(text),
    });
    const answer = await this.connection.request("initialize", {
      processId: process.pid,
      rootUri: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
      capabilities: { general: { positionEncodings: ["utf-16"] } }, // that of VS Code
      initializationOptions: this.options,
    });
    this.connection.notify("initialized", {});
    this.started = true;
    this.register(answer.capabilities);
    this.synchronize();
  }

  async stop() {
    this.stopping = true;
    for (const disposable of this.disposables.splice(0)) disposable.dispose();
    if (!this.connection || this.connection.closed) return;
    await this.connection.request("shutdown", null).catch(() => {}); // a server that has ended answers nothing
    this.connection.notify("exit", null);
    await this.connection.close();
  }

  ended(why) {
    for (const disposable of this.disposables.splice(0)) disposable.dispose();
    this.log.appendLine(why);
    if (this.stopping || !this.started) return;
    vscode.window.showErrorMessage(`Slipway: ${why}`, "Restart").then((answer) => {
      if (answer) vscode.commands.executeCommand("slipway.restart");
    });
  }

  receive(method, params) {
    if (method !== "textDocument/publishDiagnostics" || this.stopping) return;
    this.diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(convert.diagnostic));
  }

  // --- documents

  serves(document) {
    return vscode.languages.match(this.selector, document) > 0;
  }

  synchronize() {
    const { workspace } = vscode;
    const notify = (method, document, more) => {
      if (!this.serves(document)) return;
      this.connection.notify(`textDocument/${method}`, { textDocument: { uri: document.uri.toString(), version: document.version }, ...more });
    };
    const open = (document) => {
      if (!this.serves(document)) return;
      const { uri, languageId, version } = document;
      this.connection.notify("textDocument/didOpen", {
        textDocument: { uri: uri.toString(), languageId, version, text: document.getText() },
      });
    };
    workspace.textDocuments.forEach(open);
    const watcher = workspace.createFileSystemWatcher("**/{*.rpl,*.rplproject.json}");
    const watched = (type) => (uri) =>
      this.connection.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uri.toString(), type }] });
    this.disposables.push(
      workspace.onDidOpenTextDocument(open),
      workspace.onDidCloseTextDocument((document) => notify("didClose", document)),
      workspace.onDidSaveTextDocument((document) => notify("didSave", document)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return; // only its state has changed
        notify("didChange", document, { contentChanges: contentChanges.map(({ range, text }) => ({ range: convert.rangeTo(range), text })) });
      }),
      watcher,
      watcher.onDidCreate(watched(1)),
      watcher.onDidChange(watched(2)),
      watcher.onDidDelete(watched(3)),
    );
  }

  // --- what the server offers

  // The answer to a request about a document, or nothing.
  ask(method, document, more) {
    return this.request(`textDocument/${method}`, { textDocument: { uri: document.uri.toString() }, ...more });
  }

  async request(method, params) {
    try {
      return await this.connection.request(method, params);
    } catch (error) {
      if (!this.stopping) this.log.appendLine(`${method}: ${error.message}`);
      return null;
    }
  }

  register(offers) {
    const { languages } = vscode;
    const at = (position) => ({ position: convert.positionTo(position) });
    const add = (offer, name, provider, ...more) => {
      if (offer) this.disposables.push(languages[`register${name}`](this.selector, provider, ...more));
    };
    add(offers.hoverProvider, "HoverProvider", {
      provideHover: async (document, position) => one(await this.ask("hover", document, at(position)), convert.hover),
    });
    add(offers.definitionProvider, "DefinitionProvider", {
      provideDefinition: async (document, position) => one(await this.ask("definition", document, at(position)), convert.location),
    });
    add(offers.referencesProvider, "ReferenceProvider", {
      provideReferences: async (document, position, { includeDeclaration }) =>
        list(await this.ask("references", document, { ...at(position), context: { includeDeclaration } }), convert.location),
    });
    add(offers.documentHighlightProvider, "DocumentHighlightProvider", {
      provideDocumentHighlights: async (document, position) =>
        list(await this.ask("documentHighlight", document, at(position)), convert.highlight),
    });
    add(offers.documentSymbolProvider, "DocumentSymbolProvider", {
      provideDocumentSymbols: async (document) => list(await this.ask("documentSymbol", document), convert.symbol),
    });
    add(offers.typeDefinitionProvider, "TypeDefinitionProvider", {
      provideTypeDefinition: async (document, position) => one(await this.ask("typeDefinition", document, at(position)), convert.location),
    });
    add(offers.foldingRangeProvider, "FoldingRangeProvider", {
      provideFoldingRanges: async (document) => list(await this.ask("foldingRange", document), convert.foldingRange),
    });
    add(offers.codeLensProvider, "CodeLensProvider", {
      provideCodeLenses: async (document) => list(await this.ask("codeLens", document), convert.codeLens),
    });
    add(offers.callHierarchyProvider, "CallHierarchyProvider", {
      prepareCallHierarchy: async (document, position) =>
        list(await this.ask("prepareCallHierarchy", document, at(position)), convert.callHierarchyItem),
      provideCallHierarchyIncomingCalls: async (item) =>
        list(await this.request("callHierarchy/incomingCalls", { item: convert.callHierarchyItemTo(item) }), convert.incomingCall),
      provideCallHierarchyOutgoingCalls: async (item) =>
        list(await this.request("callHierarchy/outgoingCalls", { item: convert.callHierarchyItemTo(item) }), convert.outgoingCall),
    });
    if (offers.workspaceSymbolProvider) {
      this.disposables.push(languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: async (query) => list(await this.request("workspace/symbol", { query }), convert.workspaceSymbol),
      }));
    }
    add(offers.documentRangeFormattingProvider, "DocumentRangeFormattingEditProvider", {
      provideDocumentRangeFormattingEdits: async (document, range, options) =>
        list(await this.ask("rangeFormatting", document, { range: convert.rangeTo(range), options }), convert.textEdit),
    });
    add(offers.documentFormattingProvider, "DocumentFormattingEditProvider", {
      provideDocumentFormattingEdits: async (document, options) =>
        list(await this.ask("formatting", document, { options }), convert.textEdit),
    });
    add(offers.inlayHintProvider, "InlayHintsProvider", {
      provideInlayHints: async (document, range) =>
        list(await this.ask("inlayHint", document, { range: convert.rangeTo(range) }), convert.inlayHint),
    });
    add(offers.renameProvider, "RenameProvider", {
      // VS Code shows why a name cannot be changed.
      provideRenameEdits: async (document, position, newName) =>
        one(await this.connection.request("textDocument/rename", { textDocument: { uri: document.uri.toString() }, ...at(position), newName }),
          convert.workspaceEdit),
      prepareRename: async (document, position) => {
        const found = await this.ask("prepareRename", document, at(position));
        if (!found) throw new Error("no name that a program declares is here");
        return convert.range(found.range ?? found);
      },
    });
    add(offers.codeActionProvider, "CodeActionsProvider", {
      provideCodeActions: async (document, range) =>
        list(await this.ask("codeAction", document, { range: convert.rangeTo(range), context: { diagnostics: [] } }), convert.codeAction),
    }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] });
    add(offers.completionProvider, "CompletionItemProvider", {
      provideCompletionItems: async (document, position) => {
        const found = await this.ask("completion", document, at(position));
        return list(found?.items ?? found, convert.completion);
      },
    }, ...(offers.completionProvider?.triggerCharacters ?? []));
    add(offers.signatureHelpProvider, "SignatureHelpProvider", {
      provideSignatureHelp: async (document, position) =>
        one(await this.ask("signatureHelp", document, at(position)), convert.signatureHelp),
    }, ...(offers.signatureHelpProvider?.triggerCharacters ?? []));
    const tokens = offers.semanticTokensProvider;
    add(tokens, "DocumentSemanticTokensProvider", {
      provideDocumentSemanticTokens: async (document) =>
        one(await this.ask("semanticTokens/full", document), ({ data }) => new vscode.SemanticTokens(new Uint32Array(data))),
    }, tokens && new vscode.SemanticTokensLegend(tokens.legend.tokenTypes, tokens.legend.tokenModifiers));
  }
}

module.exports = { Client };
