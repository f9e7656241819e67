#include "tilewright/session/records.h"

namespace tilewright::session {

std::vector<device::TextFile> records(const TimedRun& run, device::RecordsForm form, int level) {
  Session& s = *run.session;
  return device::export_records({*s.plan(), *s.graph(), s.order(), *run.record, s.name()}, form,
                                level);
}

}  // namespace tilewright::session
