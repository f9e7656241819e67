// Walks statements: loops, branches, scopes, scalars and ops. Used for whole programs and for the
// bodies of kernels.
#pragma once

#include <string_view>
#include <vector>

#include "tilewright/golden/exp.h"
#include "tilewright/golden/memory.h"

namespace tilewright::golden {

class Interpreter {
 public:
  Interpreter(const ir::Program& program, Memory& memory, Scalars& scalars, Exp exp)
      : program_(program), memory_(memory), scalars_(scalars), exp_(exp) {}

  // The body of the program, outside any scope.
  void run_orchestration(ir::TaskReads* record = nullptr);
  // The body of a kernel, whose arguments are bound to GM.
  void run_kernel(const ir::Block& body, std::string_view name);
  int64_t scopes() const { return scopes_; }  // that were executed

 private:
  enum class Flow { Next, Break, Continue };
  // The op that makes a variable: the first in the text that writes it.
  struct Birth {
    const ir::Op* op = nullptr;
    bool in_scope = false;
  };

  void find_births(const ir::Block& body, bool in_scope);
  Birth birth_of(ir::VarId v) const { return births_.empty() ? Birth{} : births_[v.index()]; }
  bool makes_view(const ir::Op& op) const;

  Flow run(const ir::Block& body);
  Flow run(const ir::Stmt& s);
  Flow run(const ir::For& loop);
  Flow run(const ir::While& loop);
  void run(const ir::Read& read);
  Flow run_scope(const ir::Block& body, std::string_view name);
  void execute(const ir::Op& op);
  void finish(const Site& site, const ir::Op& op, Tile value);
  Site site(const Place& place, std::string_view what) const;

  const ir::Program& program_;
  Memory& memory_;
  Scalars& scalars_;
  Exp exp_;
  std::vector<Birth> births_;  // by variable; no op for parameters; empty while kernels run
  ir::TaskReads* record_ = nullptr;
  int64_t scopes_ = 0;
  bool in_scope_ = false;
  std::string_view scope_;
};

}  // namespace tilewright::golden
