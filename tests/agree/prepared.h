// A program of the catalog made ready for cpu with all its inputs. Used by the tests that run the
// Qwen3 programs.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tilewright/base/check.h"
#include "tilewright/session/session.h"

namespace agree_test {

using tilewright::session::Session;

// `set` gives keys of the program other values than the shape does.
inline std::unique_ptr<Session> prepared(const tilewright::catalog::ProgramDef& def,
                                         const std::string& shape,
                                         const std::map<std::string, int64_t>& set) {
  auto request = tilewright::session::request_for("cpu");
  request.shape = shape;
  request.set = set;
  auto session = std::make_unique<Session>(def, request);
  const bool ready = session->prepare(tilewright::session::Inputs::All);
  tilewright::check(ready, "a program of the catalog is right");
  return session;
}

}  // namespace agree_test
