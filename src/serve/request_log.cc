#include "tilewright/serve/request_log.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace tilewright::serve {
namespace {

std::string time_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     ms.count() % 1000);
}

}  // namespace

void RequestLog::answered(const RequestRecord& r) const {
  const double seconds = runtime::now_seconds() - r.began;
  metrics_.answered(r.path, r.status, seconds);
  if (!write_) return;
  std::string line = fmt::format("{} {} {} {} {}", time_text(), r.id, r.method, r.path, r.status);
  if (!r.outcome.empty())
    line +=
        fmt::format(" {} prompt={} generated={} queue={:.3f}s first={:.3f}s", r.outcome,
                    r.prompt_tokens, r.generated_tokens, r.queue_seconds, r.first_token_seconds);
  line += fmt::format(" total={:.3f}s\n", seconds);
  const std::lock_guard lock(mutex_);
  write_(line);
}

}  // namespace tilewright::serve
