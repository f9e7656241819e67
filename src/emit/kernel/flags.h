// The waits of a lowered kernel as flags between pipes. A flag is set by one pipe and waited for by
// another, as often as it is set; every wait of the lowered form becomes one, at places of the text
// where both are executed equally often:
//
//   - the producer stands earlier in a block that encloses both: set behind it, wait before the
//     consumer;
//   - it stands later in a loop: set before the outermost loop, wait before the consumer, set
//   behind
//     the producer, wait behind the loop;
//   - the waits for one of several copies: the same with one flag per copy;
//   - the consumer may not run in a trip (a loop without trips, a branch): nothing else keeps the
//     producer from setting its flag again before the wait. Behind the wait the consumer's pipe
//     sets an answer, for which the producer's pipe waits before it sets the flag.
//
// Two pipes share eight flags. A wait that finds none left becomes a barrier of all pipes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/ir/lowered.h"

namespace tilewright::emit {

struct Flag {
  ir::Pipe from = ir::Pipe::Scalar, to = ir::Pipe::Scalar;
  int first = 0;     // event
  int copies = 1;    // events: that of a copy is first + turn % copies
  int storage = -1;  // whose turns are counted
};

// What stands directly before or behind a statement.
struct FlagUse {
  enum class Kind : uint8_t { Set, Wait, SetAll, WaitAll, Barrier };
  Kind kind = Kind::Set;
  int flag = -1;  // of a barrier none
};

class Flags {
 public:
  Flags(const ir::LoweredKernel& kernel, ir::CoreSide side);

  using Uses = std::vector<FlagUse>;
  const Uses& before(const ir::LoweredBlock& block, std::size_t statement) const;
  const Uses& behind(const ir::LoweredBlock& block, std::size_t statement) const;
  // One line of C++ per use, several for all copies of a flag.
  std::vector<std::string> lines(const FlagUse& use) const;

 private:
  using Position = std::pair<const ir::LoweredBlock*, std::size_t>;
  // Where an instruction stands: a position in every block that encloses it, the outermost first.
  using Path = std::vector<Position>;

  struct Meeting {  // of two instructions in the innermost block that encloses both
    std::size_t level = 0;
    bool producer_first = false;
  };

  void find_paths(const ir::LoweredBlock& block, const Path& outer);
  Meeting meet(const Path& producer, const Path& consumer) const;
  void order(const ir::Instruction& consumer, int number, const ir::Wait& wait);
  int copies_of(const ir::Wait& wait, int consumer, const Meeting& at) const;
  bool certainly_runs(const Path& path, std::size_t level) const;
  int free_events(const ir::Instruction& from, const ir::Instruction& to);
  int take_flag(const ir::Instruction& from, const ir::Instruction& to, int copies, int storage);
  Position loop_around(const Path& path, std::size_t level) const;
  void use(std::map<Position, Uses>& at, const Position& position, FlagUse use);
  bool is_loop(const Position& position) const;

  const ir::LoweredKernel& k_;
  ir::CoreSide side_;
  std::map<int, Path> paths_;  // by instruction
  std::vector<Flag> flags_;
  std::map<std::pair<ir::Pipe, ir::Pipe>, int> taken_;  // events
  // What stands between two positions already: pipes, copies, and whose turns are counted.
  struct Known {
    ir::Pipe from, to;
    int copies, storage;
    friend bool operator==(const Known&, const Known&) = default;
  };
  std::map<std::pair<Position, Position>, std::vector<Known>> known_;
  std::map<Position, Uses> before_, behind_;
};

}  // namespace tilewright::emit
