// How the tests read programs: whole files, or a few lines inside a program that is always the
// same.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/print.h"

namespace frontend_test {

using namespace tilewright;

inline frontend::Lowered lower(const std::string& text,
                               const std::map<std::string, std::string>& args = {},
                               const std::string& name = "p.py") {
  return frontend::File::parse(name, text).lower("", args);
}

inline std::string indented(const std::string& lines, int spaces) {
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);)
    out += line.empty() ? "\n" : std::string(static_cast<std::size_t>(spaces), ' ') + line + "\n";
  return out;
}

inline std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

// The head of every small program; its lines are 1 to 15.
inline const std::string kHead = R"(import pypto.language as pl

N = 64
@pl.program
class P:
    @pl.function(type=pl.FunctionType.Opaque)
    def p(
        self,
        x: pl.Tensor[[16, N], pl.FP32],
        b: pl.Tensor[[16, N], pl.BF16],
        w: pl.Tensor[[N, N], pl.BF16],
        lens: pl.Tensor[[8], pl.INT32],
        y: pl.Out[pl.Tensor[[16, N], pl.FP32]],
        z: pl.InOut[pl.Tensor[[16, N], pl.FP32]],
    ):
)";

// A program whose body is these lines; the first of them is line 16.
inline std::string program(const std::string& body) { return kHead + indented(body, 8); }
// The lines stand in a scope that is open from line 16 on.
inline std::string in_scope(const std::string& body) {
  return kHead + "        with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"s\"):\n" +
         indented(body, 12);
}

// The body of the program as it is understood, without its head and its indentation.
inline std::string listing(const ir::Program& p) {
  std::istringstream in(ir::print(p));
  std::string out;
  bool body = false;
  for (std::string line; std::getline(in, line);) {
    if (body && line.find("        return") != 0) out += line.substr(8) + "\n";
    if (line.find("    )") == 0) body = true;
  }
  return out;
}

// The same for lines inside a scope.
inline std::string scope_listing(const std::string& body) {
  const frontend::Lowered l = lower(in_scope(body));
  EXPECT_EQ(l.program.diagnostics.error_count(), 0U) << l.program.diagnostics.text();
  std::istringstream in(listing(l.program));
  std::string out;
  std::string line;
  std::getline(in, line);  // the scope
  while (std::getline(in, line)) out += line.substr(4) + "\n";
  return out;
}

// What the reader says about a file that is wrong, whether it stops there or goes on.
inline std::string complaint(const std::string& text,
                             const std::map<std::string, std::string>& args = {},
                             const std::string& name = "p.py") {
  try {
    return lower(text, args, name).program.diagnostics.text();
  } catch (const UserError& e) {
    return e.what();
  }
}

}  // namespace frontend_test
