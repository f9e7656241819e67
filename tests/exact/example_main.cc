// In place of the command line: the programs of an example, executed at their addresses on every
// described chip. Linked to each example instead of room cli.
#include "program_subject.h"
#include "tilewright/cli/cli.h"

namespace exact_test {
namespace {

const catalog::Catalog* example = nullptr;

TEST(Example, IsExact) {
  for (const catalog::ProgramDef& def : example->all())
    for (const char* platform : {"a2a3sim", "a5sim"}) {
      SCOPED_TRACE(platform);
      expect_exact(make_subject(def, platform));
    }
}

}  // namespace
}  // namespace exact_test

int tilewright::cli::main(int argc, char** argv, const catalog::Catalog& catalog) {
  exact_test::example = &catalog;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
