// Where messages of all threads become one stream, and where it is remembered which documents have
// diagnostics, and from whom: a module's mistakes are found by those who import it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tilewright/lsp/rpc.h"

namespace tilewright::lsp {

class Outbox {
 public:
  explicit Outbox(std::function<void(const std::string&)> send) : send_(std::move(send)) {}

  void send(const Value& message);
  // A request of the server, whose answer nobody waits for.
  void ask(const std::string& method);
  void show_error(const std::string& text);

  // What the analysis of document `root` found, by URI; replaces what it found before. Nothing is
  // said when the document is not open any more.
  void publish(const std::string& root, const std::map<std::string, std::vector<Value>>& found,
               const std::map<std::string, int64_t>& versions,
               const std::function<bool()>& is_open);
  // The document was closed: its findings are gone everywhere.
  void clear(const std::string& root);

 private:
  void publish_one(const std::string& uri, const std::map<std::string, int64_t>& versions);

  std::mutex send_mutex_;
  std::function<void(const std::string&)> send_;
  int64_t last_id_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::vector<Value>>> found_;  // by root, by URI
};

}  // namespace tilewright::lsp
