// `calibrate` as JSON. docs/json.md lists the keys; they are stable.
#include <nlohmann/json.hpp>

#include "tilewright/base/json_text.h"
#include "tilewright/published/left_out.h"

namespace tilewright::published {
namespace {

using Object = nlohmann::ordered_json;

Object rows_json(const std::vector<CalibrationRow>& rows, const LeftOut& left_out) {
  Object list = Object::array();
  auto other = left_out.rows.begin();  // has the rows that are not counts, in the same order
  for (const CalibrationRow& r : rows) {
    const LeftOutRow* without = r.scored() ? &*other++ : nullptr;
    list.push_back({{"row", r.row},
                    {"thread", r.thread},
                    {"what", r.what},
                    {"quantity", r.quantity},
                    {"predicted", r.predicted},
                    {"measured", r.measured},
                    {"ratio", r.predicted / r.measured},
                    {"limit", r.limit},
                    {"passed", r.near},
                    {"known_gap", r.known_gap},
                    {"predicted_without_thread",
                     without ? Object(without->row.predicted) : Object()},
                    {"decides", without && !without->decides.empty() ? Object(without->decides)
                                                                     : Object()}});
  }
  return list;
}

Object pairs_json(const LeftOut& left_out) {
  Object list = Object::array();
  for (const LeftOutPair& p : left_out.pairs)
    list.push_back({{"before", p.before},
                    {"after", p.what},
                    {"quantity", p.quantity},
                    {"predicted_without_thread", p.predicted},
                    {"measured", p.measured}});
  return list;
}

Object numbers_json(const Sensitivities& s) {
  Object list = Object::array();
  const auto decided = decided_by(s);
  for (std::size_t i = 0; i < decided.size(); ++i) {
    Object rows = Object::array();
    for (const auto& [row, share] : decided[i].rows)
      rows.push_back({{"row", row}, {"share", share}});
    list.push_back({{"number", decided[i].path},
                    {"value", s.numbers[i].value},
                    {"decided_by", rows}});
  }
  return list;
}

}  // namespace

std::string to_json(const Sensitivities& s, const LeftOut& l) {
  Object j;
  j["rows"] = rows_json(s.rows, l);
  j["improvements"] = pairs_json(l);
  j["fitted"] = numbers_json(s);
  j["left_out"] = {{"scored", l.scored},
                   {"median_error", l.median},
                   {"worst_error", l.worst},
                   {"median_error_of_improvements", l.median_of_pairs},
                   {"program_spread", l.program_spread},
                   {"kernel_spread", l.kernel_spread},
                   {"ratio_spread", l.ratio_spread},
                   {"inside_intervals", l.inside}};
  j["passed"] = passed(s.rows);
  return json_text(j);
}

}  // namespace tilewright::published
