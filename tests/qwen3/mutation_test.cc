// Does the suite notice? Each mutation edits a finished program; the comparison with the reference,
// or the checker, must then refuse it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace qwen3_test {
namespace {

using ir::Op;
using ir::OpKind;
using ir::Program;

// ---- editing -----------------------------------------------------------------------------------

// Visits the statements of every scope called `scope` ("" = any), also in loops and branches;
// those for which `keep` returns false are removed.
using Keep = std::function<bool(ir::Stmt&)>;

void edit(ir::Block& block, const std::string& scope, bool inside, const Keep& keep) {
  if (inside) std::erase_if(block, [&](ir::Stmt& s) { return !keep(s); });
  for (ir::Stmt& s : block) {
    const auto* opened = s.as<ir::Scope>();
    const bool enters = opened && (scope.empty() || opened->name == scope);
    ir::for_each_body(s, [&](ir::Block& body) { edit(body, scope, inside || enters, keep); });
  }
}

using Match = std::function<bool(const Program&, const Op&)>;
using Change = std::function<void(Program&, Op&)>;
// Gives the number of statements changed: a mutation that finds nothing to change proves nothing.
using Mutate = std::function<int(Program&)>;

Mutate change(const std::string& scope, const Match& match, const Change& how) {
  return [=](Program& p) {
    int hits = 0;
    edit(p.body, scope, false, [&](ir::Stmt& s) {
      auto* op = s.as<Op>();
      if (!op || !match(p, *op)) return true;
      ++hits;
      if (how) how(p, *op);
      return how != nullptr;
    });
    return hits;
  };
}

Mutate remove(const std::string& scope, const Match& match) { return change(scope, match, {}); }

Mutate both(const Mutate& a, const Mutate& b) {
  return [=](Program& p) {
    const int first = a(p);
    const int second = b(p);
    return first == 0 || second == 0 ? 0 : first + second;
  };
}

// Edits every loop inside `scope` that has a matching op directly in its body.
Mutate change_loops(const std::string& scope, const Match& match,
                    const std::function<void(Program&, ir::For&)>& how) {
  return [=](Program& p) {
    int hits = 0;
    edit(p.body, scope, false, [&](ir::Stmt& s) {
      auto* loop = s.as<ir::For>();
      if (loop && std::ranges::any_of(loop->body, [&](const ir::Stmt& inner) {
            const auto* op = inner.as<Op>();
            return op && match(p, *op);
          }))
        how(p, *loop), ++hits;
      return true;
    });
    return hits;
  };
}

// ---- what to look for, what to do --------------------------------------------------------------

Match writes(const std::string& name) {
  return [=](const Program& p, const Op& op) {
    return op.kind == OpKind::Assemble && p[op.dst].name == name;
  };
}
Match loads(const std::string& name) {
  return [=](const Program& p, const Op& op) {
    return op.kind == OpKind::Slice && p[op.args[0]].name == name;
  };
}
Match is(OpKind kind) {
  return [=](const Program&, const Op& op) { return op.kind == kind; };
}
bool scales_by_root_of_d(const Program&, const Op& op) {  // tiny has heads of 32
  return op.kind == OpKind::Mul && op.scalar &&
         std::abs(op.scalar->literal - 1 / std::sqrt(32.0)) < 1e-9;
}
bool is_root(const Program&, const Op& op) {
  return op.kind == OpKind::Sqrt || op.kind == OpKind::Recip;
}

void copy_first(Program&, Op& op) {  // the op becomes its first operand
  op.kind = OpKind::Copy;
  op.args.resize(1);
  op.scalar.reset();
}
Change fill(double value) {
  return [=](Program&, Op& op) {
    op.kind = OpKind::Full;
    op.args.clear();
    op.offset.clear();
    op.valid.clear();
    op.scalar = ir::ScalarOperand{ir::ScalarOperand::Kind::Literal, value, false, {}, {}};
  };
}

// ---- the mutations -----------------------------------------------------------------------------

struct Mutation {
  std::string name;
  std::vector<std::string> programs;
  Mutate apply;
  Set set = {};
};

const std::vector<std::string> kStaged{"scope2", "scope2-before", "scope12", "decode",
                                       "decode-tilelet", "decode-a8w8"};
const std::vector<std::string> kFused{"decode-fused-qkrope", "decode-flash", "decode-best",
                                      "decode-a8w8-best"};
const std::vector<std::string> kFlash{"decode-flash", "decode-best", "decode-a8w8-best"};
const std::vector<std::string> kCoded{"decode-a8w8", "decode-a8w8-best"};
const std::vector<std::string> kLayers{"decode", "decode-tilelet", "decode-fused-qkrope",
                                       "decode-flash"};

// The rows of Q keep their place and lose their values.
Mutate q_zero(const std::string& scope, const std::string& prefix) {
  return change(
      scope,
      [=](const Program& p, const Op& op) {
        return op.kind == OpKind::Concat && p[op.dst].name.starts_with(prefix);
      },
      fill(0));
}

Mutate no_rope(const std::string& scope) {
  return both(change(scope, loads("rope_cos"), fill(1)), change(scope, loads("rope_sin"), fill(0)));
}

// Neither divided by the RMS of the head nor multiplied by gamma.
Mutate no_head_norm(const std::string& gamma) {
  return [=](Program& p) {
    int hits = 0;
    std::vector<ir::VarId> weights;
    edit(p.body, "rope_cache", false, [&](ir::Stmt& s) {
      auto* op = s.as<Op>();
      if (op && loads(gamma)(p, *op)) weights.push_back(op->dst);
      return true;
    });
    std::vector<ir::VarId> scaled;  // divided by the RMS, about to be multiplied by gamma
    const auto multiplies = [&](const Op& op) {
      return op.kind == OpKind::ColExpandMul &&
             std::ranges::find(weights, op.args[1]) != weights.end();
    };
    ir::for_each_op(p.body, [&](Op& op) {
      if (multiplies(op)) scaled.push_back(op.args[0]), copy_first(p, op), ++hits;
    });
    ir::for_each_op(p.body, [&](Op& op) {
      if (op.kind == OpKind::RowExpandMul && std::ranges::find(scaled, op.dst) != scaled.end())
        copy_first(p, op), ++hits;
    });
    return hits;
  };
}

Mutate gate_and_up_swapped() {
  return [](Program& p) {
    const ir::VarId gate = *p.find("w_gate");
    const ir::VarId up = *p.find("w_up");
    int hits = 0;
    ir::for_each_op(p.body, [&](Op& op) {
      for (ir::VarId& v : op.args)
        if (v == gate || v == up) v = v == gate ? up : gate, ++hits;
    });
    return hits;
  };
}

// The K block of a KV head that is not this group's: every group takes the first one's.
void first_kv_head(Program& p, Op& op) {
  op.offset[0] = op.offset[0].substituted([&](ir::VarId v) -> std::optional<ir::Expr> {
    return p[v].name.starts_with("g") ? std::optional<ir::Expr>(0) : std::nullopt;
  });
}

void one_column_less(Program&, Op& op) {
  op.valid[1] = ir::max(op.valid[1] - ir::Expr(1), ir::Expr(1));
}
void one_column_more(Program& p, Op& op) {
  op.valid[1] = ir::min(op.valid[1] + ir::Expr(1), ir::Expr(p[op.dst].shape[1]));
}
void one_trip_less(Program&, ir::For& loop) { loop.stop = loop.stop - ir::Expr(1); }

std::vector<Mutation> mutations() {
  const auto merges = is(OpKind::Maximum);
  return {
      {"Q is zero", kStaged, q_zero("rope_cache", "q_rows")},
      {"Q is zero, fused", kFused, q_zero("q_rope", "")},
      {"no K write", kStaged, remove("rope_cache", writes("k_cache"))},
      {"no V write", kStaged, remove("rope_cache", writes("v_cache"))},
      {"no K write, fused", kFused, remove("kv_rope", writes("k_cache"))},
      {"no V write, fused", kFused, remove("kv_rope", writes("v_cache"))},
      {"no 1/sqrt(D)", kStaged, change("softmax", scales_by_root_of_d, copy_first)},
      {"no 1/sqrt(D), flash", kFlash, change("flash", scales_by_root_of_d, copy_first)},
      {"no RoPE", kStaged, no_rope("rope_cache")},
      {"no RoPE, fused", kFused, no_rope("input_norm")},
      {"input norm by variance",
       {"scope1", "decode", "decode-tilelet", "decode-flash"},
       change("input_norm", is_root, copy_first)},
      {"post norm by variance",
       {"scope3", "scope3-fused", "scope3-before", "decode", "decode-a8w8"},
       change("post_norm", is_root, copy_first)},
      {"head norm by variance", kStaged, change("rope_cache", is_root, copy_first)},
      {"only group 0 filled",
       {"scope2", "decode"},
       change_loops("rope_cache", writes("q_padded"),
                    [](Program&, ir::For& loop) { loop.step = 2; }),
       {{"q_head_batch", 2}}},
      {"gate and up swapped",
       {"scope3", "scope3-fused", "scope3-before", "decode", "decode-flash"},
       gate_and_up_swapped()},
      {"first residual dropped",
       {"scope3-fused", "decode", "decode-flash"},
       change("out_proj", is(OpKind::Add), copy_first)},
      {"second residual dropped",
       {"scope3-fused", "decode", "decode-flash"},
       change("down", is(OpKind::Add), copy_first)},
      {"first residual dropped, separate task",
       {"scope3", "scope3-before"},
       change("out_proj_residual", is(OpKind::Add), copy_first)},
      {"last context block dropped",
       {"scope2", "scope12", "decode", "decode-tilelet"},
       change_loops("merge", merges, one_trip_less)},
      {"last context block dropped, flash",
       kFlash,
       change_loops("flash", merges, one_trip_less)},
      {"mask one short", kStaged, change("softmax", loads("scores"), one_column_less)},
      {"mask one long", kStaged, change("softmax", loads("scores"), one_column_more)},
      {"q_norm dropped", kStaged, no_head_norm("q_norm_weight")},
      {"k_norm dropped", kStaged, no_head_norm("k_norm_weight")},
      {"codes of O without row scales", kCoded,
       change("out_proj", is(OpKind::RowExpandMul), copy_first)},
      {"codes of O without column scales", kCoded,
       change("out_proj", is(OpKind::ColExpandMul), copy_first)},
      {"codes of gate and up without row scales", kCoded,
       change("swiglu", is(OpKind::RowExpandMul), copy_first)},
      {"codes of down without row scales", kCoded,
       change("down", is(OpKind::RowExpandMul), copy_first)},
      {"scales of one column for all of down", kCoded,
       change("down", loads("w_down_scale"), fill(1e-4))},
      {"wrong KV head", kStaged, change("qk", loads("k_cache"), first_kv_head)},
      {"wrong KV head, flash", kFlash, change("flash", loads("v_cache"), first_kv_head)},
  };
}

void expect_noticed(const Mutation& m, const std::string& name) {
  SCOPED_TRACE(m.name + " in " + name);
  Case c{.program = name, .set = m.set};
  EXPECT_TRUE(run(c).passed()) << "before the mutation";
  int hits = 0;
  c.mutate = [&](Program& p) { hits = m.apply(p); };
  bool noticed = false;
  try {
    noticed = !run(c).passed();
  } catch (const UserError&) {
    noticed = true;
  }
  EXPECT_GT(hits, 0) << "nothing was changed";
  EXPECT_TRUE(noticed);
}

TEST(Mutations, AreAllNoticed) {
  for (const Mutation& m : mutations())
    for (const std::string& name : m.programs) expect_noticed(m, name);
}

// With every row at a long full context, where a near-uniform softmax would hide all of these.
TEST(Mutations, AreNoticedInTheOutputAtFullContext) {
  const Set full{{"batch", 2}, {"max_seq", 1024}, {"ctx", 1024}, {"seq_tile", 256}};
  const std::vector<Mutation> hidden_before{
      {"Q is zero", {}, q_zero("rope_cache", "q_rows")},
      {"no 1/sqrt(D)", {}, change("softmax", scales_by_root_of_d, copy_first)},
      {"no RoPE", {}, no_rope("rope_cache")},
      {"no V write", {}, remove("rope_cache", writes("v_cache"))}};
  for (const Mutation& m : hidden_before) {
    SCOPED_TRACE(m.name);
    Case c{.program = "decode", .set = full};
    EXPECT_TRUE(run(c).passed());
    c.mutate = [&](Program& p) { EXPECT_GT(m.apply(p), 0); };
    const Outcome o = run(c);
    EXPECT_FALSE(o.outputs.at("out").passed()) << o.text();
  }
}

}  // namespace
}  // namespace qwen3_test
