// Which tasks a written argument waits for, by date: the table of the original's rules, row by row.
#include <gtest/gtest.h>

#include <functional>

#include "tilewright/compile/compile.h"
#include "tilewright/compile/unroll/submit_role.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/ir/plan.h"

namespace tilewright {
namespace {

using namespace dsl;

// Writes row `row` of t in a task of its own.
void write(Builder& p, const Tensor& t, const Index& row) {
  auto core = p.incore("w");
  assemble(t, p.full({1, 8}, DType::F32, 1.0), {row, 0});
}

struct Form {
  const char* name;
  std::function<void(Builder&, const Tensor&)> body;  // writes the tensor and nothing else
};

const std::vector<Form> kForms{
    {"one call", [](Builder& p, const Tensor& t) { write(p, t, 0); }},
    {"two calls",
     [](Builder& p, const Tensor& t) {
       write(p, t, 0);
       write(p, t, 1);
     }},
    {"parallel loop",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.parallel(4)) write(p, t, i);
     }},
    {"two parallel loops",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.parallel(4)) write(p, t, i);
       for (Index i : p.parallel(4)) write(p, t, i);
     }},
    {"range loop",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.range(4)) write(p, t, i);
     }},
    {"range loop, one row",
     [](Builder& p, const Tensor& t) {
       for ([[maybe_unused]] Index i : p.range(4)) write(p, t, 0);
     }},
    {"range loop of one trip",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.range(2, 4, 2)) write(p, t, i);
     }},
    {"range loop of two trips",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.range(2, 4, 1)) write(p, t, i);
     }},
    {"one trip between outer variables",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.parallel(4))
         for (Index j : p.range(i, i + 1)) write(p, t, j);
     }},
    {"one trip in a range loop",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.range(4))
         for ([[maybe_unused]] Index j : p.range(1)) write(p, t, i);
     }},
    {"a call after no trip",
     [](Builder& p, const Tensor& t) {
       for ([[maybe_unused]] Index i : p.range(0)) write(p, t, 0);
       write(p, t, 1);
     }},
    {"a call after a branch never taken",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.range(1)) {
         auto then = p.when(i > 0);
         write(p, t, 0);
       }
       write(p, t, 1);
     }},
    {"parallel in range",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.range(2))
         for (Index j : p.parallel(2)) write(p, t, i * 2 + j);
     }},
    {"range in parallel",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.parallel(2))
         for (Index j : p.range(2)) write(p, t, i * 2 + j);
     }},
    {"both sides of an if",
     [](Builder& p, const Tensor& t) {
       const Index n = p.scalar("n");
       {
         auto then = p.when(n > 0);
         write(p, t, 0);
       }
       {
         auto other = p.otherwise();
         write(p, t, 1);
       }
     }},
    {"an if after a writer",
     [](Builder& p, const Tensor& t) {
       const Index n = p.scalar("n");
       write(p, t, 0);
       auto then = p.when(n > 0);
       write(p, t, 1);
     }},
    {"a call after an if",
     [](Builder& p, const Tensor& t) {
       const Index n = p.scalar("n");
       {
         auto then = p.when(n > 0);
         write(p, t, 0);
       }
       write(p, t, 1);
     }},
    {"two calls in a parallel loop",
     [](Builder& p, const Tensor& t) {
       for (Index i : p.parallel(2)) {
         write(p, t, i);
         write(p, t, i + 2);
       }
     }},
    {"a slice after the whole",
     [](Builder& p, const Tensor& t) {
       write(p, t, 0);
       write(p, slice(t, {2, 8}, {2, 0}), 0);
     }},
    {"launches in a row",
     [](Builder& p, const Tensor& t) {
       for (Index b : p.spmd(4, {.name = "s"}))
         assemble(t, p.full({1, 8}, DType::F32, 1.0), {b, 0});
       for (Index b : p.spmd(4, {.name = "s"}))
         assemble(t, p.full({1, 8}, DType::F32, 1.0), {b, 0});
     }},
};

enum class What { Local, OutParameter, InOutParameter };

std::string roles(const Form& form, What what, std::string_view rules) {
  Builder p("form");
  p.input("unused", {1, 8}, DType::F32);  // a program has a parameter
  form.body(p, what == What::Local          ? p.tensor("t", {4, 8}, DType::F32)
               : what == What::OutParameter ? p.output("t", {4, 8}, DType::F32)
                                            : p.state("t", {4, 8}, DType::F32));
  Diagnostics diagnostics;
  const auto plan =
      compile::compile(p.finish(), platform::builtin_platform("a2a3"), {}, diagnostics);
  EXPECT_TRUE(plan.has_value()) << diagnostics.text();
  if (!plan) return "";
  std::string text;
  const auto* r = platform::find_runtime_rules(rules);
  EXPECT_NE(r, nullptr) << rules;
  for (const auto& kernel : compile::submit_roles(*plan, *r)) {
    EXPECT_EQ(kernel.size(), 1u) << "only t is passed";
    if (!text.empty()) text += ' ';
    text += ir::submit_role_name(kernel[0]);
  }
  return text;
}

struct Row {
  const char* form;
  const char* expected;
};

void expect_rows(What what, const std::vector<std::string>& dates, const std::vector<Row>& rows) {
  for (const std::string& date : dates)
    for (const Row& row : rows) {
      const auto form = std::ranges::find(kForms, std::string_view(row.form), &Form::name);
      ASSERT_NE(form, kForms.end()) << row.form;
      EXPECT_EQ(roles(*form, what, date), row.expected) << row.form << " under " << date;
    }
}

const std::vector<Row> kStaticRule{
    {"one call", "OutputExisting"},
    {"two calls", "OutputExisting InOut"},
    {"parallel loop", "OutputExisting"},
    {"two parallel loops", "OutputExisting InOut"},
    {"range loop", "InOut"},
    {"range loop, one row", "InOut"},
    {"parallel in range", "InOut"},
    {"range in parallel", "InOut"},
    {"both sides of an if", "OutputExisting OutputExisting"},
    {"an if after a writer", "OutputExisting InOut"},
    {"a call after an if", "OutputExisting InOut"},
    {"two calls in a parallel loop", "OutputExisting InOut"},
    {"a slice after the whole", "OutputExisting InOut"},
    {"launches in a row", "OutputExisting InOut"},
};

TEST(SubmitRole, WritersWereNotOrderedAtFirst) {
  for (What what : {What::Local, What::OutParameter, What::InOutParameter})
    expect_rows(what, {"april-2026"},
                {{"one call", "OutputExisting"},
                 {"two calls", "OutputExisting OutputExisting"},
                 {"range loop", "OutputExisting"}});
}

TEST(SubmitRole, ForADayEveryLocalBufferWaited) {
  expect_rows(What::Local, {"2026-04-22"},
              {{"one call", "InOut"}, {"two calls", "InOut InOut"}, {"parallel loop", "InOut"}});
  expect_rows(What::OutParameter, {"2026-04-22"},
              {{"one call", "OutputExisting"}, {"range loop", "OutputExisting"}});
}

TEST(SubmitRole, LocalBuffersFollowTheStaticRule) {
  expect_rows(What::Local,
              {"2026-04-23", "2026-04-24", "2026-04-29", "may-2026", "june-2026", "july-2026",
               "august-2026"},
              kStaticRule);
}

TEST(SubmitRole, ParametersFollowItSixDaysLater) {
  expect_rows(What::OutParameter, {"2026-04-23", "2026-04-24"},
              {{"two calls", "OutputExisting OutputExisting"}, {"range loop", "OutputExisting"}});
  expect_rows(What::OutParameter, {"2026-04-29", "may-2026", "august-2026"}, kStaticRule);
}

TEST(SubmitRole, AnInOutParameterAlwaysWaits) {
  expect_rows(What::InOutParameter, {"2026-04-29", "may-2026", "august-2026"},
              {{"one call", "InOut"}, {"parallel loop", "InOut"}});
}

TEST(SubmitRole, WhatIsCertainIsFoldedFromEndOfApril) {
  expect_rows(What::Local, {"2026-04-29"},
              {{"range loop of one trip", "InOut"},
               {"one trip between outer variables", "InOut"},
               {"a call after no trip", "InOut InOut"},
               {"a call after a branch never taken", "InOut InOut"}});
  expect_rows(What::Local, {"2026-04-30", "may-2026", "august-2026"},
              {{"range loop of one trip", "OutputExisting"},
               {"range loop of two trips", "InOut"},
               {"one trip between outer variables", "OutputExisting"},
               {"one trip in a range loop", "InOut"},
               {"a call after no trip", "OutputExisting OutputExisting"},
               {"a call after a branch never taken", "OutputExisting OutputExisting"}});
}

TEST(SubmitRole, ForNineDaysVaryingStoresWereSpared) {
  expect_rows(What::Local, {"2026-05-06"},
              {{"range loop", "OutputExisting"},
               {"range loop, one row", "InOut"},
               {"parallel in range", "OutputExisting"},
               {"range in parallel", "OutputExisting"},
               {"two calls", "OutputExisting InOut"}});
}

}  // namespace
}  // namespace tilewright
