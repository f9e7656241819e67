#include "tilewright/http/routes.h"

#include "tilewright/base/text.h"

namespace tilewright::http {

void Routes::get(const std::string& path, std::function<Response(const Request&)> answer) {
  add("GET", path, [answer = std::move(answer)](const Request& request, const Reply& reply) {
    reply.send(answer(request));
  });
}

void Routes::add(const std::string& method, const std::string& path, Handler handler) {
  handlers_[path][method] = std::move(handler);
}

void Routes::operator()(const Request& request, const Reply& reply) const {
  const auto at = handlers_.find(request.path);
  if (at == handlers_.end()) return reply.send(error_(404, "there is no page at " + request.path));
  if (const auto handler = at->second.find(request.method); handler != at->second.end())
    return handler->second(request, reply);
  std::vector<std::string> methods;
  for (const auto& [method, unused] : at->second) {
    methods.push_back(method);
    if (method == "GET") methods.push_back("HEAD");
  }
  Response no = error_(405, request.path + " takes " + join(methods, ", "));
  no.headers.emplace_back("Allow", join(methods, ", "));
  reply.send(std::move(no));
}

}  // namespace tilewright::http
