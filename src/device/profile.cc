#include "tilewright/device/profile.h"

#include <fmt/format.h>

namespace tilewright::device {

std::string task_text(TaskNumber t) {
  return ring_of(t) == 0 ? fmt::format("{}", t)
                         : fmt::format("{} of ring {}", count_of(t), ring_of(t));
}

const char* edge_source_name(EdgeSource s) {
  switch (s) {
    case EdgeSource::Creator: return "creator";
    case EdgeSource::TensorMap: return "tensormap";
    case EdgeSource::Explicit: return "explicit";
  }
  return "";
}

}  // namespace tilewright::device
