// What may stand where: ops, scopes and parameters.
#include "case.h"

namespace error_test {
namespace {

// Builds `work` inside a scope, or bare for the bad twin.
template <class Work>
void in_scope_unless_bad(Builder& p, Twin& t, Work&& work) {
  if (t.bad) {
    work();
    return;
  }
  auto core = p.incore("s");
  work();
}

std::vector<Case> scopes() {
  return {
      {.name = "op_outside_any_scope",
       .codes = {"outside-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             in_scope_unless_bad(p, t, [&] { assemble(y, exp(x, t.at("exp")), {0, 0}); });
           },
       .message = R"(error: exp outside any scope
  at {exp}, program demo, exp = pl.exp(x)
  the orchestrator only creates, slices, reshapes, assembles and reads scalars; arithmetic runs on a core
  help: put it in a scope: auto core = p.incore("name");
)"},

      {.name = "assign_outside_any_scope",
       .codes = {"outside-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {32, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             in_scope_unless_bad(p, t, [&] {
               assign(y, slice(x, {16, 64}, {16, 0}), t.at("assign"));
             });
           },
       .message = R"(error: assign outside any scope
  at {assign}, program demo, y = slice
  the orchestrator only creates, slices, reshapes, assembles and reads scalars; arithmetic runs on a core
  help: put it in a scope: auto core = p.incore("name");
)"},

      {.name = "tile_outside_any_scope",
       .codes = {"tile-outside-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor between = t.bad ? p.tile({16, 64}, F32, MemorySpace::Vec, t.at("tile"))
                                    : p.tensor("between", {16, 64}, F32);
             {
               auto core = p.incore("first");
               assemble(between, exp(x), {0, 0});
             }
             auto core = p.incore("second");
             assemble(y, exp(between), {0, 0});
           },
       .message = R"(error: on-chip tile in Vec outside any scope
  at {tile}, program demo, tile = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
  a tile lives on a core and so inside a scope
  help: move it into the scope that uses it, or make it a GM tensor with p.tensor
)"},

      {.name = "tile_in_global_memory",
       .codes = {"tile-space"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile e = p.tile({16, 64}, F32, t.bad ? MemorySpace::GM : MemorySpace::Vec, t.at("tile"));
             assemble(e, exp(x), {0, 0});
             assemble(y, e, {0, 0});
           },
       .message = R"(error: tile in GM
  at {tile}, program demo, scope "s", tile = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.GM)
  a tile lives in a memory of its core; GM is reached by load and store
  help: make a tensor outside the scope and assemble into it
)"},

      {.name = "scope_inside_a_scope",
       .codes = {"nested-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto body = [&] {
               auto inner = p.incore("inner", t.at("inner"));
               assemble(y, exp(x), {0, 0});
             };
             if (t.bad) {
               auto outer = p.incore("outer");
               assemble(y, exp(x), {0, 0});
               body();
             } else {
               body();
             }
           },
       .message = R"(error: scope "inner" inside a scope
  at {inner}, program demo, scope "outer"
  one scope is one task; a scope cannot start another
  help: close the outer scope first; values cross between scopes through GM
)"},

      {.name = "spmd_inside_a_scope",
       .codes = {"nested-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             const auto body = [&] {
               for (Index b : p.spmd(4, {.name = "blocks"}, t.at("spmd")))
                 assemble(y, exp(slice(x, {16, 64}, {b * 16, 0})), {b * 16, 0});
             };
             if (t.bad) {
               auto outer = p.incore("outer");
               body();
             } else {
               body();
             }
           },
       .message = R"(error: spmd inside a scope
  at {spmd}, program demo, scope "outer"
  one scope is one task; a scope cannot start another
  help: close the outer scope first; values cross between scopes through GM
)"},

      {.name = "scope_for_the_host",
       .codes = {"level"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.at(t.bad ? Level::Host : Level::AIV, "s", {}, t.at("scope"));
             assemble(y, exp(x), {0, 0});
           },
       .message = R"(error: scope at level HOST
  at {scope}, program demo, scope "s"
  a device scope runs on the cores of one cluster
  help: use CORE_GROUP, or AIC / AIV to insist on one kind of core
)"},

      {.name = "valid_shape_of_a_view",
       .codes = {"view-valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const SliceOptions eight{.valid_shape = {8, 64}};
             Tensor view = slice(x, {16, 64}, {0, 0}, t.bad ? eight : SliceOptions{}, t.at("view"));
             auto core = p.incore("s");
             assemble(y, fillpad(slice(view, {16, 64}, {0, 0}, eight), Pad::Zero), {0, 0});
           },
       .message = R"(error: slice of x outside any scope with a valid shape
  at {view}, program demo, slice = pl.slice(x, [16, 64], [0, 0], valid_shape=[8, 64])
  outside a scope a slice is another name for GM memory; only tiles have a valid shape
  help: give the valid shape to the slice inside the scope
)"},

      {.name = "assemble_that_costs_a_task",
       .step = Step::Hazards,
       .codes = {"assemble-copies"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {32, 64}, F32);
             Tensor part = p.tensor("part", {16, 64}, F32);
             {
               auto core = p.incore("make");
               assemble(part, exp(x), {0, 0});
             }
             assemble(y, part, {0, 0}, t.at("copy"));
             auto core = p.incore("rest");
             assemble(y, exp(slice(t.bad ? part : x, {16, 64}, {0, 0})), {16, 0});
           },
       .message = R"(note: assemble of part costs a copy task of 4 KiB
  at {copy}, program demo, y = pl.assemble(y, part, [0, 0])
  an orchestrator assemble is free only when its source is made by scopes, placed once, and not used afterwards
  help: assemble inside the scope that makes the value
)"},
  };
}

std::vector<Case> parameters() {
  return {
      {.name = "input_is_written",
       .codes = {"writes-input"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor cache =
                 t.bad ? p.input("cache", {16, 64}, F32) : p.state("cache", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(cache, exp(x), {0, 0}, t.at("write"));
           },
       .message = R"(error: assemble writes parameter cache, which is declared In
  at {write}, program demo, scope "s", cache = pl.assemble(cache, exp, [0, 0])
  an In parameter is never changed; what is written must be declared
  help: declare it Out, or InOut (p.state) if its old contents matter
)"},

      {.name = "input_is_written_through_a_view",
       .codes = {"writes-input"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor cache =
                 t.bad ? p.input("cache", {64, 64}, F32) : p.state("cache", {64, 64}, F32);
             Tensor rows = slice(cache, {16, 64}, {32, 0}).named("rows");
             auto core = p.incore("s");
             assemble(rows, exp(x), {0, 0}, t.at("write"));
           },
       .message = R"(error: assemble writes parameter cache through its view rows, which is declared In
  at {write}, program demo, scope "s", rows = pl.assemble(rows, exp, [0, 0])
  an In parameter is never changed; what is written must be declared
  help: declare it Out, or InOut (p.state) if its old contents matter
)"},

      {.name = "output_is_never_written",
       .codes = {"out-unwritten"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor z = p.output("z", {16, 64}, F32, t.at("z"));
             auto core = p.incore("s");
             assemble(y, exp(x), {0, 0});
             if (!t.bad) assemble(z, neg(x), {0, 0});
           },
       .message = R"(error: output z is never written
  at {z}, program demo, parameter z [16 x 64] f32
  an Out parameter is written whole before the program ends
  help: assemble or assign the result into it
)"},

      {.name = "output_is_replaced",
       .codes = {"rebind"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {32, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {0, 0})), {0, 0});
             }
             slice(x, {16, 64}, {16, 0}, {}, t.at("slice"));
           },
       .message = R"(error: slice replaces parameter y
  at {slice}, program demo, y = pl.slice(x, [16, 64], [16, 0])
  a parameter is the caller's buffer: it is written, never replaced
  help: assemble the value into it, or assign it inside a scope
)",
       .edit = [](ir::Program& p) { p.body[1].as<ir::Op>()->dst = p.params[1].var; }},

      {.name = "parameter_name_is_taken",
       .step = Step::Build,
       .codes = {"name"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output(t.bad ? "x" : "y", {16, 64}, F32, t.at("y"));
             auto core = p.incore("s");
             assemble(y, exp(x), {0, 0});
           },
       .message = R"(error: parameter name "x" is taken or not an identifier
  at {y}, program demo
  parameters are found by name, so each has its own
  help: choose another name
)"},

      {.name = "scalar_name_is_taken",
       .step = Step::Build,
       .codes = {"name"},
       .program =
           [](Builder& p, Twin& t) {
             const Index rows = p.scalar("n");
             const Index shift = p.scalar(t.bad ? "n" : "shift", t.at("shift"));
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, rows + shift));
           },
       .message = R"(error: parameter name "n" is taken or not an identifier
  at {shift}, program demo
  parameters are found by name, so each has its own
  help: choose another name
)"},

      {.name = "program_without_parameters",
       .step = Step::Build,
       .codes = {"no-params"},
       .program =
           [](Builder& p, Twin& t) {
             if (t.bad) return;
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, 0.0));
           },
       .message = R"(error: program "demo" has no parameters
  at {finish}, program demo
  a program works on named parameters
  help: declare inputs and outputs first
)"},

      {.name = "count_with_a_remainder",
       .step = Step::Build,
       .codes = {"exact-div"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t tile = t.bad ? 24 : 16;
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             for (Index i : p.parallel(p.exact_div(64, tile, t.at("div")))) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {tile, 64}, {i * tile, 0})), {i * tile, 0});
             }
           },
       .message = R"(error: 64 is not a multiple of 24: 16 left over
  at {div}, program demo
  a block count is an exact quotient; a remainder would be dropped silently
  help: choose a tile that divides the size, or use ceil_div with a valid shape
)"},
  };
}

}  // namespace

std::vector<Case> structure_cases() {
  std::vector<Case> all = scopes();
  const std::vector<Case> more = parameters();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Structure, ErrorCase, testing::ValuesIn(structure_cases()), case_name);

// ---- the end of a program ----------------------------------------------------------------------

TEST(Finish, InsideOpenBlocksIsTold) {
  Builder p("demo");
  Twin t(true);
  Tensor x = p.input("x", {16, 64}, F32);
  Tensor y = p.output("y", {16, 64}, F32);
  ir::Program program;
  {
    auto core = p.incore("s");
    assemble(y, exp(x), {0, 0});
    program = p.finish(t.at("finish"));
  }
  EXPECT_EQ(program.diagnostics.text(), t.with_places(R"(error: finish() inside 1 open block
  at {finish}, program demo, scope "s"
  every loop, branch and scope is closed before the program is finished
  help: call finish() after the last closing brace
)"));
}

TEST(Finish, StatementsAfterItAreTold) {
  Builder p("demo");
  Twin t(true);
  p.input("x", {16, 64}, F32);
  const ir::Program program = p.finish();
  try {
    auto core = p.incore("s", t.at("scope"));
    FAIL() << "a scope after finish()";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().text(), t.with_places(R"(error: a statement after finish()
  at {scope}, program demo
  a finished program does not change
  help: call finish() last
)"));
  }
}

}  // namespace error_test
