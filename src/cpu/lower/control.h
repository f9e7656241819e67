// Loops, branches and scalars of a kernel as steps.
#pragma once

#include <memory>
#include <vector>

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/cpu/lower/scalar.h"
#include "tilewright/ir/lowered.h"

namespace tilewright::cpu {

class Sequence : public Step {
 public:
  void add(std::unique_ptr<Step> s) { steps_.push_back(std::move(s)); }
  Flow run(Frame& f) const override {
    for (const auto& s : steps_)
      if (const Flow flow = s->run(f); flow != Flow::Next) return flow;
    return Flow::Next;
  }

 private:
  std::vector<std::unique_ptr<Step>> steps_;
};

class Loop : public Step {
 public:
  Loop(const ir::LoweredFor& loop, std::unique_ptr<Step> body)
      : variable_(loop.var.index()),
        start_(loop.start),
        stop_(loop.stop),
        step_(loop.step),
        body_(std::move(body)) {}
  Flow run(Frame& f) const override;

 private:
  std::size_t variable_;
  Integer start_, stop_;
  int64_t step_;
  std::unique_ptr<Step> body_;
};

class WhileLoop : public Step {
 public:
  WhileLoop(const ir::LoweredWhile& loop, std::unique_ptr<Step> body)
      : condition_(loop.condition), body_(std::move(body)) {}
  Flow run(Frame& f) const override;

 private:
  Condition condition_;
  std::unique_ptr<Step> body_;
};

class Branch : public Step {
 public:
  Branch(const ir::LoweredIf& branch, std::unique_ptr<Step> then, std::unique_ptr<Step> otherwise)
      : condition_(branch.condition), then_(std::move(then)), else_(std::move(otherwise)) {}
  Flow run(Frame& f) const override { return (condition_.holds(f) ? then_ : else_)->run(f); }

 private:
  Condition condition_;
  std::unique_ptr<Step> then_, else_;
};

class Assign : public Step {
 public:
  explicit Assign(const ir::Let& let) : variable_(let.var.index()), value_(let.value) {}
  Flow run(Frame& f) const override {
    f.integers[variable_] = value_.value(f);
    return Flow::Next;
  }

 private:
  std::size_t variable_;
  Integer value_;
};

// A scalar computed from others where floats take part.
class ComputeScalar : public Step {
 public:
  ComputeScalar(const ir::Compute& compute, const ir::Program& program);
  Flow run(Frame& f) const override;

 private:
  std::size_t variable_;
  DType dtype_;
  ir::ScalarMath math_;
  Number a_, b_;
};

// One element of an array becomes a scalar.
class ReadElement : public Step {
 public:
  ReadElement(const ir::Read& read, const Operand& array)
      : variable_(read.var.index()), index_(integers(read.index)), array_(array) {}
  Flow run(Frame& f) const override;

 private:
  std::size_t variable_;
  std::vector<Integer> index_;
  Operand array_;
};

class Leave : public Step {
 public:
  explicit Leave(Flow flow) : flow_(flow) {}
  Flow run(Frame&) const override { return flow_; }

 private:
  Flow flow_;
};

}  // namespace tilewright::cpu
