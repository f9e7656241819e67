// One task: the issuer walks the kernel, makes an instance of every instruction and hands it to its
// unit. What must hold of addresses and of order is checked here, because it does not depend on
// when the units get to work.
#pragma once

#include <set>

#include "tilewright/golden/exact/order.h"
#include "tilewright/golden/exact/queues.h"
#include "tilewright/golden/exact/races.h"

namespace tilewright::golden::exact {

// What all tasks of a run share.
struct ExactRun {
  const ir::Plan& plan;
  const ir::TaskGraph& graph;
  const ExactOptions& options;
  Memory& memory;  // arguments of the running task are bound here
  Schedule& schedule;
  Findings& findings;
};

class TaskRun {
 public:
  TaskRun(const ExactRun& run, ir::KernelId kernel, ir::TaskArgs args,
          Scalars scalars);

  void run();
  // Adds what the task did.
  void count(ExactResult& result) const;

 private:
  const ir::Instruction& instruction(int id) const {
    return code_.instructions[static_cast<std::size_t>(id)];
  }
  Site site(const ir::Instruction& in) const;

  void issue(int id);
  void name(const ir::Instruction& in);
  void read(int id);
  Instance make_instance(int id);
  std::vector<std::optional<Location>> locations(const ir::Instruction& in);

  void check_accesses(const Instance& instance);
  void check_gm(const Who& who, int arg, const Shape& offset, const Shape& extent, bool write);
  Who who(int id, int number) const { return {number, id, instruction(id).unit()}; }

  const ExactRun& run_;
  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const ir::LoweredKernel& code_;
  ir::TaskArgs args_;
  std::set<ir::BufferId> written_;  // buffers in GM that the task may write
  Scalars scalars_;
  Environment env_;
  Order order_;
  Races races_;
  Executor executor_;
  Queues queues_;
};

}  // namespace tilewright::golden::exact
