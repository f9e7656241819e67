// The page of a watched file, served to browsers of this machine: the page itself, its data, its
// advice, and events that say when either has changed.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "tilewright/http/events.h"
#include "tilewright/http/server.h"
#include "tilewright/report/page.h"

namespace tilewright::cli {

class WatchServer {
 public:
  explicit WatchServer(uint16_t port);

  uint16_t port() const { return server_->port(); }
  // A version of the file. `data` is null as long as none was without errors.
  void show(int version, std::shared_ptr<const report::Object> data, const report::Object& watch);
  // Advice on the version with that data; forgotten when another is shown meanwhile.
  void advise(const std::shared_ptr<const report::Object>& data, const report::Object& advice);

 private:
  report::Object page_data() const;  // with the lock held
  void tell(const char* event);      // the same

  mutable std::mutex mutex_;
  const std::string run_;  // tells this server from an earlier one at the same port
  int version_ = 0;
  std::shared_ptr<const report::Object> data_;
  std::unique_ptr<report::Object> watch_, advice_;
  http::Events events_;
  std::unique_ptr<http::Server> server_;  // last, so first to go: its thread asks for the rest
};

}  // namespace tilewright::cli
