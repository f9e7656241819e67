#include "tilewright/ir/run_record.h"

#include <algorithm>

namespace tilewright::ir {

std::string_view pipe_name(Pipe p) {
  switch (p) {
    case Pipe::Scalar: return "scalar";
    case Pipe::Mte2: return "MTE2";
    case Pipe::Mte1: return "MTE1";
    case Pipe::Cube: return "M";
    case Pipe::Fixpipe: return "FIXP";
    case Pipe::Vector: return "V";
    case Pipe::Mte3: return "MTE3";
  }
  return "";
}

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
