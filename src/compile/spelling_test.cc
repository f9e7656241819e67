#include "tilewright/compile/spelling.h"

#include <gtest/gtest.h>

namespace tilewright::compile {
namespace {

TEST(Spelling, IsOfTheLanguageOfThePlace) {
  const Place cpp{"layer.cc", 42};
  const Place python{"layer.py", 42, 9, std::make_shared<const SourceText>()};
  const auto expect = [&](Phrase phrase, const char* in_cpp, const char* in_python) {
    EXPECT_EQ(spelling(cpp, phrase), in_cpp);
    EXPECT_EQ(spelling(python, phrase), in_python);
  };
  expect(Phrase::OpenScope, "auto core = p.incore(\"name\");",
         "with pl.at(level=pl.Level.CORE_GROUP):");
  expect(Phrase::MakeTensor, "p.tensor", "pl.create_tensor");
  expect(Phrase::Guard, "when()", "an if");
}

}  // namespace
}  // namespace tilewright::compile
