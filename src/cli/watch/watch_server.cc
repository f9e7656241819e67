#include "tilewright/cli/watch/watch_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tilewright/base/json_text.h"
#include "tilewright/http/routes.h"

namespace tilewright::cli {
namespace {

constexpr const char* kJsonType = "application/json";

http::Response json_answer(const report::Object& j) {
  return {.type = kJsonType, .body = json_line(j)};
}

std::string name_of_run() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}-{}", ::getpid(),
                     std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

WatchServer::WatchServer(uint16_t port)
    : run_(name_of_run()),
      watch_(std::make_unique<report::Object>()),
      advice_(std::make_unique<report::Object>()) {
  http::Routes routes;
  const auto locked = [this](auto&& make) {
    return [this, make](const http::Request&) {
      const std::lock_guard lock(mutex_);
      return make();
    };
  };
  routes.get("/", locked([this] {
               return http::Response{.type = "text/html; charset=utf-8",
                                     .body = report::watch_page(page_data())};
             }));
  routes.get("/data", locked([this] { return json_answer(page_data()); }));
  routes.get("/advice", locked([this] {
               return json_answer({{"id", page_data().at("id")}, {"advice", *advice_}});
             }));
  routes.add("GET", "/events",
             [this](const http::Request&, const http::Reply& reply) { events_.listen(reply); });
  server_ = std::make_unique<http::Server>(http::Settings{.port = port}, routes);
}

report::Object WatchServer::page_data() const {
  report::Object j = data_ ? *data_ : report::Object::object();
  j["id"] = fmt::format("{}-{}", run_, version_);
  j["watch"] = *watch_;
  j["advice"] = *advice_;
  return j;
}

void WatchServer::tell(const char* event) {
  events_.publish(event, fmt::format("{}-{}", run_, version_));
}

void WatchServer::show(int version, std::shared_ptr<const report::Object> data,
                       const report::Object& watch) {
  const std::lock_guard lock(mutex_);
  // What stays on the page keeps its advice.
  if (data != data_) *advice_ = report::Object();
  version_ = version;
  data_ = std::move(data);
  *watch_ = watch;
  tell("version");
}

void WatchServer::advise(const std::shared_ptr<const report::Object>& data,
                         const report::Object& advice) {
  const std::lock_guard lock(mutex_);
  if (data != data_) return;
  *advice_ = advice;
  tell("advice");
}

}  // namespace tilewright::cli
