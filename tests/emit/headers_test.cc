// Emitted kernels compile without warnings against the real headers of PTO-ISA. They need g++ 14,
// so that the test runs only where the environment says where headers and compiler are:
//
//   TILEWRIGHT_PTO_ISA=DIR       a checkout of PTO-ISA
//   TILEWRIGHT_PTO_ISA_CXX=CMD   the compiler (default g++-14)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "emitted_program.h"
#include "tilewright/base/files.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/session/emitted.h"

namespace emit_test {
namespace {

using namespace tilewright;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

TEST(RealHeaders, KernelsCompileWithoutWarnings) {
  const std::string isa = environment("TILEWRIGHT_PTO_ISA", "");
  if (isa.empty())
    GTEST_SKIP() << "NOT CHECKED against the real headers: TILEWRIGHT_PTO_ISA names no checkout of "
                    "PTO-ISA";
  const std::string compiler = environment("TILEWRIGHT_PTO_ISA_CXX", "g++-14");
  const TemporaryDirectory place;
  write_file(place / "tensor.h", read_text(std::string(TILEWRIGHT_SHIM) + "/tensor.h"));
  const catalog::Catalog catalog = cli::builtin_catalog();
  int kernels = 0;
  for (const catalog::ProgramDef& def : catalog.all()) {
    session::Request request = session::request_for("a2a3sim");
    request.shape = def.shapes.back();  // the smallest; what cannot be emitted has no files
    for (const emit::File& f : session::emit_program(def, request, def.name).files) {
      if (!f.path.starts_with("kernels/")) continue;
      SCOPED_TRACE(def.name + " " + f.path);
      write_file(place / f.path, f.text);
      const std::string log = place / "log";
      const std::string command = fmt::format(
          "{} -std=c++23 -D__CPU_SIM -D__DAV_{}__ -Wall -Wextra -Werror -fsyntax-only -isystem "
          "{}/include -I {} {} > {} 2>&1",
          compiler, f.path.starts_with("kernels/aic/") ? "CUBE" : "VEC", isa, place.path.string(),
          place / f.path, log);
      EXPECT_EQ(std::system(command.c_str()), 0) << read_text(log);
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 100);
}

}  // namespace
}  // namespace emit_test
