#include "tilewright/lsp/outbox.h"

#include <algorithm>
#include <set>

namespace tilewright::lsp {

void Outbox::send(const Value& message) {
  const std::string text = text_of(message);
  const std::lock_guard lock(send_mutex_);
  send_(text);
}

void Outbox::ask(const std::string& method) {
  int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_id_;
  }
  send(request(id, method, Value()));
}

void Outbox::show_error(const std::string& text) {
  send(notification("window/showMessage", {{"type", 1}, {"message", text}}));
}

void Outbox::publish_one(const std::string& uri, const std::map<std::string, int64_t>& versions) {
  Value all = Value::array();
  for (const auto& [root, by_uri] : found_) {
    const auto it = by_uri.find(uri);
    if (it == by_uri.end()) continue;
    for (const Value& d : it->second)
      if (std::ranges::find(all, d) == all.end()) all.push_back(d);
  }
  Value params{{"uri", uri}, {"diagnostics", std::move(all)}};
  if (const auto it = versions.find(uri); it != versions.end()) params["version"] = it->second;
  send(notification("textDocument/publishDiagnostics", std::move(params)));
}

void Outbox::publish(const std::string& root,
                     const std::map<std::string, std::vector<Value>>& found,
                     const std::map<std::string, int64_t>& versions,
                     const std::function<bool()>& is_open) {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return;
  std::set<std::string> touched;
  for (const auto& [uri, list] : found_[root]) touched.insert(uri);
  for (const auto& [uri, list] : found) touched.insert(uri);
  found_[root] = found;
  for (const std::string& uri : touched) publish_one(uri, versions);
}

void Outbox::clear(const std::string& root) {
  publish(root, {{root, {}}}, {}, [] { return true; });
  const std::lock_guard lock(mutex_);
  found_.erase(root);
}

}  // namespace tilewright::lsp
