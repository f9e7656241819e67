// Who may talk to a server on this machine. A page of anybody may send requests to 127.0.0.1, and a
// name of its own may resolve to it (DNS rebinding), but a browser says truly what it was asked for
// (Host) and by whose page (Origin).
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/http/message.h"

namespace tilewright::http {

// Why a request is refused; empty when it is this machine's own.
std::string refusal(const Request& request, uint16_t port);

}  // namespace tilewright::http
