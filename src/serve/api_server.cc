#include "tilewright/serve/api_server.h"

#include <thread>

namespace tilewright::serve {
namespace {

http::Settings with_api_errors(http::Settings settings) {
  settings.error = http_error;
  return settings;
}

}  // namespace

ApiServer::ApiServer(const ServedModel& model, runtime::Engine& engine, Options options)
    : log_(std::move(options.log), metrics_),
      worker_(engine, metrics_, options.worker),
      service_(model, worker_, metrics_, log_,
               {.keys = std::move(options.keys),
                .connections = [this] { return server_.connections(); }}),
      server_(with_api_errors(std::move(options.http)), service_.handler()) {}

bool ApiServer::drain(std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds kLook{20};
  worker_.drain();
  const auto end = std::chrono::steady_clock::now() + most;
  while (!worker_.idle()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kLook);
  }
  // What was just written is on its way.
  std::this_thread::sleep_for(5 * kLook);
  return true;
}

}  // namespace tilewright::serve
