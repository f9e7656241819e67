#include "tilewright/session/result.h"

namespace tilewright::session {

std::string_view status_name(Status s) {
  switch (s) {
    case Status::Pass: return "PASS";
    case Status::Fail: return "FAIL";
    case Status::Skipped: return "SKIPPED";
  }
  return "";
}

}  // namespace tilewright::session
