#include "case.h"

#include "tilewright/base/text.h"

namespace error_test {
namespace {

constexpr std::string_view kCodes = "codes: ";

}  // namespace

std::string report_of(const std::vector<std::string>& codes, Step last_step,
                      const std::string& message) {
  return std::string(kCodes) + join(codes, " ") +
         "\nlast step: " + std::string(step_name(last_step)) + "\n\n" + message;
}

std::string report_of(const Outcome& outcome) {
  std::vector<std::string> codes;
  for (const Diagnostic& d : outcome.diagnostics.list()) codes.push_back(d.code);
  return report_of(codes, outcome.last_step, outcome.diagnostics.text());
}

std::vector<std::string> codes_in(const std::string& report) {
  if (!report.starts_with(kCodes)) return {};
  return split(report.substr(kCodes.size(), report.find('\n') - kCodes.size()), ' ');
}

std::vector<Case> all_cases() {
  std::vector<Case> all = file_cases();
  const std::vector<Case> more = builder_cases();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace error_test
