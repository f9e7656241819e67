// What the tests of rewrites share: a program written with or without a fault, advice on it, and
// the comparison of the rewritten program with the original.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tilewright/dsl/ops.h"
#include "tilewright/improve/advice.h"
#include "tilewright/improve/same_results.h"
#include "tilewright/ir/print.h"

namespace tilewright::improve {

using Write = void (*)(dsl::Builder& p, bool has);

using Scalars = std::map<std::string, double>;

inline catalog::ProgramDef program_with(Write write, bool has, const Scalars& scalars = {}) {
  catalog::ProgramDef def;
  def.name = "advised";
  def.build = [write, has](const catalog::Config&) {
    dsl::Builder p("advised");
    write(p, has);
    return p.finish();
  };
  def.inputs = [](const catalog::Config&) { return std::map<std::string, catalog::Init>{}; };
  def.scalars = [scalars](const catalog::Config&) { return scalars; };
  def.tolerances[""] = {1e-3, 1e-3};
  return def;
}

inline session::Request on_a2a3() {
  session::Request r = session::request_for("a2a3sim");
  r.rules = "exact";
  return r;
}

inline const Finding* find_code(const Advice& a, const std::string& code,
                                const std::string& where = "") {
  const auto wanted = [&](const Finding& f) {
    return f.code == code && f.rewritten && f.where.text().find(where) != std::string::npos;
  };
  for (const Findings* list : {&a.findings, &a.small})
    if (const auto it = std::ranges::find_if(*list, wanted); it != list->end()) return &*it;
  return nullptr;
}

// The rewrite is found where the fault is, gains at least this share, and changes no value; it is
// not found in the twin.
inline void expect_rewrite(const std::string& code, Write write, double gain,
                           const Scalars& scalars = {}) {
  const catalog::ProgramDef bad = program_with(write, true, scalars);
  const catalog::ProgramDef good = program_with(write, false, scalars);
  const Advice a = advise(bad, on_a2a3());
  ASSERT_TRUE(a.profile) << a.session->diagnostics().text();
  const Finding* f = find_code(a, code);
  ASSERT_TRUE(f) << ir::print(a.session->program());
  EXPECT_GE(f->gain_us() / f->now_us, gain) << ir::print(*f->rewritten);
  for (const OutputMatch& o : compare_results(bad, on_a2a3(), a.session->program(), *f->rewritten))
    EXPECT_TRUE(o.comparison.passed()) << o.name << "\n" << ir::print(*f->rewritten);
  const Advice twin = advise(good, on_a2a3());
  ASSERT_TRUE(twin.profile) << twin.session->diagnostics().text();
  const Finding* still = find_code(twin, code);
  EXPECT_FALSE(still) << still->change << "\n" << ir::print(*still->rewritten);
}

// No rewrite of this kind is proposed.
inline void expect_no_rewrite(const std::string& code, Write write) {
  const catalog::ProgramDef def = program_with(write, true);
  const Advice a = advise(def, on_a2a3());
  ASSERT_TRUE(a.profile) << a.session->diagnostics().text();
  const Finding* f = find_code(a, code);
  EXPECT_FALSE(f) << f->change << "\n" << ir::print(*f->rewritten);
}

}  // namespace tilewright::improve
