// A small program, and runs of it.
#pragma once

#include <gtest/gtest.h>

#include "../temporary_directory.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/session/run.h"

namespace session_test {

using namespace tilewright;
using namespace tilewright::session;
using catalog::Arrays;
using catalog::Config;
using catalog::ProgramDef;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The message of a request that is refused.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

// y = 2 x + bias; total += x. `count` rows of x are read as the program's own scalar.
inline ir::Program small_program(const Config& c) {
  using namespace dsl;  // NOLINT
  const int64_t cols = c["cols"];
  Builder p("small");
  const Tensor x = p.input("x", {8, cols}, DType::F32);
  const Tensor bias = p.weight("bias", {1, cols}, DType::F32);
  const Tensor limit = p.input("limit", {1}, DType::I32);
  const Tensor total = p.state("total", {8, cols}, DType::F32);
  const Tensor y = p.output("y", {8, cols}, DType::F32);
  const Index rows = p.read(limit, {0});
  for (Index r : p.parallel(rows)) {
    auto core = p.incore("row");
    const Tile row = slice(x, {1, cols}, {r, 0});
    assemble(y, add(mul(row, 2.0), slice(bias, {1, cols}, {0, 0})), {r, 0});
    assemble(total, add(slice(total, {1, cols}, {r, 0}), row), {r, 0});
  }
  return p.finish();
}

inline void small_formula(const Config& c, Arrays& io) {
  for (int64_t i = 0; i < 8 * c["cols"]; ++i) {
    const double x = io["x"].at(i);
    io["y"].set(i, 2 * x + io["bias"].at(i % c["cols"]));
    io["total"].set(i, io["total"].at(i) + x);
    io["x"].set(i, 1e9);  // a formula that scribbles on inputs harms only itself
  }
}

inline ProgramDef small() {
  ProgramDef def;
  def.name = "small";
  def.shapes = {"narrow", "wide"};
  def.keys = [](const std::string& shape, const catalog::Machine&) {
    return std::vector<catalog::Key>{{"cols", shape == "wide" ? 128 : 64, "columns"}};
  };
  def.build = small_program;
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"limit", catalog::constant(8)}};
  };
  def.formula = small_formula;
  return def;
}

inline Request on_cpu() { return request_for("cpu"); }

inline RunResult run_on_golden(const ProgramDef& def, const Request& request = on_cpu(),
                               const RunOptions& options = {}) {
  return run(def, request, golden_executor(), options);
}

// What is wrong with a program.
inline std::string errors_of(const ProgramDef& def) {
  return run_on_golden(def).diagnostics.text();
}

}  // namespace session_test
