#include "tilewright/tokens/grammar/grammar.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "tilewright/base/check.h"
#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/grammar/explore.h"
#include "tilewright/tokens/grammar/matcher.h"
#include "tilewright/tokens/grammar/string_masks.h"

namespace tilewright::tokens::grammar {

// Explorations of single states that visit much of the tree, such as those of patterns.
class WideStates {
 public:
  std::shared_ptr<const Explored> find(StateId state) {
    const std::scoped_lock lock(mutex_);
    const auto at = made_.find(state);
    return at == made_.end() ? nullptr : at->second;
  }
  void keep(StateId state, std::shared_ptr<const Explored> explored) {
    constexpr std::size_t kMost = 1024;
    const std::scoped_lock lock(mutex_);
    if (made_.size() >= kMost) made_.clear();
    made_[state] = std::move(explored);
  }

 private:
  std::mutex mutex_;
  std::map<StateId, std::shared_ptr<const Explored>> made_;
};

namespace {

class GrammarConstraint : public Constraint {
 public:
  GrammarConstraint(std::shared_ptr<const Grammar> grammar, WideStates& wide)
      : grammar_(std::move(grammar)),
        a_(grammar_->automaton()),
        vocabulary_(grammar_->vocabulary()),
        wide_(wide),
        matcher_(a_),
        position_(matcher_.start()) {}

  const TokenSet& allowed() override {
    for (std::size_t i = 0; i < recent_.size(); ++i)
      if (recent_[i].position == position_) {
        if (i != 0) std::swap(recent_[i], recent_[0]);
        return recent_[0].allowed;
      }
    if (recent_.size() >= kRecent) recent_.pop_back();
    recent_.push_front({position_, made_mask()});
    return recent_.front().allowed;
  }

  void accept(int32_t id) override {
    if (std::ranges::find(vocabulary_.end_ids(), id) != vocabulary_.end_ids().end()) {
      check(position_.complete, "an end token was chosen where the text is not complete");
      position_ = {.at = {}, .complete = true};
      return;
    }
    const auto symbols = vocabulary_.symbols(id);
    check(!symbols.empty(), "a token without text was chosen under a constraint");
    for (const Symbol s : symbols) position_ = matcher_.after(position_, s);
    check(position_.possible(), "a token was chosen that the constraint does not allow");
  }

 private:
  static constexpr std::size_t kRecent = 8;
  static constexpr std::size_t kWide = 1024;  // nodes visited

  TokenSet made_mask() {
    TokenSet mask(vocabulary_.size());
    if (position_.complete)
      for (const int32_t id : vocabulary_.end_ids()) mask.add(id);
    // Runs of one position do not influence each other.
    for (const Return& at : position_.at) add_run(at, mask);
    return mask;
  }

  void add_run(const Return& at, TokenSet& mask) {
    const State& state = a_.states[at.place.state];
    const Rule& rule = a_.rules[state.rule];
    if (rule.any_string && a_.is_plain(state)) {
      const uint32_t room = rule.max == kUnlimited ? kUnlimited : rule.max - at.place.count;
      const uint32_t needed = rule.min - std::min(rule.min, at.place.count);
      const auto found = vocabulary_.string_masks().find(at.place.state - rule.start, room, needed);
      add_explored(*found, rule.start, at.below, mask);
      return;
    }
    const bool counts = rule.min != 0 || rule.max != kUnlimited;
    if (!counts)
      if (const auto found = wide_.find(at.place.state)) {
        add_explored(*found, 0, at.below, mask);
        return;
      }
    auto explored = std::make_shared<Explored>(vocabulary_.size());
    explore(a_, vocabulary_.tree(), 0, at.place, *explored);
    add_explored(*explored, 0, at.below, mask);
    if (!counts && explored->visited >= kWide) wide_.keep(at.place.state, std::move(explored));
  }

  void add_explored(const Explored& explored, StateId first_state, FrameId below, TokenSet& mask) {
    mask.add_all(explored.allowed);
    std::map<Place, Position> opened;
    for (const Explored::Exit& exit : explored.exits) {
      const Place place{exit.place.state + first_state, exit.place.count};
      auto at = opened.find(place);
      if (at == opened.end()) at = opened.emplace(place, matcher_.opened(place, below)).first;
      add_below(exit.node, at->second, mask);
    }
  }

  void add_below(uint32_t node, const Position& position, TokenSet& mask) {
    if (position.at.empty()) return;
    const TokenTree& tree = vocabulary_.tree();
    for (uint32_t n = node + 1; n < tree.nodes[node].end; n = tree.nodes[n].end) {
      const Position next = matcher_.after(position, tree.nodes[n].symbol);
      if (!next.possible()) continue;
      for (const int32_t id : tree.tokens_of(n)) mask.add(id);
      add_below(n, next, mask);
    }
  }

  struct Recent {
    Position position;
    TokenSet allowed;
  };

  std::shared_ptr<const Grammar> grammar_;
  const Automaton& a_;
  const Vocabulary& vocabulary_;
  WideStates& wide_;
  Matcher matcher_;
  Position position_;
  std::deque<Recent> recent_;  // texts come back to a position: the inside of one string
};

}  // namespace

Grammar::Grammar(Automaton automaton, std::shared_ptr<const Vocabulary> vocabulary)
    : automaton_(std::make_unique<const Automaton>(std::move(automaton))),
      vocabulary_(std::move(vocabulary)),
      wide_(std::make_unique<WideStates>()) {}

Grammar::~Grammar() = default;

std::unique_ptr<Constraint> Grammar::constraint() const {
  return std::make_unique<GrammarConstraint>(shared_from_this(), *wide_);
}

}  // namespace tilewright::tokens::grammar
