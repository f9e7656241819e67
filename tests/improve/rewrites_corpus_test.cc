// Every rewrite of every program that the checker accepts, whether it gains or not: it computes
// what the original does.
#include "rewrite_cases.h"

#include "tilewright/data/program_file.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/report/profile.h"
#include "tilewright/session/session.h"

namespace tilewright::improve::corpus_tests {
namespace {

struct Proposed {
  std::unique_ptr<session::Session> session;
  Rewrites rewrites;
};

Proposed proposals(const catalog::ProgramDef& def, const session::Request& request) {
  Proposed out{std::make_unique<session::Session>(def, request), {}};
  session::Session& s = *out.session;
  if (!s.prepare()) return out;
  const ir::RunRecord record = session::simulate(s, s.machine());
  const report::Profile profile = report::profile(*s.plan(), *s.graph(), record, s.machine());
  const auto never = [](const platform::Platform&) { return 0.0; };
  const Subject subject{s.program(), *s.plan(),   *s.graph(),   record,
                        profile,     s.machine(), s.bindings(), never};
  for (const Rewriter propose : all_rewriters()) propose(subject, out.rewrites);
  return out;
}

// The number of rewrites that were compared.
int expect_same_results(const catalog::ProgramDef& def, const session::Request& request) {
  const Proposed all = proposals(def, request);
  EXPECT_TRUE(all.session->ready()) << all.session->diagnostics().text();
  int compared = 0;
  for (const Rewrite& r : all.rewrites) {
    session::Session changed(def, request, r.program);
    if (!changed.prepare()) continue;
    ++compared;
    for (const OutputMatch& o : compare_results(def, request, all.session->program(), r.program))
      EXPECT_TRUE(o.comparison.passed())
          << def.name << ", " << r.code << " " << r.where.text() << ": " << r.change << "\n"
          << o.name << "\n"
          << ir::print(r.program);
  }
  return compared;
}

class OfALayer : public testing::TestWithParam<const char*> {};

TEST_P(OfALayer, ComputesTheSame) {
  session::Request request = session::request_for("a2a3sim");
  request.shape = "tiny";
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == GetParam()) {
      EXPECT_GT(expect_same_results(def, request), 3);
    }
}

INSTANTIATE_TEST_SUITE_P(EveryRewrite, OfALayer,
                         testing::Values("qwen3/scope1", "qwen3/scope1-split", "qwen3/scope2",
                                         "qwen3/scope2-before", "qwen3/scope3",
                                         "qwen3/scope3-before", "qwen3/decode-flash",
                                         "qwen3/scope1-fused-norm", "qwen3/scope3-fused",
                                         "qwen3/decode-best", "qwen3/decode-fused-qkrope"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

class OfAFile : public testing::TestWithParam<const char*> {};

TEST_P(OfAFile, ComputesTheSame) {
  const std::string file = std::string(TILEWRIGHT_PROGRAMS "/") + GetParam() + ".py";
  int compared = 0;
  for (const catalog::ProgramDef& def : data::programs_from_file(file, {}))
    compared += expect_same_results(def, session::request_for("a2a3sim"));
  EXPECT_GT(compared, 3);
}

INSTANTIATE_TEST_SUITE_P(EveryRewrite, OfAFile,
                         testing::Values("spring_scope1", "spring_scope2", "spring_scope3",
                                         "summer_scope3", "jit_style", "dynamic_paged",
                                         "tile_kernels"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tilewright::improve::corpus_tests
