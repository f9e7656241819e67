// A client of a server in this process: sends messages, waits for answers and notifications.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tilewright/lsp/server.h"

namespace tilewright::lsp_test {

using Json = nlohmann::json;

inline const std::string kUri = "file:///w/small.py";

class Conversation {
 public:
  Conversation() : server_(catalog_, "test", [this](const std::string& m) { hear(m); }) {}

  void send(const Json& message) { server_.receive(message.dump()); }
  void send_text(const std::string& message) { server_.receive(message); }
  void notify(const std::string& method, const Json& params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  int begin(const std::string& method, const Json& params) {
    send({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", params}});
    return last_id_;
  }
  // The whole answer to a request.
  Json answer(const Json& id) {
    return wait(
        [&](const Json& m) { return m.contains("id") && m["id"] == id && !m.contains("method"); });
  }
  Json request(const std::string& method, const Json& params) {
    const Json a = answer(begin(method, params));
    if (a.contains("error")) throw std::runtime_error(a["error"].dump());
    return a["result"];
  }
  int error_of(const std::string& method, const Json& params) {
    return answer(begin(method, params)).value("/error/code"_json_pointer, 0);
  }

  Json initialize(const Json& options = nullptr, const Json& capabilities = Json::object()) {
    const Json result = request("initialize", {{"processId", nullptr},
                                               {"rootUri", nullptr},
                                               {"capabilities", capabilities},
                                               {"initializationOptions", options}});
    notify("initialized", Json::object());
    return result;
  }
  void open(const std::string& uri, const std::string& text, int version = 1) {
    notify("textDocument/didOpen",
           {{"textDocument",
             {{"uri", uri}, {"languageId", "python"}, {"version", version}, {"text", text}}}});
  }
  void change(const std::string& uri, const std::string& text, int version) {
    notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", version}}},
                                      {"contentChanges", {{{"text", text}}}}});
  }
  void close(const std::string& uri) {
    notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  }
  // The diagnostics of a version of a document; of any when it is 0.
  Json diagnostics(const std::string& uri, int version = 0) {
    return wait([&](const Json& m) {
      return m.value("method", "") == "textDocument/publishDiagnostics" &&
             m["params"]["uri"] == uri &&
             (version == 0 || m["params"].value("version", 0) == version);
    })["params"]["diagnostics"];
  }
  Json notification(const std::string& method) {
    return wait([&](const Json& m) { return m.value("method", "") == method; });
  }
  // Whether something of the kind is there already.
  bool heard(const std::string& method) {
    const std::lock_guard lock(mutex_);
    for (const Json& m : heard_)
      if (m.value("method", "") == method) return true;
    return false;
  }
  std::optional<int> exit_code() const { return server_.exit_code(); }

 private:
  void hear(const std::string& message) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(Json::parse(message));
    changed_.notify_all();
  }
  template <class F>
  Json wait(F&& fits) {
    std::unique_lock lock(mutex_);
    Json found;
    const bool there = changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      for (auto it = heard_.begin(); it != heard_.end(); ++it)
        if (fits(*it)) {
          found = *it;
          heard_.erase(it);
          return true;
        }
      return false;
    });
    if (!there) throw std::runtime_error("the server does not answer");
    return found;
  }

  const catalog::Catalog catalog_ = {};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Json> heard_;
  int last_id_ = 0;
  lsp::Server server_;  // last: its threads use the rest
};

// Doubles 64 rows, 16 to a task.
inline std::string small_program() {
  return R"(import pypto.language as pl

ROWS = 16


@pl.program
class Small:
    @pl.function(type=pl.FunctionType.Opaque)
    def small(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
        for rb in pl.parallel(64 // ROWS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="double"):
                rows = pl.slice(x, [ROWS, 128], [rb * ROWS, 0])
                twice = pl.mul(rows, 2.0)
                y = pl.assemble(y, twice, [rb * ROWS, 0])
        return y
)";
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The position of the n-th occurrence of a word, as the protocol counts (the texts are ASCII).
inline Json position_of(const std::string& text, const std::string& word, int nth = 0) {
  std::size_t at = text.find(word);
  for (int i = 0; i < nth; ++i) at = text.find(word, at + 1);
  EXPECT_NE(at, std::string::npos) << word;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t begin = text.rfind('\n', at);
  return {{"line", line}, {"character", at - (begin == std::string::npos ? 0 : begin + 1)}};
}

}  // namespace tilewright::lsp_test
