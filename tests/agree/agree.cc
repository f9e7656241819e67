#include "agree.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "tilewright/base/encoding.h"
#include "tilewright/base/rng.h"
#include "tilewright/compile/compile.h"
#include "tilewright/cpu/simd/exp.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace agree_test {
namespace {

// Random codes, and scales that are numbers.
void fill_blocks(HostArray& a, Rng& rng) {
  for (int64_t i = 0; i < a.byte_size(); ++i)
    a.data()[i] = static_cast<std::byte>(rng.integer(0, 256));
  for (int64_t at = 0; at < a.byte_size(); at += block_bytes(a.dtype()))
    set_block_scale(a.dtype(), a.data() + at, 2.0f);
}

struct Data {
  std::vector<HostArray> arrays;
  ir::Bindings bindings;

  Data(const ir::Program& program, const Prepare& prepare) {
    for (const ir::Param& p : program.params) {
      const ir::Var& v = program[p.var];
      HostArray a(v.dtype, v.shape);
      Rng rng(seed_for(1, v.name.c_str()));
      if (is_encoded(v.dtype)) fill_blocks(a, rng);
      for (int64_t i = 0; i < a.size() && !is_encoded(v.dtype); ++i)
        a.set(i, is_float(v.dtype)
                     ? rng.uniform() * 4 - 2
                     : static_cast<double>(rng.integer(0, v.dtype == DType::Bool ? 2 : 5)));
      if (prepare) prepare(v, a);
      arrays.push_back(std::move(a));
    }
    bind();
  }
  Data(const Data& o) {
    for (const HostArray& a : o.arrays) arrays.push_back(a.clone());
    bind();
  }
  void bind() {
    for (HostArray& a : arrays) bindings.arrays.push_back(&a);
    bindings.scalars.resize(arrays.size());
  }
};

bool same(const HostArray& actual, const HostArray& expected, int64_t i) {
  const auto bytes = static_cast<std::size_t>(bytes_of(actual.dtype(), 1));
  const auto at = bytes * static_cast<std::size_t>(i);
  if (std::memcmp(actual.data() + at, expected.data() + at, bytes) == 0) return true;
  const double a = actual.at(i);
  const double e = expected.at(i);
  return std::isnan(a) && std::isnan(e);  // which NaN is not promised
}

void expect_same(const ir::Program& program, const Data& actual, const Data& expected,
                 const std::string& how) {
  for (std::size_t p = 0; p < actual.arrays.size(); ++p) {
    if (is_encoded(actual.arrays[p].dtype())) continue;  // never written
    for (int64_t i = 0; i < actual.arrays[p].size(); ++i) {
      if (same(actual.arrays[p], expected.arrays[p], i)) continue;
      ADD_FAILURE() << how << ": " << program[program.params[p].var].name << "[" << i << "] is "
                    << actual.arrays[p].at(i) << ", golden says " << expected.arrays[p].at(i);
      return;
    }
  }
}

// One plan, and runs of it that are compared.
class Runs {
 public:
  Runs(const ir::Program& program, const ir::Plan& plan, const ir::TaskGraph& graph)
      : program_(program), plan_(plan), graph_(graph) {}

  Data golden(const Data& inputs) const {
    Data out(inputs);
    golden::run_tasks(plan_, graph_, out.bindings, std::nullopt, cpu::simd::exponential);
    return out;
  }
  Data cpu(const Data& inputs, cpu::InstructionSet instructions, int threads) const {
    cpu::Pool pool(threads);
    cpu::Options options{.threads = threads, .instructions = instructions};
    if (threads > 1) options.order_seed = 7;
    cpu::Executable executable(plan_, graph_, options);
    Data out(inputs);
    const cpu::PackedWeights weights = executable.bind_weights(out.bindings);
    executable.run(pool, weights, out.bindings);
    return out;
  }
  void expect(const Data& actual, const Data& expected, const std::string& how) const {
    expect_same(program_, actual, expected, how);
  }

 private:
  const ir::Program& program_;
  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
};

// All that add in ascending k; of instructions that this machine may lack, a model.
std::vector<cpu::InstructionSet> sets_to_compare() {
  std::vector<cpu::InstructionSet> sets = cpu::InstructionSet::all();
  for (const cpu::simd::Kernels* model : cpu::simd::modelled_kernels()) sets.emplace_back(*model);
  std::erase_if(sets, [](const cpu::InstructionSet& s) { return !s.adds_in_ascending_k(); });
  return sets;
}

void expect_golden(const Runs& runs, const Data& inputs) {
  const Data expected = runs.golden(inputs);
  // Every run gives the same bits, also where golden's differ.
  const Data first = runs.cpu(inputs, cpu::InstructionSet::named("plain"), 1);
  for (const cpu::InstructionSet& set : sets_to_compare()) {  // adds in another order
    for (const int threads : {1, 3}) {
      const Data actual = runs.cpu(inputs, set, threads);
      const std::string how = fmt::format("{}, {} threads", set.name(), threads);
      runs.expect(actual, expected, how);
      runs.expect(actual, first, how + " against the first run");
    }
  }
}

// Whole numbers stay whole numbers.
bool only_multiplies(const ir::Program& program) {
  bool only = true;
  ir::for_each_op(program.body, [&](const ir::Op& op) {
    const ir::OpFamily family = ir::op_family(op.kind);
    const bool layout = op.kind == ir::OpKind::Reshape || op.kind == ir::OpKind::Transpose ||
                        op.kind == ir::OpKind::Concat || op.kind == ir::OpKind::SetValid;
    only = only && (family == ir::OpFamily::Matmul || family == ir::OpFamily::Memory || layout);
  });
  return only;
}

// AMX, or a model of it; nothing on machines that have neither AMX nor AVX-512.
std::optional<cpu::InstructionSet> amx_or_model() {
  const cpu::InstructionSet fastest = cpu::InstructionSet::fastest();
  if (!fastest.adds_in_ascending_k()) return fastest;
  for (const cpu::simd::Kernels* model : cpu::simd::modelled_kernels())
    if (!model->ascending) return cpu::InstructionSet(*model);
  return std::nullopt;
}

void expect_amx(const Runs& runs, const Data& inputs, bool only_products) {
  const auto found = amx_or_model();
  if (!found) return;
  const cpu::InstructionSet& amx = *found;
  runs.expect(runs.cpu(inputs, amx, 3), runs.cpu(inputs, amx, 1), "AMX, 3 threads");
  if (!only_products) return;
  Data whole(inputs);
  for (HostArray& a : whole.arrays)
    for (int64_t i = 0; i < a.size(); ++i)
      if (is_float(a.dtype())) a.set(i, std::round(a.at(i)));
  runs.expect(runs.cpu(whole, amx, 2), runs.golden(whole), "AMX, whole numbers");
}

}  // namespace

void expect_agreement(const ir::Program& program, const Prepare& prepare) {
  ASSERT_FALSE(program.diagnostics.has_errors()) << program.diagnostics.text();
  const Data inputs(program, prepare);
  Diagnostics diagnostics;
  const auto plan = compile::compile(program, platform::builtin_platform("cpu"), {}, diagnostics);
  ASSERT_TRUE(plan) << diagnostics.text();
  const auto graph = compile::unroll(*plan, inputs.bindings, diagnostics);
  ASSERT_TRUE(graph) << diagnostics.text();
  const Runs runs(program, *plan, *graph);
  expect_golden(runs, inputs);
  expect_amx(runs, inputs, only_multiplies(program));
}

void expect_agreement(const Body& body, const Prepare& prepare, Here here) {
  SCOPED_TRACE(here.place().text());
  Builder p("agree");
  body(p);
  expect_agreement(p.finish(), prepare);
}

std::string groups_of(const Body& body) {
  Builder p("groups");
  body(p);
  Diagnostics d;
  const auto plan = compile::compile(p.finish(), platform::builtin_platform("cpu"), {}, d);
  if (!plan) return d.text();
  std::vector<std::string_view> names;
  for (const ir::Kernel& k : plan->kernels)
    ir::for_each_node(k.lowered.body, [&](const ir::LoweredNode& n) {
      if (const auto* group = n.as<ir::Group>()) names.push_back(ir::group_name(*group));
    });
  return fmt::format("{}", fmt::join(names, " "));
}

void expect_op(const std::vector<ir::ArrayType>& inputs, const ir::ArrayType& output,
               const TileBody& body, const Prepare& prepare, Here here) {
  expect_agreement(
      [&](Builder& p) {
        std::vector<Tensor> params;
        for (std::size_t i = 0; i < inputs.size(); ++i)
          params.push_back(p.input(fmt::format("x{}", i), inputs[i].shape, inputs[i].dtype));
        const Tensor y = p.state("y", output.shape, output.dtype);
        auto core = p.incore("body");
        assemble(y, body(p, params), Indices(output.shape.size(), 0));
      },
      prepare, here);
}

}  // namespace agree_test
