// A loaded model behind the API: the worker, the service and the HTTP server, begun and ended in
// the right order.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tilewright/http/server.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/serve/metrics.h"
#include "tilewright/serve/request_log.h"
#include "tilewright/serve/service.h"
#include "tilewright/serve/worker.h"

namespace tilewright::serve {

class ApiServer {
 public:
  struct Options {
    http::Settings http = {};
    Worker::Options worker = {};
    std::vector<std::string> keys = {};
    RequestLog::Write log = {};
  };
  // Listens when it returns. `model` and `engine` must outlive it. Throws UserError.
  ApiServer(const ServedModel& model, runtime::Engine& engine, Options options);

  uint16_t port() const { return server_.port(); }
  // Refuses what comes, and waits for what runs: whether all of it ended in time.
  bool drain(std::chrono::milliseconds most);

 private:
  // Ended from last to first: no request comes after the service, no answer after the log.
  Metrics metrics_;
  RequestLog log_;
  Worker worker_;
  Service service_;
  http::Server server_;
};

}  // namespace tilewright::serve
