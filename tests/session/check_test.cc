// A check computes nothing.
#include "tilewright/session/check.h"
#include "support.h"
#include "tilewright/data/inputs.h"

namespace session_test {
namespace {

TEST(Check, GeneratesOnlyWhatDecidesTheTasks) {
  ProgramDef def = small();
  bool touched = false;
  def.inputs = [&](const Config&) {
    const catalog::Init heavy = [&](HostArray&, Rng&) { touched = true; };
    return std::map<std::string, catalog::Init>{{"limit", catalog::constant(8)},
                                                {"x", heavy},
                                                {"bias", heavy},
                                                {"total", heavy}};
  };
  const CheckResult r = session::check(def, request_for("a2a3sim"));
  EXPECT_EQ(r.diagnostics.error_count(), 0u) << r.diagnostics.text();
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.session->graph()->tasks.size(), 8u);
  EXPECT_FALSE(touched);
}

TEST(Check, ReadsThroughViewsAreFound) {
  using namespace dsl;  // NOLINT
  Builder p("views");
  const Tensor table = p.input("table", {4, 8}, DType::I32);
  const Tensor other = p.input("other", {4, 8}, DType::I32);
  const Tensor view = slice(slice(table, {2, 8}, {1, 0}), {1, 8}, {0, 0});
  (void)other;
  p.read(view, {0, 0});
  EXPECT_EQ(data::parameters_read_as_scalars(p.finish()), (std::set<std::string>{"table"}));
}

TEST(Check, UnknownRulesSuggestTheNearest) {
  Request request = on_cpu();
  request.rules = "exatc";
  EXPECT_TRUE(
      contains(error_of([&] { session::check(small(), request); }), "did you mean 'exact'?"));
}

}  // namespace
}  // namespace session_test
