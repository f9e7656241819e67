// What an edit costs in an editor: from the change to the published diagnostics, as a share of the
// 200 ms that feel immediate; and then to the lenses with predicted times.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench.h"
#include "tilewright/lsp/server.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/results/named_constants.h"
#include "tilewright/session/request.h"

namespace tilewright::bench {
namespace {

using Json = nlohmann::json;
constexpr double kBudgetMs = 200;
constexpr int kEdits = 21;

// A client that counts time.
class Typist {
 public:
  explicit Typist(const catalog::Catalog& catalog)
      : server_(catalog, "bench", [this](const std::string& m) { hear(m); }) {
    send({{"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", Json::object()}});
  }

  // Milliseconds until the diagnostics of the version are there.
  double open(const std::string& text) {
    return timed([&] {
      version_ = 1;
      notify("textDocument/didOpen",
             {{"textDocument",
               {{"uri", kUri}, {"languageId", "python"}, {"version", 1}, {"text", text}}}});
    });
  }
  // A letter of a comment in front of the program, as somebody types it.
  double type(int64_t column) {
    return timed([&] {
      const Json at{{"line", 0}, {"character", column}};
      notify("textDocument/didChange",
             {{"textDocument", {{"uri", kUri}, {"version", ++version_}}},
              {"contentChanges", {{{"range", {{"start", at}, {"end", at}}}, {"text", "x"}}}}});
    });
  }
  double lenses() {
    const auto start = Clock::now();
    ++requests_;
    send({{"jsonrpc", "2.0"},
          {"id", requests_},
          {"method", "textDocument/codeLens"},
          {"params", {{"textDocument", {{"uri", kUri}}}}}});
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_ == requests_; });
    return ms_since(start);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr const char* kUri = "file:///bench/layer.py";

  static double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  void send(const Json& message) { server_.receive(message.dump()); }
  void notify(const std::string& method, const Json& params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  template <class F>
  double timed(F&& edit) {
    const auto start = Clock::now();
    edit();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return published_ == version_; });
    return ms_since(start);
  }
  void hear(const std::string& text) {
    const Json m = Json::parse(text);
    const std::lock_guard lock(mutex_);
    if (m.value("method", "") == "textDocument/publishDiagnostics")
      published_ = m["params"].value("version", 0);
    else if (m.contains("id") && !m.contains("method"))
      answered_ = m["id"].get<int>();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int version_ = 0, published_ = 0, requests_ = 0, answered_ = 0;
  lsp::Server server_;  // last: its threads use the rest
};

void print_latency(const catalog::Catalog& catalog, const std::string& name) {
  const catalog::ProgramDef& def = catalog.find(name);
  const std::string text =
      results::text_with_constants(def, session::configure(def, session::request_for("a2a3sim")));
  Typist typist(catalog);
  const double opened = typist.open(text + "\n");
  std::vector<double> ms;
  const auto column = static_cast<int64_t>(text.find('\n'));
  for (int i = 0; i < kEdits; ++i) {
    ms.push_back(typist.type(column));
    typist.lenses();  // somebody who types waits longer than the prediction takes
  }
  const double lens = typist.lenses();
  std::ranges::sort(ms);
  fmt::print("{:<20}{:>8}{:>10.1f}{:>10.1f}{:>10.1f}{:>12.2f}{:>10.1f}\n", name,
             std::ranges::count(text, '\n'), opened, ms[kEdits / 2], ms.back(),
             ms[kEdits / 2] / kBudgetMs, lens);
}

}  // namespace

void bench_lsp(const Setting&) {
  catalog::Catalog catalog;
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs()) catalog.add(std::move(def));
  fmt::print("edits in an editor, of {} the median and the worst; the budget is {:.0f} ms\n",
             kEdits, kBudgetMs);
  fmt::print("{:<20}{:>8}{:>10}{:>10}{:>10}{:>12}{:>10}\n", "file", "lines", "open ms", "edit ms",
             "worst ms", "of budget", "lens ms");
  for (const char* name : {"qwen3/decode", "qwen3/decode-best", "qwen3/scope3"})
    print_latency(catalog, name);
}

}  // namespace tilewright::bench
