#include "tilewright/http/visitor.h"

#include <fmt/format.h>

namespace tilewright::http {
namespace {

bool names_us(std::string_view host, uint16_t port) {
  for (std::string_view name : {"127.0.0.1", "localhost"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

}  // namespace

std::string refusal(const Request& request, uint16_t port) {
  const std::string_view host = request.header("host"), origin = request.header("origin");
  if (!names_us(host, port))
    return fmt::format("this server answers to 127.0.0.1:{} and localhost:{} only", port, port);
  constexpr std::string_view kScheme = "http://";
  if (!origin.empty() &&
      !(origin.starts_with(kScheme) && names_us(origin.substr(kScheme.size()), port)))
    return "this server answers to its own pages only";
  return "";
}

}  // namespace tilewright::http
