#include "tilewright/http/events.h"

#include "tilewright/base/text.h"

namespace tilewright::http {

std::string event_text(const std::string& name, const std::string& data) {
  std::string out = "event: " + name + "\n";
  for (const std::string& line : split(data, '\n')) out += "data: " + line + "\n";
  return out + "\n";
}

void Events::listen(const Reply& reply) {
  const std::lock_guard lock(mutex_);
  Stream stream = reply.stream({.type = "text/event-stream"});
  // A listener that lost us tries again after so many milliseconds.
  stream.write("retry: 500\n\n" + last_);
  listeners_.push_back(std::move(stream));
}

void Events::publish(const std::string& name, const std::string& data) {
  const std::lock_guard lock(mutex_);
  last_ = event_text(name, data);
  std::erase_if(listeners_, [](const Stream& s) { return !s.open(); });
  for (Stream& s : listeners_) s.write(last_);
}

}  // namespace tilewright::http
