// One line for every request that was answered. Never its text.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "tilewright/runtime/machine.h"
#include "tilewright/serve/metrics.h"

namespace tilewright::serve {

struct RequestRecord {
  std::string id, method, path;
  double began = runtime::now_seconds();
  int status = 0;  // while it is not answered
  // Of one that generates.
  std::string_view outcome = {};
  int64_t prompt_tokens = 0, generated_tokens = 0;
  double queue_seconds = 0, first_token_seconds = 0;
};

class RequestLog {
 public:
  using Write = std::function<void(const std::string& line)>;  // from any thread
  RequestLog(Write write, Metrics& metrics) : write_(std::move(write)), metrics_(metrics) {}

  // Counts the request and writes its line.
  void answered(const RequestRecord& record) const;

 private:
  Write write_;
  mutable std::mutex mutex_;
  Metrics& metrics_;
};

}  // namespace tilewright::serve
