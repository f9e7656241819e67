#include "tilewright/session/device_reads.h"

#include <algorithm>

namespace tilewright::session {

void require_known_tasks(const Diagnostics& unrolled) {
  const auto read = std::ranges::find(unrolled.list(), "device-read", &Diagnostic::code);
  if (read == unrolled.list().end()) return;
  user_error(read->code, read->what, read->where,
             "the tasks that are executed here are known before they run",
             "check the program, or predict its time with sim");
}

}  // namespace tilewright::session
