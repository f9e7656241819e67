// What the two sides of a mixed kernel hand over goes through queues in GM: one to the vector core
// and one to the cube core. A queue of PTO-ISA (TPipe) keeps the order of its pushes and has slots
// of one size, so that the rings of one direction share one: both sides reach their pushes and pops
// in the order of the program. A push waits for a free slot, a pop for a full one; these are the
// waits between the sides that the lowered form states.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/emit/refusal.h"
#include "tilewright/ir/plan.h"

namespace tilewright::emit {

// The tensor that holds the queues of a task, as kernels and orchestration name it.
inline constexpr std::string_view kQueues = "queues";

struct Queue {
  ir::CoreSide to = ir::CoreSide::Vector;
  int64_t slot_bytes = 0;
  int slots = 0;
  int64_t offset = 0;  // in the tensor

  int64_t bytes() const { return slot_bytes * slots; }
  std::string_view name() const { return to == ir::CoreSide::Vector ? "to_vector" : "to_cube"; }
  // Where TPOP leaves a tile: it takes the address from the queue.
  std::string consumer_address() const;
  std::string declaration() const;
};

class Queues {
 public:
  explicit Queues(const ir::LoweredKernel& kernel);

  const std::optional<Queue>& to(ir::CoreSide side) const {
    return side == ir::CoreSide::Vector ? to_vector_ : to_cube_;
  }
  int64_t bytes() const;  // of the tensor; 0: nothing is handed over

 private:
  std::optional<Queue> to_vector_, to_cube_;
};

// What the sides of a mixed kernel share other than queues is refused.
void refuse_what_sides_share(const ir::Program& program, const ir::Kernel& kernel,
                             Refusals& refusals);

}  // namespace tilewright::emit
