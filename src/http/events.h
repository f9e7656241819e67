// Server-sent events: every listener receives each published event, and a new listener first
// receives the last one.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "tilewright/http/server.h"

namespace tilewright::http {

// One event as it is sent.
std::string event_text(const std::string& name, const std::string& data);

class Events {
 public:
  void listen(const Reply& reply);
  // From any thread.
  void publish(const std::string& name, const std::string& data);

 private:
  std::mutex mutex_;
  std::vector<Stream> listeners_;
  std::string last_;
};

}  // namespace tilewright::http
