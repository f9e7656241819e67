// Tasks that touch the same data without an order: under the rules of a runtime, or because the
// program says that iterations are independent which are not.
#include "case.h"

namespace error_test {
namespace {

// Two scopes that write the same rows, neither reading them.
void two_writers(Builder& p, Twin& t) {
  Tensor x = p.input("x", {16, 64}, F32);
  Tensor y = p.output("y", {16, 64}, F32);
  {
    auto core = p.incore("first");
    assemble(y, exp(x), {0, 0}, t.at("first"));
  }
  auto core = p.incore("second");
  assemble(y, neg(slice(x, {8, 64}, {0, 0})), {4, 0}, t.at("second"));
}

// Ordered iterations that overwrite one tensor.
void overwritten_in_a_loop(Builder& p, Twin& t) {
  Tensor x = p.input("x", {64, 64}, F32);
  Tensor y = p.output("y", {16, 64}, F32);
  for (Index i : p.range(4).named("i")) {
    auto core = p.incore("step");
    assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {0, 0}, t.at("write"));
  }
}

// A tensor is read by one task and overwritten by the next.
void reader_then_writer(Builder& p, Twin& t) {
  Tensor x = p.input("x", {32, 64}, F32);
  Tensor y = p.output("y", {32, 64}, F32);
  Tensor work = p.tensor("work", {16, 64}, F32);
  Tensor fresh = p.tensor("fresh", {16, 64}, F32);
  const auto fill = [&](const Tensor& into, int row, const char* name, Here here) {
    auto core = p.incore(name);
    assemble(into, exp(slice(x, {16, 64}, {row, 0})), {0, 0}, here);
  };
  const auto use = [&](const Tensor& from, int row, const char* name, Here here) {
    auto core = p.incore(name);
    assemble(y, neg(slice(from, {16, 64}, {0, 0}, {}, here)), {row, 0});
  };
  fill(work, 0, "fill_a", t.at("fill_a"));
  use(work, 0, "use_a", t.at("use_a"));
  fill(t.bad ? work : fresh, 16, "fill_b", t.at("fill_b"));
  use(t.bad ? work : fresh, 16, "use_b", t.at("use_b"));
}

std::vector<Case> runtimes() {
  return {
      {.name = "partial_writers_under_april",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program = two_writers,
       .message = R"(error: first and second race on y [4:12, 0:64] (write after write) under runtime rules april-2026: 1 unordered pair
  at {first} and {second}, program demo, scope "second"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
)",
       .setup = {.rules = "april-2026", .good_rules = "exact"}},

      {.name = "partial_writers_are_promoted_in_may",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program = two_writers,
       .message = R"(error: first and second race on y [4:12, 0:64] (write after write) under runtime rules april-2026: 1 unordered pair
  at {first} and {second}, program demo, scope "second"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
)",
       .setup = {.rules = "april-2026", .good_rules = "may-2026"}},

      {.name = "writers_in_a_sequential_loop_under_april",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program = overwritten_in_a_loop,
       .message = R"(error: step[i=0] and step[i=1] race on y [0:16, 0:64] (write after write) under runtime rules april-2026: 3 unordered pairs
  at {write} and {write}, program demo, scope "step"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
)",
       .setup = {.rules = "april-2026", .good_rules = "may-2026"}},

      {.name = "later_writer_that_also_reads",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             {
               auto core = p.incore("first");
               assemble(y, exp(x), {0, 0}, t.at("first"));
             }
             auto core = p.incore("second");
             Tile more = t.bad ? neg(x) : add(neg(x), slice(y, {16, 64}, {0, 0}));
             assemble(y, more, {0, 0}, t.at("second"));
           },
       .message = R"(error: first and second race on y [0:16, 0:64] (write after write) under runtime rules april-2026: 1 unordered pair
  at {first} and {second}, program demo, scope "second"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
)",
       .setup = {.rules = "april-2026"}},

      {.name = "writer_does_not_wait_for_readers",
       .step = Step::Hazards,
       .codes = {"hazard", "hazard"},
       .program = reader_then_writer,
       .message = R"(error: fill_a and fill_b race on work [0:16, 0:64] (write after write) under runtime rules april-2026: 1 unordered pair
  at {fill_a} and {fill_b}, program demo, scope "fill_b"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
error: use_a and fill_b race on work [0:16, 0:64] (write after read) under runtime rules april-2026: 1 unordered pair
  at {use_a} and {fill_b}, program demo, scope "fill_b"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order a writer after earlier readers: use a fresh tensor per iteration
)",
       .setup = {.rules = "april-2026"}},

      {.name = "writer_does_not_wait_for_readers_in_may_either",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program = reader_then_writer,
       .message = R"(error: use_a and fill_b race on work [0:16, 0:64] (write after read) under runtime rules may-2026: 1 unordered pair
  at {use_a} and {fill_b}, program demo, scope "fill_b"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order a writer after earlier readers: use a fresh tensor per iteration
)",
       .setup = {.rules = "may-2026"}},

      // The tensor is one argument: all writers overlap, and a lookup remembers sixteen.
      {.name = "more_writers_than_a_lookup_remembers",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t blocks = t.bad ? 20 : 16;
             Tensor x = p.input("x", {blocks, 64}, F32);
             Tensor y = p.output("y", {1, 64}, F32);
             Tensor all = p.tensor("all", {blocks, 64}, F32);
             for (Index i : p.parallel(blocks).named("i")) {
               auto core = p.incore("make");
               assemble(all, exp(slice(x, {1, 64}, {i, 0})), {i, 0}, t.at("write"));
             }
             auto core = p.incore("sum");
             assemble(y, col_sum(slice(all, {blocks, 64}, {0, 0}, {}, t.at("read"))), {0, 0});
           },
       .message = R"(error: make[i=0] and sum race on all [0:20, 0:64] (read after write) under runtime rules april-2026: 4 unordered pairs
  at {write} and {read}, program demo, scope "sum"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime remembers 16 writers of a tensor: write it by fewer tasks, or combine them in steps
)",
       .setup = {.rules = "april-2026"}},

      // Device data chooses the row of the first write, so it may be any.
      {.name = "writer_at_a_row_that_data_chooses",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor rows = p.input("rows", {1, 8}, I32);
             Tensor x = p.input("x", {1, 64}, F32);
             Tensor cache = p.state("cache", {64, 64}, F32);
             {
               auto core = p.incore("scatter");
               const Index row = p.read(add(rows, 1), {0, 0});
               assemble(cache, exp(x), {row, 0}, t.at("scatter"));
             }
             auto core = p.incore("last");
             assemble(cache, neg(x), {63, 0}, t.at("last"));
           },
       .message = R"(error: scatter and last race on cache [63:64, 0:64] (write after write) under runtime rules april-2026: 1 unordered pair
  at {scatter} and {last}, program demo, scope "last"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
)",
       .setup = {.rules = "april-2026", .good_rules = "exact"}},

      {.name = "state_overwritten_under_april",
       .step = Step::Hazards,
       .codes = {"hazard"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor cache = p.state("cache", {64, 64}, F32);
             Tensor low = slice(cache, {32, 64}, {0, 0}).named("low");
             {
               auto core = p.incore("first");
               assemble(low, exp(x), {0, 0}, t.at("first"));
             }
             auto core = p.incore("second");
             assemble(cache, neg(x), {8, 0}, t.at("second"));
           },
       .message = R"(error: first and second race on cache [8:24, 0:64] (write after write) under runtime rules april-2026: 1 unordered pair
  at {first} and {second}, program demo, scope "second"
  two tasks that touch the same data, one of them writing, need an order
  help: this runtime does not order them: let the later task also read the tensor, or write separate tensors and combine them
)",
       .setup = {.rules = "april-2026", .good_rules = "may-2026"}},
  };
}

std::vector<Case> declared_independent() {
  return {
      {.name = "spmd_blocks_write_one_region",
       .step = Step::Unroll,
       .codes = {"spmd-race"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             for (Index b : p.spmd(4, {.name = "blocks"}, t.at("spmd"))) {
               const Index row = t.bad ? b * 12 : b * 16;
               assemble(y, exp(slice(x, {16, 64}, {row, 0})), {row, 0}, t.at("write"));
             }
           },
       .message = R"(error: iterations 0 and 1 of the spmd loop both touch y [12:28, 0:64] (at {write}): write after write (and 2 more times)
  at {spmd}, program demo, spmd loop
  blocks of one launch run together and have no order
  help: give each block a region of its own, or use an ordered loop
)"},

      {.name = "parallel_iterations_that_depend",
       .step = Step::Hazards,
       .codes = {"parallel-order"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor sum = p.state("sum", {16, 64}, F32);
             const auto body = [&](const Index& i) {
               auto core = p.incore("s");
               Tile old = slice(sum, {16, 64}, {0, 0}, {}, t.at("read"));
               assemble(sum, add(old, slice(x, {16, 64}, {i * 16, 0})), {0, 0}, t.at("write"));
             };
             if (t.bad)
               for (Index i : p.parallel(4, {}, t.at("loop"))) body(i);
             else
               for (Index i : p.range(4)) body(i);
           },
       .message = R"(warning: iterations 0 and 1 of the parallel loop both touch sum [0:16, 0:64] (at {read}): read after write (and 2 more times)
  at {loop}, program demo, parallel loop
  parallel says that iterations are independent; these are not, and are kept in order
  help: use range, or give each iteration a region of its own
)"},
  };
}

}  // namespace

std::vector<Case> hazard_cases() {
  std::vector<Case> all = runtimes();
  const std::vector<Case> more = declared_independent();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Hazard, ErrorCase, testing::ValuesIn(hazard_cases()), case_name);

}  // namespace error_test
