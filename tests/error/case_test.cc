// Every case is two tests: the bad program is told exactly what its report says, and the good twin
// passes everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "case.h"
#include "places.h"

namespace error_test {
namespace {

class ErrorCase : public testing::Test {
 public:
  explicit ErrorCase(Case c) : tested(std::move(c)) {}

 protected:
  const Case tested;
};

class BadProgramIsToldExactly : public ErrorCase {
 public:
  using ErrorCase::ErrorCase;
  void TestBody() override {
    const Outcome out = tested.bad();
    const std::string told = report_of(out);
    const std::string wanted = with_places(tested.report(), out.places);
    EXPECT_EQ(told, wanted) << "if it is right, message.txt (in C++: codes, step, message) is\n"
                            << with_names(told, out.places);
    EXPECT_FALSE(out.diagnostics.empty()) << "a bad program is told something";
    for (const Diagnostic& d : out.diagnostics.list())
      EXPECT_FALSE(d.what.empty() || d.where.empty() || d.law.empty() || d.help.empty())
          << "a message has four lines";
  }
};

class GoodTwinPasses : public ErrorCase {
 public:
  using ErrorCase::ErrorCase;
  void TestBody() override {
    const Outcome out = tested.good();
    EXPECT_FALSE(out.diagnostics.has_errors()) << out.diagnostics.text();
    EXPECT_EQ(step_name(out.last_step), step_name(Step::Hazards));
    const std::vector<std::string> codes = codes_in(tested.report());
    for (const Diagnostic& d : out.diagnostics.list())
      EXPECT_EQ(std::ranges::count(codes, d.code), 0) << d.text();
  }
};

// type_rules -> TypeRules
std::string suite_name(const std::string& family) {
  std::string out;
  bool upper = true;
  for (const char c : family) {
    if (c != '_') out += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_';
  }
  return out + "/ErrorCase";
}

template <class Test>
void add_test(const Case& c, const std::string& what) {
  testing::RegisterTest(suite_name(c.family).c_str(), (what + "/" + c.name).c_str(), nullptr,
                        nullptr, __FILE__, __LINE__, [c]() -> ErrorCase* { return new Test(c); });
}

}  // namespace
}  // namespace error_test

int main(int argc, char** argv) {
  using namespace error_test;
  testing::InitGoogleTest(&argc, argv);
  for (const Case& c : all_cases()) {
    add_test<BadProgramIsToldExactly>(c, "BadProgramIsToldExactly");
    add_test<GoodTwinPasses>(c, "GoodTwinPasses");
  }
  return RUN_ALL_TESTS();
}
