#include "tilewright/emit/kernel/flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/emit/kernel/tiles.h"
#include "tilewright/emit/spelling.h"
#include "tilewright/ir/trips.h"

namespace tilewright::emit {

using namespace ir;

namespace {

constexpr int kEvents = 8;  // between two pipes

const Flags::Uses kNone;

}  // namespace

Flags::Flags(const LoweredKernel& kernel, CoreSide side) : k_(kernel), side_(side) {
  find_paths(kernel.body, {});
  for (const auto& [number, path] : paths_) {
    const Instruction& in = kernel.instructions[static_cast<std::size_t>(number)];
    for (const Wait& w : in.waits) order(in, number, w);
  }
}

void Flags::find_paths(const LoweredBlock& block, const Path& outer) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    Path here = outer;
    here.emplace_back(&block, i);
    const LoweredNode& n = block[i];
    if (const auto* issue = n.as<LoweredNode::Issue>()) {
      if (k_.instructions[static_cast<std::size_t>(issue->instruction)].side == side_)
        paths_[issue->instruction] = here;
    } else if (const auto* f = n.as<LoweredFor>()) {
      find_paths(f->body, here);
    } else if (const auto* w = n.as<LoweredWhile>()) {
      find_paths(w->body, here);
    } else if (const auto* c = n.as<LoweredIf>()) {
      find_paths(c->then_body, here);
      find_paths(c->else_body, here);
    }
  }
}

Flags::Meeting Flags::meet(const Path& producer, const Path& consumer) const {
  std::size_t level = 0;
  while (level + 1 < producer.size() && level + 1 < consumer.size() &&
         producer[level] == consumer[level] &&
         producer[level + 1].first == consumer[level + 1].first)
    ++level;
  return {level, producer[level].second < consumer[level].second};
}

bool Flags::is_loop(const Position& position) const {
  const LoweredNode& n = (*position.first)[position.second];
  return n.as<LoweredFor>() || n.as<LoweredWhile>();
}

// The outermost loop around the block at `level`. Set once before it, a flag is never set again
// while the wait behind it is still to come.
Flags::Position Flags::loop_around(const Path& path, std::size_t level) const {
  for (std::size_t l = 0; l < level; ++l)
    if (is_loop(path[l])) return path[l];
  bug("an instruction waits for a later one outside of any loop");
}

// A wait for one of several copies keeps its flags apart if consumer and producer stand in the same
// trip, and the consumer is what takes the next copy; else it waits for the latest execution.
int Flags::copies_of(const Wait& wait, int consumer, const Meeting& at) const {
  const Instruction& in = k_.instructions[static_cast<std::size_t>(consumer)];
  const Instruction& on = k_.instructions[static_cast<std::size_t>(wait.on)];
  const Path& path = paths_.at(consumer);
  if (wait.storage < 0) return 1;
  const auto rotations = std::ranges::count_if(k_.instructions, [&](const Instruction& i) {
    return i.rotates && i.dst && i.dst->storage == wait.storage;
  });
  const int copies = k_.storage[static_cast<std::size_t>(wait.storage)].copies;
  if (rotations != 1 || copies == 1) return 1;
  const Path& writer = in.rotates ? path : paths_.at(wait.on);
  if (writer.size() != at.level + 1)
    return 1;  // taken more than once per trip, or not in every one
  const auto takes_next = [&](const Instruction& i) {
    return i.rotates && i.dst->storage == wait.storage;
  };
  if (wait.copies == copies && takes_next(in) && !at.producer_first) return copies;
  const bool read_of_copy = wait.why == Wait::For::Data && at.producer_first && takes_next(on);
  return read_of_copy ? copies : 1;
}

// Whether the instruction of `path` is executed in every trip of the block at `level`.
bool Flags::certainly_runs(const Path& path, std::size_t level) const {
  for (std::size_t l = level; l + 1 < path.size(); ++l) {
    const auto* f = (*path[l].first)[path[l].second].as<LoweredFor>();
    if (!f || !ir::at_least_once(*f)) return false;
  }
  return true;
}

int Flags::free_events(const Instruction& from, const Instruction& to) {
  return kEvents - taken_[{from.pipe, to.pipe}];
}

int Flags::take_flag(const Instruction& from, const Instruction& to, int copies, int storage) {
  int& taken = taken_[{from.pipe, to.pipe}];
  flags_.push_back({from.pipe, to.pipe, taken, copies, storage});
  taken += copies;
  return static_cast<int>(flags_.size()) - 1;
}

void Flags::use(std::map<Position, Uses>& at, const Position& position, FlagUse use) {
  at[position].push_back(use);
}

void Flags::order(const Instruction& consumer, int number, const Wait& wait) {
  const Instruction& producer = k_.instructions[static_cast<std::size_t>(wait.on)];
  if (producer.side != side_ || producer.pipe == consumer.pipe) return;
  // The scalar unit reads a value before it issues anything that could overwrite it.
  if (producer.pipe == Pipe::Scalar) return;
  const Path& from = paths_.at(wait.on);
  const Path& to = paths_.at(number);
  const Meeting at = meet(from, to);
  const Position producer_at = from[at.level], consumer_at = to[at.level];
  const int copies = copies_of(wait, number, at);
  auto& known = known_[{producer_at, consumer_at}];
  const Known same{producer.pipe, consumer.pipe, copies, copies == 1 ? -1 : wait.storage};
  if (std::ranges::find(known, same) != known.end()) return;
  const bool answered = !at.producer_first && !certainly_runs(to, at.level);
  const bool free = free_events(producer, consumer) >= copies &&
                    (!answered || free_events(consumer, producer) >= 1);
  if (!free) {
    Uses& uses = before_[consumer_at];
    const auto barrier = [](const FlagUse& u) { return u.kind == FlagUse::Kind::Barrier; };
    if (std::ranges::none_of(uses, barrier)) uses.push_back({FlagUse::Kind::Barrier, -1});
    return;
  }
  known.push_back(same);
  const int flag = take_flag(producer, consumer, copies, wait.storage);
  const int answer = answered ? take_flag(consumer, producer, 1, -1) : -1;
  use(before_, consumer_at, {FlagUse::Kind::Wait, flag});
  if (answered) {
    use(before_, consumer_at, {FlagUse::Kind::Set, answer});
    use(behind_, producer_at, {FlagUse::Kind::Wait, answer});
  }
  use(behind_, producer_at, {FlagUse::Kind::Set, flag});
  if (at.producer_first) return;
  const Position loop = loop_around(to, at.level);
  use(before_, loop, {FlagUse::Kind::SetAll, flag});
  use(behind_, loop, {FlagUse::Kind::WaitAll, flag});
}

const Flags::Uses& Flags::before(const LoweredBlock& block, std::size_t statement) const {
  const auto it = before_.find({&block, statement});
  return it == before_.end() ? kNone : it->second;
}

const Flags::Uses& Flags::behind(const LoweredBlock& block, std::size_t statement) const {
  const auto it = behind_.find({&block, statement});
  return it == behind_.end() ? kNone : it->second;
}

std::vector<std::string> Flags::lines(const FlagUse& use) const {
  if (use.kind == FlagUse::Kind::Barrier) return {"pipe_barrier(PIPE_ALL);"};
  const Flag& f = flags_[static_cast<std::size_t>(use.flag)];
  const bool sets = use.kind == FlagUse::Kind::Set || use.kind == FlagUse::Kind::SetAll;
  const bool all = use.kind == FlagUse::Kind::SetAll || use.kind == FlagUse::Kind::WaitAll;
  const auto line = [&](const std::string& event) {
    return fmt::format("{}({}, {}, {});", sets ? "set_flag" : "wait_flag", pipe_constant(f.from),
                       pipe_constant(f.to), event);
  };
  if (f.copies == 1) return {line(fmt::format("EVENT_ID{}", f.first))};
  if (!all)
    return {line(fmt::format("static_cast<event_t>({} + {} % {})", f.first, Tiles::turn(f.storage),
                             f.copies))};
  std::vector<std::string> out;
  for (int c = 0; c < f.copies; ++c) out.push_back(line(fmt::format("EVENT_ID{}", f.first + c)));
  return out;
}

}  // namespace tilewright::emit
