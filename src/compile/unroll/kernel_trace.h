// One execution of a kernel with regions in place of data: which parts of GM it touches, and whether
// everything it reads is inside its tensor, valid and written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/compile/unroll/buffers.h"
#include "tilewright/compile/unroll/findings.h"
#include "tilewright/compile/unroll/valid.h"
#include "tilewright/ir/expr.h"

namespace tilewright::compile {

class KernelTrace {
 public:
  // Gives the value of an element of an In parameter, when it is known before tasks run.
  using ReadElement = std::function<std::optional<double>(ir::VarId array, int64_t element)>;

  KernelTrace(const ir::Plan& plan, std::vector<Binding>& bindings, Findings& findings,
              ReadElement read_element);

  // Runs the kernel; `env` holds its scalars. `task` is how messages name the execution.
  void run(const ir::Kernel& kernel, ir::ScalarEnv& env, uint32_t submitted,
           std::vector<ir::Access>& accesses);

  // ---- visitor of control.h ----
  void op(const ir::Op& op);
  void scope(const ir::Scope&) {}
  void tasks(const ir::TaskSet&) {}
  void read(const ir::Read& read);
  void compute_scalar(const ir::Compute& c) { ir::execute(c, p_, *env_); }
  void begin_loop(const ir::For&) {}
  void enter_trip(const ir::For&, int64_t) {}
  void leave_loop(const ir::For&) {}
  void fail(const Place& place, Problem problem);

 private:
  struct Tile {
    uint32_t generation = 0;
    Extent valid{};
    bool whole = false;   // everything valid is defined
    DefinedMap partial;   // else what is
  };

  Tile& tile(ir::VarId v);
  bool is_gm(ir::VarId v) const { return kernel_args_[v.index()] == generation_; }
  void problem(const ir::Op& op, Problem p);
  void problem(const ir::Read& read, Problem p);
  void load(const ir::Op& op);
  void store(const ir::Op& op);
  void slice(const ir::Op& op);
  void assemble(const ir::Op& op);
  void set_valid(const ir::Op& op);
  void compute(const ir::Op& op);
  bool require_defined(const ir::Op& op, ir::VarId v);
  bool valid_of(const ir::Op& op, Extent& out);
  bool offsets_of(const ir::Op& op, const ir::Var& array, const Extent& extent, std::size_t rank,
                  std::array<int64_t, ir::kMaxRank>& offset, std::array<bool, ir::kMaxRank>& unknown);
  ir::Rect rows_and_cols(const Extent& extent, const ir::Var& v) const;
  void store_defined_part(const ir::Op& op, const Binding& target, const Tile& t);
  // Where device data chooses the offset, an access may be anywhere in that dimension: it is ordered
  // after all of it, and a write is not known to define any of it.
  struct Reach {
    Shape shape;  // one number per dimension of the array
    bool certain;
  };
  static Reach reach_of(const ir::Var& array, const Extent& extent, std::size_t rank,
                        const std::array<bool, ir::kMaxRank>& unknown);
  enum class Touch : uint8_t { Read, Write, MayWrite };
  void touch(const ir::Op& op, ir::VarId name, const ir::TensorRef& window, Touch how);
  void read_tile(const ir::Read& read, const std::array<int64_t, ir::kMaxRank>& offset,
                 const Shape& extent);
  Problem undefined_read(std::string_view reader, ir::VarId array, const Binding& b,
                         const ir::Rect& rect) const;
  Problem undefined_tile(std::string_view reader, ir::VarId v, const Tile& t,
                         const ir::Rect& rect) const;
  void define_whole(ir::VarId v, const Extent& valid);

  const ir::Program& p_;
  std::vector<Binding>& bindings_;
  Findings& findings_;
  ReadElement read_element_;
  std::vector<Tile> tiles_;
  std::vector<uint32_t> kernel_args_;
  uint32_t generation_ = 0;
  uint32_t submitted_ = 0;
  const ir::Kernel* kernel_ = nullptr;
  ir::ScalarEnv* env_ = nullptr;
  std::vector<ir::Access>* accesses_ = nullptr;
  std::size_t accesses_begin_ = 0;
};

}  // namespace tilewright::compile
