#include "mutants.h"

#include <fmt/format.h>

#include <set>

#include "tilewright/ir/print.h"

namespace exact_test {
namespace {

// Kernels that the program's tasks execute.
std::set<ir::KernelId> kernels_of(const Subject& s) {
  std::set<ir::KernelId> out;
  for (const ir::Task& t : s.graph.tasks) out.insert(t.kernel);
  return out;
}

void judge(Tally& tally, const Outcome& o, bool equivalent, const std::string& mutant) {
  ++tally.mutants;
  if (!o.clean())
    ++tally.noticed;
  else if (equivalent)
    ++tally.equivalent;
  else
    tally.unexplained.push_back(mutant);
}

std::string name_of(const Subject& s, ir::KernelId k, int storage) {
  const ir::Storage& x = s.plan.kernel(k).lowered.storage[static_cast<std::size_t>(storage)];
  return fmt::format("{}, storage {} of {} in {}", s.plan.kernel(k).name, storage,
                     s.plan.program[x.var].name, memory_space_name(x.space));
}

ir::Storage& storage_of(ir::Plan& plan, ir::KernelId k, int storage) {
  return plan.kernels[k.index()].lowered.storage[static_cast<std::size_t>(storage)];
}

// ---- addresses ---------------------------------------------------------------------------------

const ir::TileBuffer& buffer_of(const ir::Kernel& k, const ir::Storage& s) {
  return *std::ranges::find_if(k.memory, [&](const ir::TileBuffer& b) {
    return b.var == s.var && b.scratch == s.scratch && b.address == s.address;
  });
}

// Whether one of them ends where the other is made, in exactly the same bytes: a result may replace
// an operand. Lifetimes are in half steps.
bool replaces(const ir::TileBuffer& a, const ir::TileBuffer& b) {
  return a.bytes == b.bytes && a.copies == 1 && b.copies == 1 &&
         (a.last / 2 == b.first / 2 || b.last / 2 == a.first / 2);
}

// Whether everything that shares bytes with the storage at its new address is dead while it lives.
bool has_room(const Subject& s, ir::KernelId id, int storage, int64_t address) {
  const ir::Kernel& k = s.plan.kernel(id);
  const ir::Storage& old = k.lowered.storage[static_cast<std::size_t>(storage)];
  ir::Storage moved = old;
  moved.address = address;
  if (address < 0 || moved.end() > *s.platform.memory(old.space)->physical) return false;
  const ir::TileBuffer& mine = buffer_of(k, old);
  return std::ranges::none_of(k.lowered.storage, [&](const ir::Storage& o) {
    if (&o == &old || !o.overlaps(moved)) return false;
    const ir::TileBuffer& theirs = buffer_of(k, o);
    return mine.first <= theirs.last && theirs.first <= mine.last &&
           !(o.address == address && replaces(mine, theirs));
  });
}

std::set<int64_t> other_addresses(const Subject& s, const ir::Kernel& k, const ir::Storage& of) {
  const int64_t unit = s.platform.memory(of.space)->alignment;
  std::set<int64_t> out{of.address - unit, of.address + unit};
  for (const ir::Storage& o : k.lowered.storage)
    if (o.space == of.space) out.insert(o.address);
  out.erase(of.address);
  return out;
}

// ---- copies ------------------------------------------------------------------------------------

// Whether the waits that `plan`, with fewer copies of the storage, would need are superfluous.
bool needs_no_waits(const Subject& s, const ir::Plan& plan, ir::KernelId k, int storage) {
  const auto& instructions = plan.kernel(k).lowered.instructions;
  for (int i = 0; i < std::ssize(instructions); ++i) {
    const auto& waits = instructions[static_cast<std::size_t>(i)].waits;
    for (std::size_t w = 0; w < waits.size(); ++w) {
      if (waits[w].copies == 1 || waits[w].storage != storage) continue;
      ir::Plan right = plan;
      ir::Wait& wait = right.kernels[k.index()].lowered.instructions[i].waits[w];
      --wait.copies;
      const Outcome o = run(s, right, {.watched = golden::WatchedWait{k, i, wait}});
      if (o.result.watched_unordered > 0) return false;
    }
  }
  return true;
}

}  // namespace

std::string Tally::text() const {
  std::string out =
      fmt::format("{} mutants, {} noticed, {} equivalent\n", mutants, noticed, equivalent);
  for (const std::string& u : unexplained) out += "unexplained: " + u + "\n";
  return out;
}

Tally without_each_wait(const Subject& s) {
  Tally tally;
  for (const ir::KernelId k : kernels_of(s)) {
    const auto& instructions = s.plan.kernel(k).lowered.instructions;
    for (int i = 0; i < std::ssize(instructions); ++i)
      for (const ir::Wait& w : instructions[static_cast<std::size_t>(i)].waits) {
        const Outcome o = run(s, s.plan, {.watched = golden::WatchedWait{k, i, w}});
        judge(tally, o, o.result.watched_unordered == 0,
              fmt::format("{}: instruction {} without its wait for {} ({}, {} copies)",
                          s.plan.kernel(k).name, i, w.on, ir::wait_name(w.why), w.copies));
      }
  }
  return tally;
}

Tally with_each_storage_moved(const Subject& s) {
  Tally tally;
  for (const ir::KernelId k : kernels_of(s)) {
    const auto& storage = s.plan.kernel(k).lowered.storage;
    for (int i = 0; i < std::ssize(storage); ++i) {
      const ir::Storage& old = storage[static_cast<std::size_t>(i)];
      if (old.is_ring()) continue;
      for (const int64_t address : other_addresses(s, s.plan.kernel(k), old)) {
        ir::Plan mutant = s.plan;
        storage_of(mutant, k, i).address = address;
        judge(tally, run(s, mutant), has_room(s, k, i, address),
              fmt::format("{} from {} to {}", name_of(s, k, i), old.address, address));
      }
    }
  }
  return tally;
}

Tally with_each_copy_missing(const Subject& s) {
  Tally tally;
  for (const ir::KernelId k : kernels_of(s)) {
    const auto& storage = s.plan.kernel(k).lowered.storage;
    for (int i = 0; i < std::ssize(storage); ++i) {
      if (storage[static_cast<std::size_t>(i)].copies == 1) continue;
      ir::Plan mutant = s.plan;
      --storage_of(mutant, k, i).copies;
      judge(tally, run(s, mutant), needs_no_waits(s, mutant, k, i), name_of(s, k, i));
    }
  }
  return tally;
}

}  // namespace exact_test
