// Between what is on the wire and plain messages, for connection.cc alone.
#pragma once

#include <boost/beast/http.hpp>
#include <string>

#include "tilewright/http/message.h"

namespace tilewright::http {

// The status that answers what the parser refused; 0 when the peer just went away.
int status_of(boost::system::error_code found);
// What is wrong with a request that was not understood, by the status that answers it.
std::string words_of(int status);

using WireRequest = boost::beast::http::request<boost::beast::http::string_body>;
Request plain_request(WireRequest&& from);

// For a page of another origin that was let in: its browser asks first whether it may send what is
// not a plain form (a preflight), and shows the page no answer that does not name the page.
bool is_preflight(const Request& request);
std::string cors_headers(const Request& request);

// The status line and headers; `framing` says where the body ends, and more.
std::string head_text(const Response& response, const std::string& framing, bool keep);

}  // namespace tilewright::http
