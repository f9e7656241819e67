#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/ranks/findings_of_ranks.h"
#include "tilewright/compile/ranks/happens_before.h"

namespace tilewright::compile {
namespace {

using namespace ir;

constexpr int64_t kMostPairs = 200'000'000;

std::string_view access_text(RankEvent::Kind kind) {
  return kind == RankEvent::Kind::Read ? "reads" : kind == RankEvent::Kind::Add ? "adds to" : "writes";
}

class RaceFinder {
 public:
  RaceFinder(const Timeline& timeline, const std::vector<uint32_t>& executed, Diagnostics& out)
      : t_(timeline), order_(timeline, executed), out_(out) {
    for (uint32_t s = 0; s < t_.steps().size(); ++s)
      for (const RankEvent& e : t_.events(t_.steps()[s]))
        if (!e.is_signal()) parts_[{e.window, e.owner}].push_back({s, &e});
  }

  void run() {
    for (const auto& [part, uses] : parts_)
      for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = i + 1; j < uses.size(); ++j) {
          if (++pairs_ > kMostPairs) return give_up(*uses[i].event->place);
          compare(uses[i], uses[j]);
        }
    flush();
  }

 private:
  struct Use {
    uint32_t step;
    const RankEvent* event;
  };
  struct Told {
    Diagnostic diagnostic;
    int64_t count = 0;
  };

  void compare(const Use& a, const Use& b) {
    if (t_.steps()[a.step].rank == t_.steps()[b.step].rank) return;  // the edges of one rank
    if (!a.event->writes() && !b.event->writes()) return;
    if (!a.event->rect.overlaps(b.event->rect) || order_.ordered(a.step, b.step)) return;
    const bool sums = a.event->kind == RankEvent::Kind::Add && b.event->kind == RankEvent::Kind::Add;
    if (sums) return unordered_sum(a, b);
    const Place& pa = *a.event->place;
    const Place& pb = *b.event->place;
    if (!a.event->certain || !b.event->certain) return unknown(a, b);
    tell("rank-race", pa, pb, [&] {
      return Diagnostic{
          Severity::Error, "rank-race",
          fmt::format("rank {} {} window {} {} of rank {} while rank {} {} it",
                      t_.steps()[a.step].rank, access_text(a.event->kind), name(a),
                      a.event->rect.text(), a.event->owner, t_.steps()[b.step].rank,
                      access_text(b.event->kind)),
          fmt::format("at {} ({}) and {} ({}), program {}", pa.text(), t_.task_text(a.step),
                      pb.text(), t_.task_text(b.step), t_.plan().program.name),
          "if two ranks access the same part of a window and one of them writes, they need an "
          "order: a notify after the first access and a wait before the second",
          "notify after the first access and wait before the second; a barrier does both",
          pa.excerpt() + (pa == pb ? "" : pb.excerpt()),
          pa,
          {{pb, "the other place"}}};
    });
  }

  // Whether they meet depends on data.
  void unknown(const Use& a, const Use& b) {
    const Use& chosen = a.event->certain ? b : a;
    const Place& place = *chosen.event->place;
    tell("rank-unknown", place, place, [&] {
      return Diagnostic{
          Severity::Note, "rank-unknown",
          fmt::format("device data select what rank {} {} in window {}, which other ranks access "
                      "without an order",
                      t_.steps()[chosen.step].rank, access_text(chosen.event->kind), name(chosen)),
          where_text(t_.plan().program, place, "", ""),
          "waits and races are checked only where signals and offsets are known before tasks run",
          "check by hand that the ranks use separate parts",
          place.excerpt(),
          place};
    });
  }

  void unordered_sum(const Use& a, const Use& b) {
    if (!is_float(t_.plan().program[a.event->window].dtype)) return;
    const Place& place = *a.event->place;
    tell("rank-order", place, *b.event->place, [&] {
      return Diagnostic{
          Severity::Note, "rank-order",
          fmt::format("ranks {} and {} add to window {} {} of rank {} in the order they arrive",
                      t_.steps()[a.step].rank, t_.steps()[b.step].rank, name(a),
                      a.event->rect.text(), a.event->owner),
          where_text(t_.plan().program, place, "", ""),
          "the last bits of a floating-point sum depend on the order of addition",
          "let one rank add the parts in rank order if results must be bit-identical between runs",
          place.excerpt(),
          place};
    });
  }

  void give_up(const Place& place) {
    flush();
    out_.add({Severity::Note, "rank-unknown",
              fmt::format("the program accesses windows so often that only {} pairs of accesses "
                          "were compared",
                          kMostPairs),
              where_text(t_.plan().program, place, "", ""),
              "accesses of different ranks to one window are compared in pairs, up to a limit",
              "check a smaller problem", place.excerpt(), place});
  }

  std::string name(const Use& u) const { return t_.plan().program[u.event->window].written_name(); }

  // Once for two places of the file, in whatever order and from however many statements.
  template <class Make>
  void tell(const char* code, const Place& a, const Place& b, const Make& make) {
    Told*& known = by_statement_[{code, &a, &b}];  // texts are compared once, not per pair of uses
    if (!known) {
      std::string first = a.text(), second = b.text();
      if (second < first) std::swap(first, second);
      known = &told_[{code, std::move(first), std::move(second)}];
    }
    if (known->count++ == 0) known->diagnostic = make();
  }

  void flush() {
    for (auto& [key, told] : told_) {
      if (told.count > 1)
        told.diagnostic.what += fmt::format(" (and {})", counted(told.count - 1, "more time"));
      out_.add(std::move(told.diagnostic));
    }
  }

  const Timeline& t_;
  const HappensBefore order_;
  Diagnostics& out_;
  std::map<std::pair<VarId, int64_t>, std::vector<Use>> parts_;
  std::map<std::tuple<std::string, std::string, std::string>, Told> told_;
  std::map<std::tuple<std::string_view, const Place*, const Place*>, Told*> by_statement_;
  int64_t pairs_ = 0;
};

}  // namespace

void find_rank_races(const Timeline& timeline, const std::vector<uint32_t>& executed,
                     Diagnostics& out) {
  RaceFinder(timeline, executed, out).run();
}

}  // namespace tilewright::compile
