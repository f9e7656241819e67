#include "tilewright/lsp/features.h"

namespace tilewright::lsp {

const Feature* find_feature(std::string_view method) {
  static const Feature kFeatures[] = {
      {"textDocument/hover", Need::Checked, hover},
      {"textDocument/inlayHint", Need::Checked, inlay_hints},
      {"textDocument/codeLens", Need::Predicted, code_lenses},
      {"textDocument/definition", Need::Checked, definition},
      {"textDocument/references", Need::Checked, references},
      {"textDocument/documentSymbol", Need::Checked, document_symbols},
      {"textDocument/completion", Need::Nothing, completion},
      {"textDocument/signatureHelp", Need::Nothing, signature_help},
      {"textDocument/codeAction", Need::Checked, code_actions},
  };
  for (const Feature& f : kFeatures)
    if (f.method == method) return &f;
  return nullptr;
}

Value server_capabilities(Encoding encoding) {
  return {
      {"positionEncoding", encoding_name(encoding)},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", false}}},
      {"hoverProvider", true},
      {"inlayHintProvider", true},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentSymbolProvider", true},
      {"completionProvider", {{"triggerCharacters", {"."}}}},
      {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
  };
}

}  // namespace tilewright::lsp
