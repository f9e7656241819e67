// Which requests a server accepts. Any web page may send requests to 127.0.0.1, and a foreign host
// name may resolve to 127.0.0.1 (DNS rebinding). A browser reports truthfully the host that was
// requested (Host) and the page that requested it (Origin).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/http/message.h"

namespace tilewright::http {

// Who may ask besides this machine's own pages and programs.
struct Visitors {
  // Addresses written as numbers are names of this server, too: for one that other machines reach.
  // A foreign name that resolves to it is still refused.
  bool by_address = false;
  std::vector<std::string> hosts = {};  // further names of this server, at any port
  std::vector<std::string> origins =
      {};  // pages of others, as in "https://chat.example"; "*" = any
};

// Why a request is refused; empty when it is accepted.
std::string refusal(const Request& request, uint16_t port, const Visitors& visitors);

// Whether the request comes from a page of others that was let in: its browser asks for headers.
bool is_from_other_page(const Request& request, const Visitors& visitors);

}  // namespace tilewright::http
