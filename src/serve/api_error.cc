#include "tilewright/serve/api_error.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/serve/wire_text.h"

namespace tilewright::serve {
namespace {

// The types that clients know.
const char* type_of(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 429: return "rate_limit_error";
    default: return status < 500 ? "invalid_request_error" : "server_error";
  }
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

void refuse(std::string param, std::string message, std::string code) {
  throw Refused({400, std::move(message), std::move(param), std::move(code)});
}

ApiError api_error(const Diagnostic& d, const std::string& param) {
  std::string message = d.what;
  for (const std::string* part : {&d.where, &d.law, &d.help})
    if (!part->empty()) message += "; " + *part;
  return {400, message, param, d.code == "context" ? "context_length_exceeded" : d.code};
}

nlohmann::ordered_json error_json(const ApiError& e) {
  return {{"error",
           {{"message", e.message},
            {"type", type_of(e.status)},
            {"param", text_or_null(e.param)},
            {"code", text_or_null(e.code)}}}};
}

http::Response error_response(const ApiError& e) {
  http::Response r = json_response(error_json(e));
  r.status = e.status;
  if (e.status == 401) r.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (e.status == 503) r.headers.emplace_back("Retry-After", "1");
  return r;
}

http::Response http_error(int status, const std::string& words) {
  return error_response({status, words});
}

}  // namespace tilewright::serve
