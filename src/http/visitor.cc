#include "tilewright/http/visitor.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

namespace tilewright::http {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// "example:80", "[::1]:80" and "example" without what follows the name.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? "" : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view name) {
  const std::string text(name);
  in6_addr ignored{};
  return ::inet_pton(AF_INET, text.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
}

bool is_port(std::string_view rest) {
  return rest.empty() ||
         (rest.size() > 1 && rest[0] == ':' &&
          std::ranges::all_of(rest.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
}

bool names_us(std::string_view host, uint16_t port, const Visitors& visitors) {
  for (std::string_view name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  const std::string_view name = name_of(host);
  const std::size_t in_front = name.size() + (host.starts_with('[') ? 2 : 0);
  if (!is_port(host.substr(std::min(in_front, host.size())))) return false;
  return contains(visitors.hosts, name) || (visitors.by_address && is_address(name));
}

}  // namespace

bool is_from_other_page(const Request& request, const Visitors& visitors) {
  const std::string_view origin = request.header("origin");
  return !origin.empty() && (contains(visitors.origins, origin) || contains(visitors.origins, "*"));
}

std::string refusal(const Request& request, uint16_t port, const Visitors& visitors) {
  const std::string_view host = request.header("host"), origin = request.header("origin");
  if (!names_us(host, port, visitors))
    return fmt::format(
        "this server does not answer to this name; it answers to 127.0.0.1:{0} and "
        "localhost:{0}",
        port);
  constexpr std::string_view kScheme = "http://";
  if (origin.empty() || is_from_other_page(request, visitors)) return "";
  if (origin.starts_with(kScheme) && names_us(origin.substr(kScheme.size()), port, visitors))
    return "";
  return "this server answers to its own pages only";
}

}  // namespace tilewright::http
