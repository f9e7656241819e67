// The requests of the protocol about a document, one function each. They look and change nothing;
// RpcError for parameters that cannot be understood.
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
// Quick fixes of the diagnostics in the request, and what advice is already known.
Value code_actions(const View& view, const Value& params);

// How far the document must have been looked at before a request is answered.
enum class Need : uint8_t { Nothing, Checked, Predicted, Advice };

struct Feature {
  std::string_view method;
  Need need;
  Value (*answer)(const View& view, const Value& params);
};
const Feature* find_feature(std::string_view method);  // null when it is not offered

// What `initialize` tells of all this.
Value server_capabilities(Encoding encoding);

}  // namespace tilewright::lsp
