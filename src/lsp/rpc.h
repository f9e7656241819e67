// JSON-RPC 2.0 messages: parsing them and making responses.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace tilewright::lsp {

using Value = nlohmann::json;

enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestFailed = -32803,
  RequestCancelled = -32800,
  ContentModified = -32801,
};

// Thrown by whoever cannot answer a request.
class RpcError : public std::runtime_error {
 public:
  RpcError(ErrorCode code, const std::string& message) : runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

struct Message {
  enum class Kind : uint8_t { Request, Notification, Response };
  Kind kind = Kind::Notification;
  Value id;  // of a request or response: a number or a string
  std::string method;
  Value params = Value::object();
};

// RpcError for text that is no JSON, or JSON that is no message.
Message parse_message(const std::string& text);

Value response(const Value& id, Value result);
Value error_response(const Value& id, ErrorCode code, const std::string& message);
Value notification(const std::string& method, Value params);
Value request(int64_t id, const std::string& method, Value params);
// The message as JSON in valid UTF-8; invalid bytes, which a program file may hold, are replaced.
std::string text_of(const Value& message);

// Members of params; RpcError (InvalidParams) when they are missing or of another kind.
const Value& member(const Value& object, const char* name);
std::string string_member(const Value& object, const char* name);
int64_t integer_member(const Value& object, const char* name);
// The same where they may be missing: null then.
const Value& optional_member(const Value& object, const char* name);

}  // namespace tilewright::lsp
