// The API: which path is answered how. See docs/serve.md.
#pragma once

#include <functional>
#include <string>

#include "tilewright/http/routes.h"
#include "tilewright/serve/api_keys.h"
#include "tilewright/serve/desk.h"
#include "tilewright/serve/request_log.h"
#include "tilewright/serve/served_model.h"
#include "tilewright/serve/structure.h"
#include "tilewright/serve/worker.h"

namespace tilewright::serve {

class Service {
 public:
  struct Options {
    std::vector<std::string> keys = {};
    std::function<std::size_t()> connections = {};  // that are open
  };
  Service(const ServedModel& model, Worker& worker, Metrics& metrics, const RequestLog& log,
          Options options);

  // For an http::Server, which must end before this does.
  http::Handler handler();

 private:
  using Answer = std::function<http::Response(const http::Request&)>;
  // What an endpoint does with a body, at the desk; it throws Refused or UserError.
  using Work = std::function<void(const http::Request&, const http::Reply&, RequestRecord&)>;

  void get(const std::string& path, Answer answer);
  void post(const std::string& path, const char* id_prefix, Work work);
  bool admitted(const http::Request& request, const http::Reply& reply) const;
  void refuse(const http::Reply& reply, RequestRecord& record, const ApiError& error) const;
  void add_routes();

  void chat(const http::Request& request, const http::Reply& reply, RequestRecord& record);
  void complete(const http::Request& request, const http::Reply& reply, RequestRecord& record);
  void embed(const http::Request& request, const http::Reply& reply, RequestRecord& record);
  void tokenize(const http::Request& request, const http::Reply& reply, RequestRecord& record);
  void detokenize(const http::Request& request, const http::Reply& reply, RequestRecord& record);
  http::Response metrics_text() const;

  const ServedModel& model_;
  Worker& worker_;
  Metrics& metrics_;
  Options options_;
  ApiKeys keys_;
  const RequestLog& log_;
  http::Routes routes_;
  Structures structures_;  // the desk's
  Desk desk_;
};

}  // namespace tilewright::serve
