// Why elements are undefined: where they come from, and through which statements they have passed.
// Causes are numbered; a cause is one step and the cause before it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/region.h"

namespace tilewright::compile {

using CauseId = uint32_t;
inline constexpr CauseId kNoCause = 0;

// The statement that reads or writes, and the kernel it stands in.
struct Passage {
  const ir::Op* op = nullptr;      // either an op ...
  const ir::Read* read = nullptr;  // ... or the read of a scalar
  const ir::Kernel* kernel = nullptr;

  const void* subject() const { return op ? static_cast<const void*>(op) : read; }
  const Place& place() const { return op ? op->place : read->place; }
  std::string_view name() const;
};

class Causes {
 public:
  struct Step {
    CauseId from = kNoCause;  // none: it begins here
    ir::VarId array;          // where it begins: what nobody has written
    Passage by;
    ir::Rect hole;        // of a first step: which elements it reads
    bool certain = true;  // else data decides whether they are undefined
    int64_t times = 1;
  };

  explicit Causes(const ir::Program& program) : p_(program) {}

  // Where it begins: nobody has written the array, or a write may have happened or not.
  CauseId never_written(ir::VarId array);
  CauseId may_be_written(ir::VarId array, const Passage& by);
  // Undefined elements `hole` have passed through a statement. A loop leads back to the step it has
  // taken before.
  CauseId through(CauseId from, const Passage& by, const ir::Rect& hole, bool certain = true);

  const Step& operator[](CauseId id) const { return steps_[id]; }
  bool begins(CauseId id) const { return steps_[id].from == kNoCause; }
  bool certain(CauseId id) const { return steps_[id].certain; }

  // "[8:16] of slab, created at a.py:3 -> load at a.py:5 -> exp at a.py:6": all of a short way, else
  // its first and last steps. `where` are the elements themselves, if they have passed nothing yet.
  std::string way(CauseId id, const ir::Rect& where = {}) const;
  // The places of that text.
  std::vector<RelatedPlace> places(CauseId id) const;
  // The steps on the way to a cause that has become an error.
  void blame(CauseId id);
  // The first steps that no error was blamed on.
  std::vector<const Step*> harmless_reads() const;

 private:
  CauseId intern(CauseId from, ir::VarId array, const Passage& by, const ir::Rect& hole,
                 bool certain);
  CauseId taken_before(CauseId from, const Passage& by, bool certain) const;
  std::string beginning(const Step& first, const ir::Rect& hole) const;
  // From the beginning to the cause; the middle of a long way is left out, and is kNoCause.
  std::vector<CauseId> shown_path(CauseId id) const;

  using Key = std::tuple<CauseId, uint32_t, const void*, bool>;
  // Where a statement leads from a cause: it is asked for every row of a tile, and ways are long.
  struct Next {
    CauseId from;
    const void* subject;
    bool certain;
    bool operator==(const Next&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Next& n) const {
      return std::hash<const void*>()(n.subject) ^ (std::size_t{n.from} << 20) ^ n.certain;
    }
  };
  const ir::Program& p_;
  std::vector<Step> steps_{{}};
  std::map<Key, CauseId> index_;
  std::unordered_map<Next, CauseId, Hash> next_;
  std::set<CauseId> blamed_;
};

}  // namespace tilewright::compile
