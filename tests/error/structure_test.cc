// Parameters and the end of a program, which the builder checks by itself, and one form that files
// do not have. The other rules of what may stand where are files, in cases/structure.
#include "builder_case.h"

namespace error_test {
namespace {

// The checker refuses it, but a file cannot say it: outside a scope `y = part` is read as another
// name for part.
BuilderCase assign_outside_any_scope() {
  return {.name = "assign_outside_any_scope",
          .step = Step::Compile,
          .codes = {"outside-scope"},
          .program =
              [](Builder& p, Twin& t) {
                Tensor x = p.input("x", {32, 64}, F32);
                Tensor y = p.output("y", {16, 64}, F32);
                const auto work = [&] { assign(y, slice(x, {16, 64}, {16, 0}), t.at("assign")); };
                if (t.bad) return work();
                auto core = p.incore("s");
                work();
              },
          .message = R"(error: assign outside any scope
  at {assign}, program demo, y = slice(...)
  the orchestrator only creates, slices, reshapes and assembles tensors and reads scalars; arithmetic runs on a core
  help: put it in a scope: auto core = p.incore("name");
)"};
}

std::vector<BuilderCase> parameters() {
  return {
      {.name = "parameter_name_is_taken",
       .codes = {"name"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output(t.bad ? "x" : "y", {16, 64}, F32, t.at("y"));
             auto core = p.incore("s");
             assemble(y, exp(x), {0, 0});
           },
       .message = R"(error: parameter name "x" is already used or is not an identifier
  at {y}, program demo
  parameter names are unique identifiers
  help: choose another name
)"},

      {.name = "scalar_name_is_taken",
       .codes = {"name"},
       .program =
           [](Builder& p, Twin& t) {
             const Index rows = p.scalar("n");
             const Index shift = p.scalar(t.bad ? "n" : "shift", t.at("shift"));
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, rows + shift));
           },
       .message = R"(error: parameter name "n" is already used or is not an identifier
  at {shift}, program demo
  parameter names are unique identifiers
  help: choose another name
)"},

      {.name = "program_without_parameters",
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
  a program needs at least one parameter
  help: declare inputs and outputs first
)"},

      {.name = "count_with_a_remainder",
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
  a block count must divide exactly; a remainder would be dropped silently
  help: choose a tile that divides the size, or use ceil_div with a valid shape
)"},
  };
}

}  // namespace

std::vector<BuilderCase> structure_cases() {
  std::vector<BuilderCase> all = parameters();
  all.push_back(assign_outside_any_scope());
  return all;
}

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
  EXPECT_EQ(program.diagnostics.text(), with_places(R"(error: finish() inside 1 open block
  at {finish}, program demo, scope "s"
  every loop, branch and scope must be closed before finish()
  help: call finish() after the last closing brace
)",
                                                    t.places()));
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
    EXPECT_EQ(e.diagnostic().text(), with_places(R"(error: a statement after finish()
  at {scope}, program demo
  a finished program cannot change
  help: call finish() last
)",
                                                 t.places()));
  }
}

}  // namespace error_test
