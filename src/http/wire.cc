#include "tilewright/http/wire.h"

#include <fmt/format.h>

namespace tilewright::http {

namespace beast = boost::beast;
using boost::system::error_code;

namespace {

std::string word(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

int status_of(error_code found) {
  using beast::http::error;
  if (found == error::header_limit || found == error::buffer_overflow) return 431;
  if (found == error::body_limit) return 413;
  if (found == error::end_of_stream || found == error::partial_message) return 0;
  return found.category() == make_error_code(error::bad_method).category() ? 400 : 0;
}

std::string words_of(int status) {
  switch (status) {
    case 408: return "the request did not arrive in time";
    case 413: return "the body of the request is too large";
    case 431: return "the headers of the request are too large";
    case 503: return "too many large requests arrive at once";
    default: return "this is not an HTTP/1.1 request";
  }
}

Request plain_request(WireRequest&& from) {
  Request r;
  const std::string target = word(from.target());
  const std::size_t mark = target.find('?');
  r.method = word(from.method_string());
  r.path = target.substr(0, mark);
  if (mark != std::string::npos) r.query = target.substr(mark + 1);
  for (const auto& field : from)
    r.headers.emplace_back(word(field.name_string()), word(field.value()));
  r.body = std::move(from.body());
  return r;
}

bool is_preflight(const Request& request) {
  return request.method == "OPTIONS" && !request.header("access-control-request-method").empty();
}

std::string cors_headers(const Request& request) {
  std::string out =
      fmt::format("Access-Control-Allow-Origin: {}\r\nVary: Origin\r\n", request.header("origin"));
  if (!is_preflight(request)) return out;
  out += "Access-Control-Allow-Methods: GET, HEAD, POST\r\nAccess-Control-Max-Age: 600\r\n";
  if (const auto headers = request.header("access-control-request-headers"); !headers.empty())
    out += fmt::format("Access-Control-Allow-Headers: {}\r\n", headers);
  return out;
}

// The status line and headers. A page may use what it got from here, and pages of others may not.
std::string head_text(const Response& r, const std::string& framing, bool keep) {
  const auto reason = beast::http::obsolete_reason(static_cast<beast::http::status>(r.status));
  std::string out = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}Connection: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "X-Frame-Options: DENY\r\n",
      r.status, word(reason), r.type, framing, keep ? "keep-alive" : "close");
  for (const auto& [name, value] : r.headers) out += fmt::format("{}: {}\r\n", name, value);
  return out + "\r\n";
}

}  // namespace tilewright::http
