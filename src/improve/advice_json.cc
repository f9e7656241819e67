#include <nlohmann/json.hpp>

#include "tilewright/base/json_text.h"
#include "tilewright/improve/advice.h"

namespace tilewright::improve {

std::string to_json(const Advice& a) {
  nlohmann::ordered_json j;
  j["program"] = a.session->name();
  j["shape"] = a.session->shape();
  j["platform"] = a.session->request().platform_name;
  j["total_test_time_us"] = a.profile->all.total_us;
  j["findings"] = nlohmann::ordered_json::array();
  for (const Finding& f : a.findings)
    j["findings"].push_back({{"code", f.code},
                             {"what", f.what},
                             {"where", f.where.text()},
                             {"change", f.change},
                             {"now_us", f.now_us},
                             {"after_us", f.after_us},
                             {"estimated", f.estimated},
                             {"mechanical", f.mechanical()},
                             {"set", f.set}});
  return json_text(j);
}

}  // namespace tilewright::improve
