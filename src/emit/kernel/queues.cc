#include "tilewright/emit/kernel/queues.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/ir/print.h"

namespace tilewright::emit {

using namespace ir;

namespace {

constexpr int64_t kSlotAlignment = 512;  // bytes

const Storage& ring_of(const LoweredKernel& k, const Instruction& push) {
  return k.storage[static_cast<std::size_t>(push.dst->storage)];
}

// A push and its pop wait for each other through their queue.
bool are_ends_of_one_ring(const Instruction& a, const Instruction& b) {
  if (a.action == Action::Pop) return b.action == Action::Push && are_ends_of_one_ring(b, a);
  return a.action == Action::Push && b.action == Action::Pop && a.dst->storage == b.src[0].storage;
}

}  // namespace

std::string Queue::consumer_address() const {
  return fmt::format("{}.fifo.{}_CONSUMER_BUF", name(), to == CoreSide::Vector ? "C2V" : "V2C");
}

// Each queue takes two of the flags between cores: one says that a slot is full, one that it is
// free.
std::string Queue::declaration() const {
  const bool to_vector = to == CoreSide::Vector;
  return fmt::format("TPipe<{}, Direction::DIR_{}, {}, {}, 1> {}({}{}, 0, 0);", to_vector ? 0 : 2,
                     to_vector ? "C2V" : "V2C", slot_bytes, slots, name(), kQueues,
                     offset ? fmt::format(" + {}", offset) : "");
}

Queues::Queues(const LoweredKernel& kernel) {
  for (const Instruction& in : kernel.instructions) {
    if (in.action != Action::Push) continue;
    const bool to_vector = in.side == CoreSide::Cube;
    std::optional<Queue>& queue = to_vector ? to_vector_ : to_cube_;
    if (!queue) queue = Queue{to_vector ? CoreSide::Vector : CoreSide::Cube};
    const Storage& ring = ring_of(kernel, in);
    const int64_t bytes = (ring.bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
    queue->slot_bytes = std::max(queue->slot_bytes, bytes);
    queue->slots = std::max(queue->slots, ring.copies);
  }
  if (to_vector_ && to_cube_) to_cube_->offset = to_vector_->bytes();
}

int64_t Queues::bytes() const {
  return (to_vector_ ? to_vector_->bytes() : 0) + (to_cube_ ? to_cube_->bytes() : 0);
}

void refuse_what_sides_share(const Program& program, const Kernel& kernel, Refusals& refusals) {
  for (const Instruction& in : kernel.lowered.instructions) {
    if (in.action == Action::Read && (in.src[0].storage >= 0 || !in.waits.empty()))
      refusals.add(in.place(),
                   fmt::format("{} of mixed kernel {}",
                               statement_text(in.read, program, Names::Written), kernel.name),
                   "both sides of a mixed kernel read a scalar for themselves, from a tensor that "
                   "the kernel does not write",
                   "read the element outside of the scope");
    for (const Wait& w : in.waits) {
      const Instruction& on = kernel.lowered.instructions[static_cast<std::size_t>(w.on)];
      if (on.side == in.side || are_ends_of_one_ring(on, in)) continue;
      refusals.add(
          in.place(),
          fmt::format("a wait of one side for the other in {}",
                      in.action == Action::Read ? statement_text(in.read, program, Names::Written)
                                                : statement_text(in.op, program, Names::Written)),
          "the sides of a mixed kernel wait for each other only where they hand over a tile",
          "hand the value over as a tile, or compute on in a scope of its own");
    }
  }
}

}  // namespace tilewright::emit
