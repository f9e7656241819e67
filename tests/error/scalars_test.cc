// Scalars and tensors as C++ handles: a file has no expression that can be set, and no second
// program whose handles could be used. The other rules of scalars are files, in cases/scalars.
#include "builder_case.h"

namespace error_test {

std::vector<BuilderCase> scalars_cases() {
  return {
      {.name = "set_of_an_expression",
       .codes = {"set"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             const Index row = p.let("row", 0);
             p.set(t.bad ? row + 1 : row, 3, t.at("set"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, row));
           },
       .message = R"(error: set() of a value that is not a scalar variable
  at {set}, program demo
  only a scalar created by let() can be changed
  help: create it with p.let first
)"},

      {.name = "division_by_a_literal_zero",
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
  the divisor of // and % must not be zero
  help: check the divisor
)"},

      {.name = "index_of_another_program",
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
       .message = R"(error: an index belongs to another program
  at {full}, program demo
  all operands of an operation must belong to one program
  help: create the index with the Builder that uses it
)"},

      {.name = "tensor_of_another_program",
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
  all operands of an operation must belong to one program
  help: build both tensors with the same Builder
)"},

      {.name = "read_from_another_program",
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
  all operands of an operation must belong to one program
  help: read it with the Builder that created it
)"},
  };
}

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
