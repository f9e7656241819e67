#include "tilewright/lsp/rpc.h"

#include <fmt/format.h>

namespace tilewright::lsp {
namespace {

// Messages nested deeper than this are refused: copying such values would overflow the stack.
constexpr int kDeepest = 200;

bool is_id(const Value& id) { return id.is_number_integer() || id.is_string(); }

Value parse_bounded(const std::string& text) {
  int depth = 0, deepest = 0;
  const auto watch = [&](int, Value::parse_event_t event, Value&) {
    using Event = Value::parse_event_t;
    if (event == Event::object_start || event == Event::array_start)
      deepest = std::max(deepest, ++depth);
    if (event == Event::object_end || event == Event::array_end) --depth;
    return depth <= kDeepest;
  };
  Value message = Value::parse(text, watch, false);
  if (deepest > kDeepest)
    throw RpcError(ErrorCode::ParseError, fmt::format("JSON nested deeper than {}", kDeepest));
  if (message.is_discarded()) throw RpcError(ErrorCode::ParseError, "the message is no JSON");
  return message;
}

}  // namespace

Message parse_message(const std::string& text) {
  Value json = parse_bounded(text);
  if (!json.is_object() || json.value("jsonrpc", Value()) != "2.0")
    throw RpcError(ErrorCode::InvalidRequest, "not a JSON-RPC 2.0 message");
  Message out;
  const bool has_id = json.contains("id");
  if (has_id) out.id = json["id"];
  if (json.contains("params")) out.params = std::move(json["params"]);
  if (out.params.is_null()) out.params = Value::object();
  if (!json.contains("method")) {
    out.kind = Message::Kind::Response;
    return out;
  }
  if (!json["method"].is_string() || (has_id && !is_id(out.id)))
    throw RpcError(ErrorCode::InvalidRequest, "a method is a string, an id a number or a string");
  out.method = json["method"];
  out.kind = has_id ? Message::Kind::Request : Message::Kind::Notification;
  return out;
}

Value response(const Value& id, Value result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Value error_response(const Value& id, ErrorCode code, const std::string& message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

Value notification(const std::string& method, Value params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Value request(int64_t id, const std::string& method, Value params) {
  Value out = notification(method, std::move(params));
  out["id"] = id;
  if (out["params"].is_null()) out.erase("params");
  return out;
}

std::string text_of(const Value& message) {
  return message.dump(-1, ' ', false, Value::error_handler_t::replace);
}

const Value& optional_member(const Value& object, const char* name) {
  static const Value kNull;
  if (!object.is_object()) return kNull;
  const auto it = object.find(name);
  return it == object.end() ? kNull : *it;
}

const Value& member(const Value& object, const char* name) {
  const Value& v = optional_member(object, name);
  if (v.is_null())
    throw RpcError(ErrorCode::InvalidParams, fmt::format("the parameters lack {}", name));
  return v;
}

std::string string_member(const Value& object, const char* name) {
  const Value& v = member(object, name);
  if (!v.is_string())
    throw RpcError(ErrorCode::InvalidParams, fmt::format("{} is not a string", name));
  return v;
}

int64_t integer_member(const Value& object, const char* name) {
  const Value& v = member(object, name);
  if (!v.is_number_integer())
    throw RpcError(ErrorCode::InvalidParams, fmt::format("{} is not an integer", name));
  return v;
}

}  // namespace tilewright::lsp
