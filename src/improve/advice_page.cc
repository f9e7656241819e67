#include "tilewright/improve/advice_page.h"

#include <nlohmann/json.hpp>

#include "tilewright/base/diff.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/program.h"

namespace tilewright::improve {

report::Object advice_data(const Advice& advice, double seconds) {
  const std::string before = ir::print(advice.session->program());
  const std::string& name = advice.session->name();
  report::Object findings = report::Object::array();
  for (const Finding& f : advice.findings) {
    report::Object j{{"code", f.code},           {"what", f.what},     {"where", f.where.text()},
                     {"change", f.change},       {"now_us", f.now_us}, {"after_us", f.after_us},
                     {"estimated", f.estimated}, {"diff", ""}};
    if (f.rewritten)
      j["diff"] = unified_diff(before, ir::print(*f.rewritten), name, name + " after " + f.code);
    findings.push_back(std::move(j));
  }
  return {{"findings", std::move(findings)},
          {"small", advice.small.size()},
          {"untried", advice.untried},
          {"seconds", seconds}};
}

}  // namespace tilewright::improve
