// One core: its memories, the queues of its pipes, and the flags between them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../sides.hpp"

#define __gm__
#define __aicore__

using event_t = int;
inline constexpr int PIPE_S = 0, PIPE_V = 1, PIPE_MTE1 = 2, PIPE_MTE2 = 3, PIPE_MTE3 = 4, PIPE_M = 5,
                     PIPE_ALL = 6, PIPE_FIX = 7;
inline constexpr event_t EVENT_ID0 = 0, EVENT_ID1 = 1, EVENT_ID2 = 2, EVENT_ID3 = 3, EVENT_ID4 = 4,
                         EVENT_ID5 = 5, EVENT_ID6 = 6, EVENT_ID7 = 7;

namespace pto {
enum class TileType { Vec, Mat, Left, Right, Acc, Bias };
}

namespace shim {

inline void require(bool fine, const std::string& what) {
  if (!fine) throw std::runtime_error(what);
}

using FlagId = std::tuple<int, int, int>;  // from, to, event
inline std::string text(FlagId f) {
  return "event " + std::to_string(std::get<2>(f)) + " from pipe " + std::to_string(std::get<0>(f)) +
         " to pipe " + std::to_string(std::get<1>(f));
}

struct Item {
  enum class Kind { Work, Set, Wait, Until } kind = Kind::Work;
  std::function<void()> work;
  FlagId flag;
  std::function<bool()> ready = {};  // Until: what the other side has done
};

class Core {
 public:
  explicit Core(uint64_t seed) : random_(seed) {
    constexpr std::size_t kBytes[] = {192 << 10, 512 << 10, 64 << 10, 64 << 10, 128 << 10, 1 << 10};
    for (std::size_t bytes : kBytes) memories_.emplace_back(bytes, uint8_t{0xff});  // NaN
  }

  uint8_t* memory(pto::TileType space, uint64_t address, std::size_t bytes) {
    std::vector<uint8_t>& m = memories_[static_cast<std::size_t>(space)];
    require(address + bytes <= m.size(), "a tile beyond the end of its memory");
    require(address % 32 == 0, "a tile that does not begin at a multiple of 32 bytes");
    return m.data() + address;
  }

  void issue(int pipe, Item item) { queues_[pipe].push_back(std::move(item)); }

  void set(int from, int to, int event) {
    require(event >= 0 && event < 8, "an event beyond the eighth");
    if (from == PIPE_S)
      raise({from, to, event});
    else
      issue(from, {Item::Kind::Set, {}, {from, to, event}});
  }
  void wait(int from, int to, int event) {
    if (to != PIPE_S) return issue(to, {Item::Kind::Wait, {}, {from, to, event}});
    while (!take({from, to, event}))
      require(step() || other_side(), "the scalar unit waits for ever");
  }
  void drain() {
    do {
      while (step()) {}
    } while (!empty() && other_side());
    for (const auto& [pipe, queue] : queues_)
      require(queue.empty(), "pipe " + std::to_string(pipe) + " waits for what nobody does");
  }
  void finish() {
    drain();
    for (const auto& [flag, up] : flags_) require(!up, text(flag) + " is set and never waited for");
  }

 private:
  void raise(FlagId f) {
    require(!flags_[f], text(f) + " is set twice before it is waited for");
    flags_[f] = true;
  }
  bool empty() const {
    for (const auto& [pipe, queue] : queues_)
      if (!queue.empty()) return false;
    return true;
  }
  // In a mixed task: lets the other side go on.
  static bool other_side() { return Sides::current() && Sides::current()->yield(); }

  bool can_go_on(const Item& item) {
    if (item.kind == Item::Kind::Wait) return flags_[item.flag];
    return item.kind != Item::Kind::Until || item.ready();
  }
  bool take(FlagId f) {
    const bool up = flags_[f];
    flags_[f] = false;
    return up;
  }

  // One item of any pipe that can go on.
  bool step() {
    std::vector<int> ready;
    for (const auto& [pipe, queue] : queues_)
      if (!queue.empty() && can_go_on(queue.front())) ready.push_back(pipe);
    if (ready.empty()) return false;
    if (Sides::current()) Sides::current()->went_on();
    // Mostly one pipe as far as it gets: what no flag holds back runs ahead.
    if (random_() % 8 == 0) favourite_ = static_cast<int>(random_() % 8);
    int pipe = ready[random_() % ready.size()];
    for (int r : ready)
      if (r == favourite_) pipe = r;
    Item item = std::move(queues_[pipe].front());
    queues_[pipe].pop_front();
    if (item.kind == Item::Kind::Work) item.work();
    if (item.kind == Item::Kind::Set) raise(item.flag);
    if (item.kind == Item::Kind::Wait) take(item.flag);
    return true;
  }

  std::mt19937_64 random_;
  std::vector<std::vector<uint8_t>> memories_;
  std::map<int, std::deque<Item>> queues_;
  std::map<FlagId, bool> flags_;
  int favourite_ = 0;
};

inline Core*& core() {
  static thread_local Core* current = nullptr;
  return current;
}

inline void issue(int pipe, std::function<void()> work) {
  core()->issue(pipe, {Item::Kind::Work, std::move(work), {}});
}

inline void wait_until(int pipe, std::function<bool()> ready) {
  core()->issue(pipe, {Item::Kind::Until, {}, {}, std::move(ready)});
}

}  // namespace shim

inline void set_flag(int from, int to, int event) { shim::core()->set(from, to, event); }
inline void wait_flag(int from, int to, int event) { shim::core()->wait(from, to, event); }
// A pipe executes its instructions one after the other, so that only the barrier of all counts.
inline void pipe_barrier(int pipe) {
  if (pipe == PIPE_ALL) shim::core()->drain();
}
