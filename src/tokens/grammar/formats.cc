#include "tilewright/tokens/grammar/formats.h"

#include <map>
#include <vector>

#include "tilewright/base/text.h"

namespace tilewright::tokens::grammar {
namespace {

// RFC 3339. February 29 in leap years alone; no leap seconds.
const std::string kLeapYear =
    R"(([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00))";
const std::string kDate =
    R"(([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|)"
    R"(02-(0[1-9]|1[0-9]|2[0-8]))|)" +
    kLeapYear + R"(-02-29))";
const std::string kHourMinute = R"(([01][0-9]|2[0-3]):[0-5][0-9])";
const std::string kTime = kHourMinute + R"(:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-])" + kHourMinute + ")";
// RFC 3339, appendix A.
const std::string kDuration =
    R"(P([0-9]+W|([0-9]+D|[0-9]+M([0-9]+D)?|[0-9]+Y([0-9]+M([0-9]+D)?)?)(T%)?|T%))";
const std::string kDurationTime = R"(([0-9]+S|[0-9]+M([0-9]+S)?|[0-9]+H([0-9]+M([0-9]+S)?)?))";
const std::string kLabel = R"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)";
const std::string kByte = R"((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]))";

std::string ipv4() { return kByte + R"((\.)" + kByte + "){3}"; }

// RFC 4291: eight groups, or fewer around one "::"; the last two may be an IPv4 address.
std::string ipv6() {
  const std::string group = "[0-9A-Fa-f]{1,4}",
                    end = "(" + group + ":" + group + "|" + ipv4() + ")";
  std::string out = "((" + group + ":){6}" + end;
  const auto groups = [&](int most) {  // up to so many groups in front of "::"
    return most == 0   ? std::string()
           : most == 1 ? "(" + group + ")?"
                       : "((" + group + ":){0," + std::to_string(most - 1) + "}" + group + ")?";
  };
  for (int behind = 5; behind >= 0; --behind)
    out += "|" + groups(5 - behind) + "::(" + group + ":){" + std::to_string(behind) + "}" + end;
  out += "|" + groups(6) + "::" + group + "|" + groups(7) + "::";
  return out + ")";
}

std::string duration() {
  std::string out;
  for (const char c : kDuration) out += c == '%' ? kDurationTime : std::string(1, c);
  return out;
}

const std::map<std::string, std::string, std::less<>>& formats() {
  static const std::map<std::string, std::string, std::less<>> kFormats{
      {"date", kDate},
      {"time", kTime},
      {"date-time", kDate + "T" + kTime},
      {"duration", duration()},
      {"uuid", "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"},
      {"ipv4", ipv4()},
      {"ipv6", ipv6()},
      // Labels of a host name, without the limit of 253 characters for all of them: shorter than 64
      // characters each, and at most three.
      {"email", R"([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@)" + kLabel +
                    R"((\.)" + kLabel + "){0,2}"},
      {"hostname", kLabel + R"((\.)" + kLabel + "){0,2}"},
  };
  return kFormats;
}

}  // namespace

std::optional<std::string> find_format(std::string_view name) {
  const auto at = formats().find(name);
  if (at == formats().end()) return std::nullopt;
  return "^(?:" + at->second + ")$";
}

std::string format_names() {
  std::vector<std::string> names;
  for (const auto& [name, pattern] : formats()) names.push_back(name);
  return join(names, ", ");
}

}  // namespace tilewright::tokens::grammar
