// Which requests a server on this machine accepts. Any web page may send requests to 127.0.0.1,
// and a foreign host name may resolve to 127.0.0.1 (DNS rebinding). A browser reports truthfully
// the host that was requested (Host) and the page that requested it (Origin).
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/http/message.h"

namespace tilewright::http {

// Why a request is refused; empty when it is this machine's own.
std::string refusal(const Request& request, uint16_t port);

}  // namespace tilewright::http
