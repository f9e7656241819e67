// A session as VS Code has it: every kind of message, with the types of the protocol's own client.
"use strict";
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "tilewright lsp "));
const sizes = "ROWS = 16\n";
const program = `import pypto.language as pl
from sizes import ROWS


# A clef, \u{1D11E}, is two units of UTF-16.
@pl.program
class Small:
    @pl.function(type=pl.FunctionType.Opaque)
    def small(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
        for rb in pl.parallel(64 // ROWS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="double"):
                rows = pl.slice(x, [ROWS, 128], [rb * ROWS, 0])
                twice = pl.mul(rows, 2.0)
                y = pl.assemble(y, twice, [rb * ROWS, 0])
        return y
`;

function at(text, word, shift = 0) {
  const offset = text.indexOf(word);
  assert.ok(offset >= 0, word);
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1).length + shift };
}

async function main() {
  const server = spawn(process.argv[2], ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => server.on("exit", done));
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  const published = [];
  let wake = () => {};
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (p) => {
    published.push(p);
    wake();
  });
  let refreshed = 0;
  connection.onRequest(lsp.CodeLensRefreshRequest.type, () => { refreshed++; });
  connection.onRequest(lsp.InlayHintRefreshRequest.type, () => {});
  connection.listen();
  const diagnostics = async (uri, version) => {
    for (;;) {
      const i = published.findIndex((p) => p.uri === uri && (version === undefined || p.version === version));
      if (i >= 0) return published.splice(i, 1)[0].diagnostics;
      await new Promise((done) => { wake = done; });
    }
  };

  await assert.rejects(connection.sendRequest(lsp.HoverRequest.type, {}), { code: -32002 });
  const initialized = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(directory).href,
    workspaceFolders: null,
    initializationOptions: { platform: "a2a3sim", adviceSeconds: 10 },
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: {
        codeLens: { refreshSupport: true },
        inlayHint: { refreshSupport: true },
        workspaceEdit: { documentChanges: true, resourceOperations: ["create"] },
      },
      textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
    },
  });
  assert.equal(initialized.capabilities.positionEncoding, "utf-16");
  await connection.sendNotification(lsp.InitializedNotification.type, {});

  // A good program, with a module from the disk.
  fs.writeFileSync(path.join(directory, "sizes.py"), sizes);
  const uri = pathToFileURL(path.join(directory, "small layer.py")).href;
  const textDocument = { uri };
  let version = 1;
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version, text: program },
  });
  assert.deepEqual(await diagnostics(uri, 1), []);

  // Incremental edits: a mistake, then what was there before.
  const from = at(program, "twice, [rb");
  const edit = async (range, text) => connection.sendNotification(
    lsp.DidChangeTextDocumentNotification.type,
    { textDocument: { uri, version: ++version }, contentChanges: [{ range, text }] });
  await edit({ start: from, end: { ...from, character: from.character + 5 } }, "twise");
  const told = await diagnostics(uri, 2);
  assert.equal(told.length, 1);
  assert.equal(told[0].code, "name");
  assert.deepEqual(told[0].range.start, from);
  const fixes = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument, range: told[0].range, context: { diagnostics: told, only: ["quickfix"] },
  });
  const fix = fixes[0].edit.documentChanges[0];
  assert.equal(fix.textDocument.version, 2);
  await edit(fix.edits[0].range, fix.edits[0].newText);
  assert.deepEqual(await diagnostics(uri, 3), []);

  // An edit behind an astral character on the same line.
  const clef = at(program, "is two units");
  await edit({ start: clef, end: { ...clef, character: clef.character + 2 } }, "has");
  assert.deepEqual(await diagnostics(uri, 4), []);
  const now = program.replace("is two units", "has two units");

  const hover = await connection.sendRequest(lsp.HoverRequest.type,
    { textDocument, position: at(now, "twice = ") });
  assert.match(hover.contents.value, /\[16 x 128\] f32.*8 KiB/s);
  assert.deepEqual(hover.range.start, at(now, "twice = "));
  const hints = await connection.sendRequest(lsp.InlayHintRequest.type,
    { textDocument, range: { start: { line: 0, character: 0 }, end: { line: 50, character: 0 } } });
  assert.deepEqual(hints.map((h) => h.label), [": [16 x 128] f32 Vec", ": [16 x 128] f32 Vec"]);
  const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
  assert.match(lenses[0].command.title, /^predicted [0-9.]+ us on a2a3sim, 4 tasks/);
  assert.match(lenses[1].command.title, /us x 4 tasks/);

  const definition = await connection.sendRequest(lsp.DefinitionRequest.type,
    { textDocument, position: at(now, "ROWS, 128") });
  assert.equal(definition.uri, pathToFileURL(path.join(directory, "sizes.py")).href);
  const references = await connection.sendRequest(lsp.ReferencesRequest.type,
    { textDocument, position: at(now, "ROWS, 128"), context: { includeDeclaration: true } });
  assert.equal(references.length, 6);
  const symbols = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument });
  assert.equal(symbols[0].children[0].children[0].name, "double");
  const items = await connection.sendRequest(lsp.CompletionRequest.type,
    { textDocument, position: at(now, "pl.mul", 3) });
  assert.ok(items.some((i) => i.label === "matmul" && i.detail.startsWith("pl.matmul(a, b")));
  const help = await connection.sendRequest(lsp.SignatureHelpRequest.type,
    { textDocument, position: at(now, "2.0)") });
  assert.equal(help.signatures[0].label, "pl.mul(a, b)");
  assert.equal(help.activeParameter, 1);

  // An unsaved module is what its importers see.
  const module = pathToFileURL(path.join(directory, "sizes.py")).href;
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: module, languageId: "python", version: 1, text: "ROWS = 24\n" },
  });
  let after;
  do after = await diagnostics(uri, 4); while (after.length === 0);
  assert.equal(after[0].code, "out-partial");
  await connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri: module } });
  do after = await diagnostics(uri, 4); while (after.length !== 0);

  // Advice in the author's text; a request that is not offered; one that is cancelled.
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    context: { diagnostics: [], triggerKind: 1 },
  });
  assert.ok(Array.isArray(actions));
  await assert.rejects(connection.sendRequest("textDocument/rename", { textDocument }), { code: -32601 });
  const source = new lsp.CancellationTokenSource();
  const lens = connection.sendRequest(lsp.CodeLensRequest.type, { textDocument }, source.token);
  source.cancel();
  await lens.catch((e) => assert.equal(e.code, -32800));

  await connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument });
  assert.deepEqual(await diagnostics(uri), []);
  assert.ok(refreshed > 0);
  assert.equal(await connection.sendRequest(lsp.ShutdownRequest.type), null);
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.equal(await ended, 0);
  connection.dispose();
}

main().then(
  () => { console.log("PASS"); fs.rmSync(directory, { recursive: true }); process.exit(0); },
  (e) => { console.error(e); process.exit(1); });
