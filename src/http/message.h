// Requests and answers of HTTP as plain data. Nothing here or in what handlers see is of Boost.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::http {

struct Request {
  std::string method;  // "GET"; a HEAD reaches handlers as GET, and its body is left out
  std::string path;    // "/page", as it was sent
  std::string query;   // what followed "?", as it was sent
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // The first header of that name, in any case; empty when there is none.
  std::string_view header(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// A short answer in words: error(404, "there is no page at /x").
Response error(int status, const std::string& words);

}  // namespace tilewright::http
