// In place of the command line: the programs of an example, emitted, compiled and run. Linked to
// each example instead of room cli.
#include <gtest/gtest.h>

#include "emitted_program.h"
#include "tilewright/cli/cli.h"

namespace emit_test {
namespace {

const catalog::Catalog* example = nullptr;

TEST(Example, EmittedKernelsGiveTheBitsOfGolden) {
  for (const catalog::ProgramDef& def : example->all())
    expect_emitted_is_golden(def, session::request_for("a2a3sim"));
}

}  // namespace
}  // namespace emit_test

int tilewright::cli::main(int argc, char** argv, const catalog::Catalog& catalog) {
  emit_test::example = &catalog;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
