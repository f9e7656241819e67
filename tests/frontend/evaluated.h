// What a file computes before it has a program: the names of its own that stand for something.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/evaluate/modules.h"
#include "tilewright/frontend/file.h"

namespace frontend_test {

// The value of `name` after `parsed` has run, as Python prints it; why there is none, in brackets;
// or the error that ends the evaluation.
inline std::string evaluated(std::shared_ptr<const tilewright::frontend::Parsed> parsed,
                             const std::vector<std::string>& paths = {},
                             const std::string& name = "r",
                             int64_t most_steps = tilewright::frontend::kMostSteps) {
  using namespace tilewright::frontend;
  try {
    World world({}, {}, most_steps);
    Library library;
    Modules modules(world, library, std::move(parsed), paths);
    const Value* v = modules.main().names.find(name);
    if (!v) return "(unbound)";
    if (const auto* u = v->as<Unknown>()) return "(" + cause_text(*u) + ")";
    return python_text(*v, true).value_or("(" + kind_text(*v) + ")");
  } catch (const tilewright::UserError& e) {
    return e.what();
  }
}

inline std::string evaluated(const std::string& text,
                             int64_t most_steps = tilewright::frontend::kMostSteps) {
  using namespace tilewright;
  try {
    return evaluated(frontend::Parsed::parse(frontend::Source::from_text("p.py", text)), {}, "r",
                     most_steps);
  } catch (const UserError& e) {
    return e.what();
  }
}

}  // namespace frontend_test
