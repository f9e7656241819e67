// Mistakes of a flag's value that the user wrote elsewhere: `tour@n=3` is not `--set n=3`.
#pragma once

#include <string>
#include <utility>

#include "tilewright/base/diagnostic.h"

namespace tilewright {

// The result of `f`. A mistake in it that would be blamed on a flag is told to be at `where`; an
// empty `where` is the whole command line.
template <class F>
auto blamed_on(const std::string& where, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const UserError& e) {
    if (!e.diagnostic().where.starts_with("in --")) throw;
    Diagnostic d = e.diagnostic();
    d.where = where;
    throw UserError(std::move(d));
  }
}

}  // namespace tilewright
