// Who may use a server that asks for keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/http/message.h"

namespace tilewright::serve {

class ApiKeys {
 public:
  explicit ApiKeys(std::vector<std::string> keys) : keys_(std::move(keys)) {}
  bool needed() const { return !keys_.empty(); }
  // "Authorization: Bearer KEY". How long it takes does not tell how much of a key was right.
  bool admit(const http::Request& request) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace tilewright::serve
