// What a file says about order: which rules it chooses, what it is evaluated to, what it costs, and
// that it changes no value.
#include <gtest/gtest.h>

#include "order.h"
#include "tilewright/data/program_file.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/ir/task_order.h"
#include "tilewright/session/check.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/run.h"
#include "tilewright/session/stated_cost.h"

namespace order_test {
namespace {

using namespace tilewright;

catalog::ProgramDef file(const std::string& name) {
  return data::program_from_file(std::string(TILEWRIGHT_ORDER) + "/programs/" + name, {});
}

std::string rules_of(const std::string& name, const std::string& platform,
                     const std::string& rules = "") {
  const catalog::ProgramDef def = file(name);
  session::Request request = session::request_for(platform);
  request.rules = rules;
  session::Session s(def, request);
  EXPECT_TRUE(s.build());
  return s.chosen_rules().text();
}

TEST(Stated, TheNewestWordOfAFileChoosesTheRules) {
  EXPECT_EQ(rules_of("siblings.py", "a2a3sim"), "april-2026, chosen by the platform");
  EXPECT_EQ(rules_of("untracked_parts.py", "a2a3sim"), "may-2026, chosen by the file's dialect");
  EXPECT_EQ(rules_of("manual_groups.py", "a2a3sim"), "june-2026, chosen by the file's dialect");
  EXPECT_EQ(rules_of("manual_groups.py", "cpu"), "exact, chosen by the platform");
  EXPECT_EQ(rules_of("manual_groups.py", "a2a3sim", "2026-07-03"), "2026-07-02, chosen by --rules");
}

TEST(Stated, NamesBecomeSubmissions) {
  const catalog::ProgramDef def = file("manual_groups.py");
  session::Session s(def, session::request_for("a2a3sim"));
  ASSERT_TRUE(s.prepare()) << s.diagnostics().text();
  const ir::TaskGraph& graph = *s.graph();
  ASSERT_EQ(graph.submissions.size(), 10u);  // a launch, four groups of two, and the last
  const auto stated = [&](uint32_t i) {
    const auto preds = graph.stated_preds(i);
    return std::vector<uint32_t>(preds.begin(), preds.end());
  };
  EXPECT_EQ(stated(0), (std::vector<uint32_t>{}));
  EXPECT_EQ(stated(3), (std::vector<uint32_t>{0}));  // through the dummy
  EXPECT_EQ(stated(4), (std::vector<uint32_t>{3}));
  EXPECT_EQ(stated(9), (std::vector<uint32_t>{2, 4, 6, 8}));
  EXPECT_TRUE(graph.submissions[0].order->early);
  EXPECT_FALSE(graph.submissions[0].order->manual);
  EXPECT_TRUE(graph.submissions[5].order->manual);
}

TEST(Stated, ProgramsWithoutRacesPassUnderExactRulesAndKeepTheirBits) {
  for (const char* name : {"manual_groups.py", "untracked_parts.py", "late_rows.py"}) {
    const catalog::ProgramDef def = file(name);
    const auto result = session::run(def, session::request_for("cpu"), session::golden_executor());
    EXPECT_EQ(result.status, session::Status::Skipped) << name << "\n" << result.diagnostics.text();
    EXPECT_EQ(result.phases.back().detail,
              "the program and 3 random task orders give the same bits; as many tasks ran as "
              "scopes were entered");
  }
  for (const char* name : {"manual_groups.py", "late_rows.py"}) {
    session::Request request = session::request_for("cpu");
    request.rules = "exact";
    const session::CheckResult checked = session::check(file(name), request);
    EXPECT_EQ(checked.diagnostics.error_count(), 0u) << checked.diagnostics.text();
  }
}

TEST(Stated, AnUnneededDependenceIsSeenInTheTime) {
  const catalog::ProgramDef def = file("late_rows.py");
  session::TimedRun r = session::predict(def, session::request_for("a2a3sim"));
  ASSERT_TRUE(r.passed());
  session::add_stated_cost(r);
  ASSERT_TRUE(r.stated.has_value());
  EXPECT_EQ(r.stated->dependences, 16);
  EXPECT_LT(r.stated->without_us, r.profile->all.total_us);

  const catalog::ProgramDef needed = file("manual_groups.py");
  session::TimedRun all_needed = session::predict(needed, session::request_for("a2a3sim"));
  session::add_stated_cost(all_needed);
  EXPECT_FALSE(all_needed.stated.has_value());
}

}  // namespace
}  // namespace order_test
