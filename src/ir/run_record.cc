#include "tilewright/ir/run_record.h"

#include <algorithm>

namespace tilewright::ir {

int64_t RunRecord::first_dispatch() const {
  int64_t first = tasks.empty() ? 0 : INT64_MAX;
  for (const TaskRecord& t : tasks) first = std::min(first, t.dispatch);
  return first;
}

int64_t RunRecord::last_finish() const {
  int64_t last = 0;
  for (const TaskRecord& t : tasks) last = std::max(last, t.finish);
  return last;
}

}  // namespace tilewright::ir
