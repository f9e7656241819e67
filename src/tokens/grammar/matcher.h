// Where a text stands in a grammar: the places it may be in, each with the stack it returns to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tilewright/tokens/grammar/automaton.h"

namespace tilewright::tokens::grammar {

// Stacks share what lies below: a frame is where a rule returns to, perhaps to several callers that
// the text cannot tell apart yet. Equal frames have equal ids.
using FrameId = uint32_t;

struct Return {
  Place place;
  FrameId below = 0;

  friend bool operator==(const Return&, const Return&) = default;
  friend auto operator<=>(const Return&, const Return&) = default;
};

class Frames {
 public:
  Frames() : frames_{{}}, ids_{{{}, 0}} {}

  // Frame 0, of the root, returns nowhere.
  const std::vector<Return>& operator[](FrameId id) const { return frames_[id]; }
  FrameId intern(std::vector<Return> returns);

 private:
  std::vector<std::vector<Return>> frames_;
  std::map<std::vector<Return>, FrameId> ids_;
};

// All the places that a text may be in. Ascending; places are distinct.
struct Position {
  std::vector<Return> at;  // `below` is the frame that the place's own rule returns to
  bool complete = false;   // the text may end here

  bool possible() const { return complete || !at.empty(); }
  friend bool operator==(const Position&, const Position&) = default;
};

class Matcher {
 public:
  explicit Matcher(const Automaton& automaton) : a_(automaton) {}

  Position start();
  Position after(const Position& position, Symbol symbol);
  // What a text that is in `place` may also be in, because rules end or are called there.
  Position opened(Place place, FrameId below);

 private:
  void open(Return at, Position& out);
  void call(Position& out);
  void settle(Position& out);

  const Automaton& a_;
  Frames frames_;
  struct Called {
    RuleId rule = 0;
    Return back;
  };
  std::vector<Called> called_;  // while a position is made
};

}  // namespace tilewright::tokens::grammar
