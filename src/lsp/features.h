// The requests of the protocol about a document, one function each. They only read. They throw
// RpcError for malformed parameters.
#pragma once

#include "tilewright/lsp/view.h"

namespace tilewright::lsp {

Value hover(const View& view, const Value& params);
Value inlay_hints(const View& view, const Value& params);
Value code_lenses(const View& view, const Value& params);
Value definition(const View& view, const Value& params);
Value references(const View& view, const Value& params);
Value document_symbols(const View& view, const Value& params);
Value completion(const View& view, const Value& params);
Value signature_help(const View& view, const Value& params);
// Quick fixes for the diagnostics in the request.
Value code_actions(const View& view, const Value& params);

// What must be known of the newest version of a document before a request is answered.
enum class Need : uint8_t { Nothing, Checked, Predicted, Advice };

struct Feature {
  std::string_view method;
  Need need;
  Value (*answer)(const View& view, const Value& params);
};
const Feature* find_feature(std::string_view method);  // null when it is not offered

// The capabilities that `initialize` reports.
Value server_capabilities(Encoding encoding);

}  // namespace tilewright::lsp
