// What is served where: handlers by path and method. Other paths are 404, other methods 405.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "tilewright/http/server.h"

namespace tilewright::http {

class Routes {
 public:
  explicit Routes(ErrorForm error = http::error) : error_(std::move(error)) {}

  // An answer that is at hand.
  void get(const std::string& path, std::function<Response(const Request&)> answer);
  // One that is given later or piece by piece.
  void add(const std::string& method, const std::string& path, Handler handler);

  void operator()(const Request& request, const Reply& reply) const;

 private:
  ErrorForm error_;
  std::map<std::string, std::map<std::string, Handler>> handlers_;  // by path, then by method
};

}  // namespace tilewright::http
