// One rewriter on one program: what it proposes, what of that is legal, and how fast it is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/same_results.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve::testing_rewrites {

using Write = void (*)(dsl::Builder& p, bool has);

inline catalog::ProgramDef define_pair(Write write, bool has) {
  catalog::ProgramDef def;
  def.name = "pair";
  def.build = [write, has](const catalog::Config&) {
    dsl::Builder p("pair");
    write(p, has);
    return p.finish();
  };
  def.inputs = [](const catalog::Config&) { return std::map<std::string, catalog::Init>{}; };
  def.tolerances[""] = {1e-3, 1e-3};
  return def;
}

inline session::Request request_by(const std::string& rules, const std::string& shape = "") {
  session::Request r = session::request_for("a2a3sim");
  r.rules = rules;
  r.shape = shape;
  return r;
}

struct Proposed {
  double now_us = 0;
  struct One {
    Rewrite rewrite;
    double after_us = 0;
  };
  std::vector<One> legal;  // the fastest first
  std::size_t proposals = 0;
  ir::Program original;

  const One* fastest() const { return legal.empty() ? nullptr : &legal.front(); }
};

inline double time_of_program(const catalog::ProgramDef& def, const session::Request& request) {
  session::Session s(def, request);
  if (!s.prepare()) {
    ADD_FAILURE() << s.diagnostics().text();
    return 0;
  }
  return session::predicted_us(s, s.machine());
}

inline Proposed propose(session::Session& s, const catalog::ProgramDef& def, Rewriter rewriter) {
  if (!s.prepare()) {
    ADD_FAILURE() << s.diagnostics().text();
    return {};
  }
  const ir::RunRecord record = session::simulate(s, s.machine());
  const report::Profile profile = report::profile(*s.plan(), *s.graph(), record, s.machine());
  const Subject subject{s.program(), *s.plan(),   *s.graph(),   record,
                        profile,     s.machine(), s.bindings(), {}};
  Rewrites all;
  rewriter(subject, all);
  Proposed out{profile.all.total_us, {}, all.size(), s.program()};
  std::vector<std::optional<double>> after(all.size());
  for_each_index(all.size(), [&](std::size_t i) {
    session::Session other(def, s.request(), all[i].program);
    if (other.prepare()) after[i] = session::predicted_us(other, other.machine());
  });
  for (std::size_t i = 0; i < all.size(); ++i)
    if (after[i]) out.legal.push_back({std::move(all[i]), *after[i]});
  std::ranges::stable_sort(out.legal, {}, &Proposed::One::after_us);
  return out;
}

inline Proposed propose(const catalog::ProgramDef& def, const session::Request& request,
                        Rewriter rewriter) {
  session::Session s(def, request);
  return propose(s, def, rewriter);
}

// The best proposal, again and again, until the time is good enough.
struct Improved {
  double before_us = 0, after_us = 0;
  ir::Program original, program;
};
inline Improved improve_fully(const catalog::ProgramDef& def, const session::Request& request,
                              Rewriter rewriter, double good_us = 0) {
  Proposed p = propose(def, request, rewriter);
  Improved out{p.now_us, p.now_us, p.original, p.original};
  while (p.fastest() && p.fastest()->after_us < out.after_us) {
    out.after_us = p.fastest()->after_us;
    out.program = p.fastest()->rewrite.program;
    if (out.after_us <= good_us) break;
    session::Session next(def, request, out.program);
    p = propose(next, def, rewriter);
  }
  return out;
}

// What the judges of advice ask: legal, faster, the same values.
inline void expect_gain(const catalog::ProgramDef& def, const session::Request& request,
                        Rewriter rewriter, const std::string& code) {
  const Proposed p = propose(def, request, rewriter);
  ASSERT_TRUE(p.fastest()) << p.proposals << " proposals, none legal";
  EXPECT_EQ(p.fastest()->rewrite.code, code);
  EXPECT_NE(p.fastest()->rewrite.where.text(), "");
  EXPECT_LT(p.fastest()->after_us, p.now_us);
  for (const Proposed::One& one : p.legal)
    for (const OutputMatch& o : compare_results(def, request, p.original, one.rewrite.program))
      EXPECT_TRUE(o.comparison.passed()) << o.name << ": " << one.rewrite.change;
}

inline void expect_nothing(const catalog::ProgramDef& def, const session::Request& request,
                           Rewriter rewriter) {
  EXPECT_EQ(propose(def, request, rewriter).proposals, 0u);
}

}  // namespace tilewright::improve::testing_rewrites
