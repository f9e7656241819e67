// Monaco with the language server behind it: a mistake is typed, seen, and corrected by its quick fix.
"use strict";
const uri = "file:///w/small.py";
const program = `import pypto.language as pl

ROWS = 16


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

const waiting = new Map();
let lastId = 0, sending = Promise.resolve(), publish = () => {};
const post = (message) => {
  sending = sending.then(() => fetch("/lsp", { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...message }) }));
};
const notify = (method, params) => post({ method, params });
const request = (method, params) => new Promise((done, failed) => {
  waiting.set(++lastId, { done, failed });
  post({ id: lastId, method, params });
});
function hear(message) {
  if (message.method === "textDocument/publishDiagnostics") publish(message.params);
  const w = message.method ? undefined : waiting.get(message.id);
  if (!w) return;
  waiting.delete(message.id);
  message.error ? w.failed(new Error(message.error.message)) : w.done(message.result);
}

const range = (r) => new monaco.Range(r.start.line + 1, r.start.character + 1, r.end.line + 1, r.end.character + 1);
const position = (p) => ({ line: p.lineNumber - 1, character: p.column - 1 });
const textDocument = { uri };
function check(condition, what) {
  if (!condition) throw new Error(what);
}
async function until(condition, what) {
  for (let i = 0; i < 600; i++) {
    const found = condition();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`waited in vain for ${what}`);
}

function connect(model) {
  let version = 1;
  let told = [];
  publish = (p) => {
    told = p.diagnostics;
    monaco.editor.setModelMarkers(model, "tilewright", told.map((d) => {
      const r = range(d.range);
      return { severity: [0, 8, 4, 2, 1][d.severity], message: d.message, code: d.code,
        startLineNumber: r.startLineNumber, startColumn: r.startColumn, endLineNumber: r.endLineNumber, endColumn: r.endColumn };
    }));
  };
  notify("textDocument/didOpen", { textDocument: { uri, languageId: "python", version, text: model.getValue() } });
  model.onDidChangeContent((e) => notify("textDocument/didChange", {
    textDocument: { uri, version: ++version },
    contentChanges: e.changes.map((c) => ({
      range: { start: position({ lineNumber: c.range.startLineNumber, column: c.range.startColumn }),
        end: position({ lineNumber: c.range.endLineNumber, column: c.range.endColumn }) },
      text: c.text })),
  }));
  monaco.languages.registerHoverProvider("python", { provideHover: async (m, p) => {
    const h = await request("textDocument/hover", { textDocument, position: position(p) });
    return h && { range: range(h.range), contents: [{ value: h.contents.value }] };
  } });
  monaco.languages.registerCodeLensProvider("python", { provideCodeLenses: async () => ({
    lenses: (await request("textDocument/codeLens", { textDocument })).map((l) =>
      ({ range: range(l.range), command: { id: "", title: l.command.title } })), dispose() {} }) });
  monaco.languages.registerInlayHintsProvider("python", { provideInlayHints: async () => ({
    hints: (await request("textDocument/inlayHint", { textDocument,
      range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } } })).map((h) =>
      ({ label: h.label, position: { lineNumber: h.position.line + 1, column: h.position.character + 1 } })), dispose() {} }) });
  monaco.languages.registerCompletionItemProvider("python", { triggerCharacters: ["."], provideCompletionItems: async (m, p) => {
    const word = m.getWordUntilPosition(p);
    const r = new monaco.Range(p.lineNumber, word.startColumn, p.lineNumber, p.column);
    return { suggestions: (await request("textDocument/completion", { textDocument, position: position(p) })).map((i) =>
      ({ label: i.label, kind: 1, insertText: i.label, detail: i.detail, range: r })) };
  } });
  return () => told;
}

async function main() {
  const events = new EventSource("/events");
  events.onmessage = (e) => hear(JSON.parse(e.data));
  await new Promise((done) => { events.onopen = done; });
  await request("initialize", { capabilities: {}, processId: null, rootUri: null });
  notify("initialized", {});
  const model = monaco.editor.createModel(program, "python", monaco.Uri.parse(uri));
  const editor = monaco.editor.create(document.getElementById("editor"), { model, inlayHints: { enabled: "on" } });
  const told = connect(model);
  const shown = (selector, text) => () =>
    [...document.querySelectorAll(selector)].find((e) => e.textContent.replaceAll("\u00a0", " ").includes(text));
  await until(shown(".codelens-decoration", "4 tasks"), "a lens");
  await until(shown(".view-lines", "[16 x 128] f32 Vec"), "an inlay hint");

  // A mistake, typed letter by letter.
  const at = model.findMatches("twice, [rb", false, false, true, null, false)[0].range;
  editor.setSelection(new monaco.Range(at.startLineNumber, at.startColumn + 3, at.startLineNumber, at.startColumn + 4));
  for (const letter of "s") editor.trigger("test", "type", { text: letter });
  await until(() => monaco.editor.getModelMarkers({ resource: model.uri }).length === 1, "a marker");
  await until(() => document.querySelector(".squiggly-error"), "a squiggle");
  const marker = monaco.editor.getModelMarkers({ resource: model.uri })[0];
  check(marker.message.startsWith("unknown name twise"), marker.message);
  check(marker.startColumn === at.startColumn && marker.endColumn === at.startColumn + 5, "the marker's columns");
  const actions = await request("textDocument/codeAction",
    { textDocument, range: told()[0].range, context: { diagnostics: told(), only: ["quickfix"] } });
  editor.executeEdits("fix", actions[0].edit.changes[uri].map((e) => ({ range: range(e.range), text: e.newText })));
  check(model.getValue() === program, "the quick fix restores the program");
  await until(() => monaco.editor.getModelMarkers({ resource: model.uri }).length === 0, "no marker");

  // Hover and completion as the editor shows them.
  const mul = model.findMatches("pl.mul", false, false, true, null, false)[0].range;
  editor.setPosition({ lineNumber: mul.startLineNumber, column: mul.startColumn + 4 });
  editor.focus();
  editor.trigger("test", "editor.action.showHover", {});
  await until(shown(".monaco-hover", "pl.mul(a, b)"), "the hover");
  editor.setSelection(new monaco.Range(mul.startLineNumber, mul.startColumn + 3, mul.startLineNumber, mul.endColumn));
  editor.trigger("test", "type", { text: "m" });
  editor.trigger("test", "editor.action.triggerSuggest", {});
  await until(shown(".suggest-widget", "matmul"), "a suggestion");
}

require.config({ paths: { vs: "/vs" } });
require(["vs/editor/editor.main"], () => main().then(
  () => fetch("/done", { method: "POST", body: "PASS" }),
  (e) => fetch("/done", { method: "POST", body: `FAIL: ${e.stack ?? e}` })));
