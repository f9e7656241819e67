// Scalars: set before they are used, at home in one scope and one program, and known to the
// orchestrator before tasks run.
#include "case.h"

namespace error_test {
namespace {

std::vector<Case> scalars() {
  return {
      {.name = "scalar_leaves_its_scope",
       .codes = {"scalar-escape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             Index n = 0;
             if (!t.bad) n = p.read(lens, {2});
             {
               auto core = p.incore("first");
               if (t.bad) n = p.read(lens, {2});
               assign(y, p.full({16, 64}, F32, n));
             }
             auto core = p.incore("second");
             assemble(y, p.full({8, 64}, F32, n, t.at("use")), {0, 0});
           },
       .message = R"(error: scalar lens_value is used outside the scope that makes it
  at {use}, program demo, scope "second", scalar lens_value
  only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar
  help: read or compute the scalar where it is used, or before the scope
)"},

      {.name = "scalar_leaves_an_spmd_body",
       .codes = {"scalar-escape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {64, 64}, F32);
             Index n = 0;
             if (!t.bad) n = p.read(lens, {0});
             for (Index b : p.spmd(4, {.name = "blocks"})) {
               if (t.bad) n = p.read(lens, {0});
               assemble(y, p.full({16, 64}, F32, n), {b * 16, 0});
             }
             auto core = p.incore("after");
             assemble(y, p.full({16, 64}, F32, n, t.at("use")), {0, 0});
           },
       .message = R"(error: scalar lens_value is used outside the scope that makes it
  at {use}, program demo, scope "after", scalar lens_value
  only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar
  help: read or compute the scalar where it is used, or before the scope
)"},

      {.name = "loop_variable_after_its_loop",
       .codes = {"undefined-scalar"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             auto core = p.incore("s");
             Index last = 3;
             for (Index i : p.range(4)) {
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
               if (t.bad) last = i;
             }
             assemble(y, slice(x, {16, 64}, {last * 16, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: loop variable i is used outside its loop
  at {slice}, program demo, scope "s", scalar i
  a scalar is set on every path before it is used, and a loop variable ends with its loop
  help: keep the number in a scalar made by let before the loop
)"},

      {.name = "scalar_set_on_one_branch",
       .codes = {"undefined-scalar"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Index row = t.bad ? Index(0) : p.let("row", 0);
             {
               auto then = p.when(n > 2);
               if (t.bad)
                 row = p.let("row", 16);
               else
                 p.set(row, 16);
             }
             auto core = p.incore("s");
             assemble(y, exp(slice(x, {16, 64}, {row, 0}, {}, t.at("slice"))), {0, 0});
           },
       .message = R"(error: scalar row is used before it is set
  at {slice}, program demo, scope "s", scalar row
  a scalar is set on every path before it is used, and a loop variable ends with its loop
  help: set it before the branch or loop that may not run
)",
       .setup = {.scalars = {{"n", 5}}}},

      {.name = "set_of_an_expression",
       .step = Step::Build,
       .codes = {"set"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             const Index row = p.let("row", 0);
             p.set(t.bad ? row + 1 : row, 3, t.at("set"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, row));
           },
       .message = R"(error: set() of something that is not one scalar variable
  at {set}, program demo
  only a scalar made by let() can be changed
  help: name it with p.let first
)"},

      {.name = "division_by_a_literal_zero",
       .step = Step::Build,
       .codes = {"division"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Operand blocks(t.bad ? 0 : 4, t.at("divide"));
             assign(y, p.full({16, 64}, F32, n % 8 + Index(64) / blocks));
           },
       .message = R"(error: an index expression divides by zero
  at {divide}
  // and % need a divisor that is not zero
  help: check the divisor
)"},

      {.name = "index_of_another_program",
       .step = Step::Build,
       .codes = {"foreign-scalar"},
       .program =
           [](Builder& p, Twin& t) {
             Builder other("other");
             for (int i = 0; i < 8; ++i) other.scalar("n" + std::to_string(i));
             const Index theirs = other.scalar("m");
             const Index ours = p.scalar("m");
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, t.bad ? theirs : ours, t.at("full")));
           },
       .message = R"(error: an index of another program is used
  at {full}, program demo
  an operation works within one program
  help: make the index with the Builder that uses it
)"},

      {.name = "tensor_of_another_program",
       .step = Step::Build,
       .codes = {"foreign-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             Builder other("other");
             Tensor theirs = other.input("x", {16, 64}, F32);
             Tensor ours = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, add(ours, t.bad ? theirs : ours, t.at("add")));
           },
       .message = R"(error: add of tensors that belong to programs demo and other
  at {add}
  an operation works within one program
  help: build both tensors with the same Builder
)"},

      {.name = "read_from_another_program",
       .step = Step::Build,
       .codes = {"foreign-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             Builder other("other");
             Tensor theirs = other.input("lens", {4}, I32);
             Tensor ours = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, p.read(t.bad ? theirs : ours, {0}, t.at("read"))));
           },
       .message = R"(error: read of a tensor that belongs to program other in program demo
  at {read}
  an operation works within one program
  help: read it with the Builder that made it
)"},
  };
}

// ---- the orchestrator, found when the plan is unrolled -----------------------------------------

std::vector<Case> orchestration() {
  return {
      {.name = "trip_count_from_a_task",
       .step = Step::Unroll,
       .codes = {"device-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor counts = p.output("counts", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             {
               auto core = p.incore("count");
               assemble(counts, add(slice(lens, {4}, {0}), 1), {0});
             }
             const Index n = p.read(t.bad ? counts : lens, {2}, t.at("read"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: the orchestrator reads counts, which tasks write
  at {read}, program demo, counts_value = pl.tensor.read(counts, [2])
  the orchestrator runs ahead of the tasks, so it can only read In parameters
  help: read it inside the scope that needs it
)"},

      {.name = "branch_on_device_data",
       .step = Step::Unroll,
       .codes = {"device-control"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {1, 8}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, 0.0));
             Tile longer = add(lens, 1);
             const Index n = p.read(t.bad ? longer : lens, {0, 0});
             auto then = p.when(n > 3, t.at("when"));
             assemble(y, p.full({8, 64}, F32, 1.0), {0, 0});
           },
       .message = R"(error: a loop or branch depends on a value that a task computes
  at {when}, program demo, scope "s"
  control flow is decided before tasks run: by loop variables, scalar parameters and reads of In parameters
  help: pass the value as an In parameter, or compute both sides and select
)"},

      {.name = "scalar_without_data",
       .step = Step::Unroll,
       .codes = {"no-data"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             const Index n = p.read(lens, {2}, t.at("read"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: no data for lens
  at {read}, program demo, lens_value = pl.tensor.read(lens, [2])
  scalars that decide control flow must be known before tasks run
  help: bind the parameter
)",
       .setup = {.unbound = "lens"}},

      {.name = "while_that_never_ends",
       .step = Step::Unroll,
       .codes = {"endless"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             const Index k = p.let("k", 0);
             {
               auto body = p.loop_while(k < 8, t.at("while"));
               p.set(k, t.bad ? k : k + 1);
             }
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, k));
           },
       .message = R"(error: a loop runs more than 10000000 times
  at {while}, program demo
  a program ends
  help: check the condition or the bounds
)"},

      {.name = "division_by_a_zero_scalar",
       .step = Step::Unroll,
       .codes = {"division"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const Index row = p.let("row", Index(32) / (t.bad ? n : n + 1), t.at("let"));
             auto core = p.incore("s");
             assemble(y, exp(slice(x, {16, 64}, {row, 0})), {0, 0});
           },
       .message = R"(error: an index expression divides by zero
  at {let}, program demo
  // and % need a divisor that is not zero
  help: check the divisor
)"},

      {.name = "offset_beyond_64_bits",
       .step = Step::Unroll,
       .codes = {"overflow"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const int64_t stride = t.bad ? int64_t{1} << 62 : 16;
             assemble(y, exp(slice(x, {16, 64}, {n * stride, 0}, {}, t.at("slice"))), {0, 0});
           },
       .message = R"(error: an index expression does not fit in 64 bits
  at {slice}, program demo, scope "s"
  scalar arithmetic is 64-bit and never wraps
  help: check the shapes and offsets
)",
       .setup = {.scalars = {{"n", 3}}}},

      {.name = "reshape_of_separate_rows",
       .step = Step::Unroll,
       .codes = {"reshape-view"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 128}, F32);
             Tensor y = p.output("y", {8, 128}, F32);
             Tensor half = t.bad ? slice(x, {16, 64}, {0, 0}) : slice(x, {8, 128}, {0, 0});
             half.named("half");
             Tensor flat = reshape(half, {8, 128}, t.at("reshape"));
             auto core = p.incore("s");
             assemble(y, exp(flat), {0, 0});
           },
       .message = R"(error: reshape of half, a slice whose rows are not adjacent
  at {reshape}, program demo, reshape = pl.reshape(half, [8, 128])
  an orchestrator reshape renames the same memory, so it needs adjacent elements
  help: reshape the whole tensor first and slice afterwards
)"},
  };
}

}  // namespace

std::vector<Case> scalars_cases() {
  std::vector<Case> all = scalars();
  const std::vector<Case> more = orchestration();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scalars, ErrorCase, testing::ValuesIn(scalars_cases()), case_name);

TEST(Places, AreTheCallersOwnWithoutBeingAskedFor) {
  Builder p("demo");
  const Index n = p.scalar("n");
  Tensor x = p.input("x", {16, 64}, F32);
  const std::string next = Here(__FILE__, __LINE__ + 1).place().text();
  slice(x, {16, 64}, {n});
  EXPECT_NE(p.program().diagnostics.text().find("at " + next), std::string::npos);

  const std::string division = Here(__FILE__, __LINE__ + 2).place().text();
  try {
    (void)(n + Index(1) / 0);
    FAIL() << "a division by zero";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().where, "at " + division);
  }
}

}  // namespace error_test
