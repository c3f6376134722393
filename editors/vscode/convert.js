// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of the Language Server Protocol as those of VS Code. Its enumerations begin with 0, those of the protocol with 1.
const vscode = require("vscode");

// VS Code's positions and ranges become other JSON.
const positionTo = ({ line, character }) => ({ line, character });
const rangeTo = ({ start, end }) => ({ start: positionTo(start), end: positionTo(end) });

const position = (at) => new vscode.Position(at.line, at.character);
const range = (at) => new vscode.Range(position(at.start), position(at.end));
const location = (at) => new vscode.Location(vscode.Uri.parse(at.uri), range(at.range));
const textEdit = (edit) => vscode.TextEdit.replace(range(edit.range), edit.newText);
const markdown = (text) => (typeof text === "string" ? text : new vscode.MarkdownString(text.value));

function workspaceEdit(edit) {
  const made = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes)) made.set(vscode.Uri.parse(uri), edits.map(textEdit));
  return made;
}

function diagnostic(from) {
  const made = new vscode.Diagnostic(range(from.range), from.message, from.severity - 1);
  made.code = from.code;
  made.source = from.source;
  made.tags = from.tags;
  made.relatedInformation = from.relatedInformation?.map(
    (note) => new vscode.DiagnosticRelatedInformation(location(note.location), note.message),
  );
  return made;
}

function completion(from) {
  const made = new vscode.CompletionItem(from.label, from.kind - 1);
  made.detail = from.detail;
  made.sortText = from.sortText;
  return made;
}

function signatureHelp(from) {
  const made = new vscode.SignatureHelp();
  made.signatures = from.signatures.map((signature) => {
    const one = new vscode.SignatureInformation(signature.label);
    one.parameters = signature.parameters.map((parameter) => new vscode.ParameterInformation(parameter.label));
    return one;
  });
  made.activeSignature = from.activeSignature;
  made.activeParameter = from.activeParameter;
  return made;
}

function symbol(from) {
  const made = new vscode.DocumentSymbol(from.name, from.detail, from.kind - 1, range(from.range), range(from.selectionRange));
  made.children = (from.children ?? []).map(symbol);
  return made;
}

function inlayHint(from) {
  const made = new vscode.InlayHint(position(from.position), from.label);
  made.paddingLeft = from.paddingLeft;
  return made;
}

function codeAction(from) {
  const made = new vscode.CodeAction(from.title, vscode.CodeActionKind.QuickFix);
  made.isPreferred = from.isPreferred;
  made.diagnostics = from.diagnostics.map(diagnostic);
  made.edit = workspaceEdit(from.edit);
  return made;
}

function callHierarchyItem(from) {
  return new vscode.CallHierarchyItem(from.kind - 1, from.name, "", vscode.Uri.parse(from.uri), range(from.range), range(from.selectionRange));
}
const callHierarchyItemTo = ({ uri, selectionRange }) => ({ uri: uri.toString(), selectionRange: rangeTo(selectionRange) });
const incomingCall = (from) => new vscode.CallHierarchyIncomingCall(callHierarchyItem(from.from), from.fromRanges.map(range));
const outgoingCall = (from) => new vscode.CallHierarchyOutgoingCall(callHierarchyItem(from.to), from.fromRanges.map(range));

// Without a command of its own a lens is a text.
const codeLens = (from) => new vscode.CodeLens(range(from.range), from.command);
const foldingRange = (from) => new vscode.FoldingRange(from.startLine, from.endLine);
const workspaceSymbol = (from) => new vscode.SymbolInformation(from.name, from.kind - 1, from.containerName, location(from.location));
const hover = (from) => new vscode.Hover(markdown(from.contents), range(from.range));
const highlight = (from) => new vscode.DocumentHighlight(range(from.range));

module.exports = {
  callHierarchyItem, callHierarchyItemTo, codeAction, codeLens, completion, diagnostic, foldingRange, highlight, hover, incomingCall,
  inlayHint, location, outgoingCall, positionTo, range, rangeTo, signatureHelp, symbol, textEdit, workspaceEdit, workspaceSymbol,
};
