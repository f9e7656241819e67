// The tensors of an orchestration: parameters, tensors that it creates, views of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/emit/refusal.h"
#include "tilewright/emit/spelling.h"
#include "tilewright/emit/text.h"

namespace tilewright::emit {

class Tensors {
 public:
  Tensors(const ir::Program& program, const Spelling& spell, Refusals& refusals, Text& out)
      : p_(program), spell_(spell), refusals_(refusals), out_(out), blocks_(1) {}

  void parameter(ir::VarId v, int number);
  void describe(ir::VarId v);  // for the runtime, which allocates it
  void made(ir::VarId v, const std::string& outputs, std::size_t number);
  void create(const ir::Op& op);
  void slice(const ir::Op& op);
  void reshape(const ir::Op& op);
  void read(const ir::Read& r);

  // Names end with the block that makes them.
  void enter() { blocks_.emplace_back(); }
  void leave() { blocks_.pop_back(); }
  bool known(ir::VarId v) const;

 private:
  bool usable(ir::VarId v, const Place& place);
  void list(const std::string& name, const std::vector<std::string>& values);
  void take(ir::VarId v, std::size_t rank);
  std::size_t rank(ir::VarId v) const;

  const ir::Program& p_;
  const Spelling& spell_;
  Refusals& refusals_;
  Text& out_;
  // By block: what it makes. A slice keeps the dimensions of its source, those of one element too.
  std::vector<std::map<ir::VarId, std::size_t>> blocks_;
};

}  // namespace tilewright::emit
