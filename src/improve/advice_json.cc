#include <nlohmann/json.hpp>

#include "tilewright/improve/advice.h"

namespace tilewright::improve {

std::string to_json(const Advice& a) {
  nlohmann::ordered_json j;
  j["program"] = a.prepared->program;
  j["shape"] = a.prepared->shape;
  j["platform"] = a.prepared->platform;
  j["total_test_time_us"] = a.profile->all.total_us;
  j["findings"] = nlohmann::ordered_json::array();
  for (const Finding& f : a.findings)
    j["findings"].push_back({{"code", f.code},
                             {"what", f.what},
                             {"where", f.where},
                             {"change", f.change},
                             {"now_us", f.now_us},
                             {"after_us", f.after_us},
                             {"estimated", f.estimated},
                             {"mechanical", f.rewritten != nullptr}});
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::improve
