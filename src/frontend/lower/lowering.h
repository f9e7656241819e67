// A program class or function of a file becomes an ir::Program. Names of Python are bound to
// buffers of the program: in a file that Tilewright printed a name is a buffer; in any other file
// an assignment makes a new buffer unless a loop or branch must keep the name in one (liveness.h).
// Calls between functions are expanded in place. Private to this room.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/lower/liveness.h"
#include "tilewright/frontend/parse/token.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/names.h"
#include "tilewright/ir/program.h"

namespace tilewright::frontend {

class Arguments;

struct TooManyErrors {};  // enough was told; the rest of the program is not looked at

// What the lowering is told besides the file.
struct LoweringInput {
  World& world;
  Modules& modules;
  Environment& home;    // the names around the program: of its builder, or of the module
  const Stmt* program;  // a class decorated pl.program, or a function decorated pl.jit
  std::string name;
  bool names_are_buffers = false;
  const std::vector<Directive>* directives = nullptr;
  // Types of parameters from the file's tensor specs or from the user; by parameter name.
  struct KnownType {
    Shape shape;
    std::optional<DType> dtype;
    bool by_name = false;  // from specs of another program that has a parameter of this name
  };
  std::map<std::string, KnownType> types;
  // Names that stand for one tensor and later for another, by the function they are in.
  std::set<std::pair<const Stmt*, std::string>> changing = {};
  // Hears what names stand for (Reading::named).
  std::function<void(const Source& source, At at, std::string_view name, const Value& value,
                     bool bound)>
      named = {};
};

// Thrown when a name outside scopes turns out to change what it stands for in a loop or branch:
// lowering starts again with it among LoweringInput::changing.
struct NameChanges {
  std::pair<const Stmt*, std::string> name;
};

// Whether a function is a host that starts programs on ranks, and which; whether it has windows as
// parameters.
bool starts_ranks(const Stmt& function);
std::set<std::string_view> started_by(const Stmt& host);
bool has_windows(const Stmt& function);

class Lowering : public Evaluator {
 public:
  explicit Lowering(LoweringInput input);

  ir::Program run();

 private:
  struct Binding {
    Value value;
    std::string taken_by;  // not empty: the buffer was written under this newer name
  };
  using Bindings = std::unordered_map<std::string_view, Binding>;
  // A function being expanded.
  struct Frame {
    const Stmt* function = nullptr;
    Environment* home = nullptr;  // the names around the function
    std::map<std::string, int64_t, std::less<>> sizes;  // dynamic sizes of its parameters
    Bindings names;
    // What names were before each change, newest last, while a branch is written.
    struct Change {
      std::string_view name;
      std::optional<Binding> old;
    };
    std::vector<Change> changes;
    int recording = 0;
    std::unordered_map<std::string_view, ir::VarId>
        pinned;  // names that a loop or branch keeps in one buffer
    std::unordered_set<std::string_view>
        keep_scalars;                              // integers that need a variable once assigned
    std::unordered_set<std::string_view> outputs;  // parameters that may be written as a whole
    std::shared_ptr<const Liveness> liveness;
    std::vector<Value> returned;
    bool has_returned = false;
    std::size_t first_block = 1;  // blocks that are open where the function starts
    std::unordered_map<uint32_t, std::vector<std::string_view>>
        holders;                                      // names ever bound to a variable
    // What pl.yield_ hands to, innermost last: the state of a loop, none for a branch.
    std::vector<std::optional<std::vector<ir::VarId>>> yields;
    std::unordered_set<std::string_view> behind_barrier;  // tiles that a barrier left behind
    std::unordered_set<std::string_view> in_other_branch;  // names that only that one has assigned
  };

  // The pins of a frame before a loop or branch added its own.
  struct Kept {
    std::unordered_map<std::string_view, ir::VarId> pinned;
    std::unordered_set<std::string_view> scalars;
  };

  // ---- lower_program.cc: parameters, functions ----
  const Stmt* entry() const;
  void require_known_decorators() const;
  void require_known_type(const Keyword& k) const;
  void declare_parameters(const Stmt& function);
  void declare_parameter(const Parameter& p);
  void report_missing();

  // ---- lower_type.cc: annotations ----
  struct ParameterType {
    enum class Kind : uint8_t { Array, Scalar, Task };
    Kind kind = Kind::Array;
    bool scalar() const { return kind != Kind::Array; }
    bool typed = true;  // false for a bare pl.Tensor
    ir::Direction direction = ir::Direction::In;
    ir::ArrayType type;
    std::vector<std::string> open;  // per dimension: the size that is not known, else empty
    ir::Layout layout = ir::Layout::ND;
    bool window = false;  // pld.DistributedTensor
    bool complete() const;
  };
  // `known` is what stands for the parameter: its dimensions give dynamic sizes their numbers.
  ParameterType parameter_type(const Expr& annotation, const Shape* known);
  void dimensions(const Expr& list, const Shape* known, ParameterType& out);

  // ---- lower_bare.cc: bare tensors ----
  std::optional<Function> called_function(const Expr& call, const Environment& home) const;
  std::optional<ParameterType> type_where_used(const Function& function, std::string_view name,
                                               const Shape* known, int handovers = 0);

  // ---- lower_direction.cc: what is done with the parameters ----
  void fix_directions();
  std::set<ir::VarId> returned_parameters() const;
  void check_return(const Stmt& function);

  void kernel_body(const Stmt& function, ir::Scope scope);
  ir::Role role_of(const Parameter& p, ir::Direction direction) const;

  // ---- lower_statement.cc ----
  void body(const Body& statements);
  void statement(const Stmt& s);
  void lower(const Stmt& s);
  void assign_statement(const Stmt& s);
  void augment_statement(const Stmt& s);
  void evaluate_statement(const Stmt& s);
  void return_statement(const Stmt& s);
  void check_annotation(const Expr& annotation, const Value& v);
  void poison(const Stmt& s);

  // ---- lower_block.cc: scopes and branches ----
  void with_statement(const Stmt& s);
  void open_spmd(const Stmt& s, const Expr& call);
  void if_statement(const Stmt& s);
  ir::Block branch(const Body& statements);
  Bindings undo_names(std::size_t mark);
  void join_names(const Bindings& then, std::size_t mark);
  Kept keep() const;
  void restore(Kept kept);
  Value current(std::string_view name) const;  // None when unbound
  void pin_current(std::string_view name, At at);
  // ---- lower_change.cc ----
  bool changes(std::string_view name) const;
  void require_changing(std::string_view name);
  ir::VarId stand_for(std::string_view name, std::optional<ir::VarId> handle, ir::VarId tensor,
                      At at);
  void require_same(std::string_view name, const Value& a, const Value& b, const Stmt& s);
  ir::Cond condition_of(const Value& v, At at);
  void runtime_scope(const Stmt& s, const std::string& word);
  ir::Scope scope_of(const Expr& call, const std::string& word);
  void read_optimizations(const Expr& value, ir::Scope& scope);
  ir::Split split_of(const Value& v, At at) const;

  // ---- lower_task.cc: names of tasks ----
  void note_dialect(std::string_view day);
  ir::VarId task_var(std::string_view name, At at, int64_t entries = 0);
  void set_tasks(ir::TaskRef target, std::vector<ir::TaskRef> tasks, At at);
  void collect_tasks(const Value& v, At at, std::vector<ir::TaskRef>& out) const;
  ir::TaskOrder task_order(Arguments& args);
  void name_task(ir::TaskOrder& order, std::string_view name, At at);
  Value task_dummy(const Expr& e, std::string_view target);
  Value task_array(const Expr& e, std::string_view target);
  Value task_entry(const TaskHandle& array, const Expr& e);
  void assign_task_entry(const TaskHandle& array, const Expr& target, const Value& value);
  int64_t task_entries(const TaskHandle& value) const;  // of an array; 0 for one task id
  Value copy_task(std::string_view name, const Value& value, At at);
  void yield_task(ir::VarId state, const Value& value, At at);
  void pin_task(std::string_view name, const Value& value, At at);

  // ---- lower_submit.cc ----
  Value no_dep(const Expr& e);
  ir::TaskOrder call_order();
  Value submit(const std::string& word, const Expr& e);

  // ---- lower_external.cc: kernels without a body here ----
  std::vector<Value> external_call(const Stmt& function, const Place& at);
  ir::ExternalId declare_external(const Stmt& function,
                                  std::vector<ir::External::Parameter> parameters);
  ir::CoreKind external_core(const Stmt& function);

  // ---- lower_loop.cc ----
  void for_statement(const Stmt& s);
  void while_statement(const Stmt& s);
  ir::For loop_head(const Stmt& s, ir::Scope& scope);
  void loop_bounds(ir::For& f, const Expr& call, Arguments& args);
  std::string_view block_name(At at) const;
  void carry(const Stmt& s);
  void bound_loop(const ir::For& f);
  void finish_loop(const Stmt& s, ir::For f, const ir::Scope& scope);
  void finish_phase(const Body& statements, ir::For f, ir::Scope scope);
  std::vector<ir::VarId> begin_state(const Stmt& s);
  void yield(const Stmt& s);
  void yield_of_branch(const Stmt& s);
  void require_unspent(const Stmt& s);

  // ---- lower_lanes.cc: pl.split_aiv ----
  bool is_lane_loop(const Stmt& s) const;
  void lane_loop(const Stmt& s);
  void lanes_in_order(const Stmt& s, ir::Split split);
  Value aiv_shard(const Expr& e, std::string_view target);

  // ---- lower_barrier.cc: pl.system.syncall ----
  std::vector<Body> phases_of(const Body& statements);
  void pass_barrier(ir::For& f);

  // ---- lower_name.cc: what a name is bound to ----
  Value name(const Expr& e) override;
  Value meaning_of(const Expr& e);
  void hear(At at, std::string_view name, const Value& value, bool bound) const {
    if (in_.named) in_.named(*source_, at, name, value, bound);
  }
  Value member(const Value& value, std::string_view name, At at) override;
  std::optional<Value> exchange(std::string_view name, std::optional<Value> value) override;
  Value lambda(const Expr& e) override;
  Value assignment(const Expr& e) override;
  Value settled(Value v, At at) override { return resolved(std::move(v), at); }
  // Refuses a value that could not be evaluated, with the places it came through.
  Value require_known(Value v, std::string_view name, At at) const;
  struct UnknownName {
    std::string name, reason;
  };
  void add_mentioned_unknowns(const Function& start, std::vector<UnknownName>& out) const;
  [[noreturn]] void refuse_unknown(const Unknown& u, std::string_view name, At at) const;
  void bind(std::string_view name, Value value);
  void set_binding(std::string_view name, Binding binding);
  // How a value reaches a name: made by the statement, or another name's, which may be read again.
  enum class Origin : uint8_t { Made, Copied, HandedOver };
  void assign(const Expr& target, Value value, Origin origin);
  void bind_target(const Expr& target, Value value, Origin origin);
  void assign_tensor(const Expr& target, ir::VarId var, Origin origin);
  void assign_integer(const Expr& target, const ir::Expr& value);
  void assign_task(const Expr& target, const TaskHandle& value, Origin origin);
  void copy(ir::VarId to, ir::VarId from, At at, bool spent);
  bool is_spent(const Stmt& s, const Expr& value) const;
  bool retarget(ir::VarId to, ir::VarId from);
  ir::VarId target_var(std::string_view target, std::string_view hint, const ir::ArrayType& type,
                       At at);
  ir::VarId scalar_var(std::string_view name, DType dtype, At at);
  void take_over(std::string_view name, ir::VarId var);
  const ir::VarId* pin_of(std::string_view name) const;

  // ---- lower_call.cc ----
  Value call(const Expr& e) override { return call(e, {}); }
  Value call(const Expr& e, std::string_view target);
  Value function_call(const Function& callee, const CallValues& args, const Expr& e);
  Value python_call(const Value& callee, const Expr& e);
  Interpreter interpreter() { return {world_, in_.modules, *frame().home}; }
  void enter(Frame frame);
  void leave();
  Value pl_call(const std::string& word, const Expr& e, std::string_view target);
  std::optional<Value> scalar_call(const std::string& word, const Expr& e, std::string_view target);
  Value cast(const Expr& e, std::string_view target);
  Value read(const Expr& e, std::string_view target);
  Value read_element(ir::VarId array, std::vector<ir::Expr> index, std::string_view target, At at);
  Value write_element(const Expr& e);
  std::optional<Function> method_named(std::string_view name) const;
  std::optional<Function> own_function(std::string_view name) const;
  Value local_array(const Expr& e, std::string_view target);
  void store_element(ir::VarId array, const std::vector<ir::Expr>& index,
                     const ir::ScalarOperand& value, At at);
  std::shared_ptr<const Liveness> liveness_of(const Stmt& function);
  CallValues call_values(const Expr& e);
  void bind_argument(const Parameter& p, Value value, const Place& at);

  // ---- lower_op.cc, lower_tile_op.cc, lower_memory.cc ----
  Value op_call(ir::OpKind kind, const Expr& e, std::string_view target);
  Value memory_op(ir::OpKind kind, Arguments& args, std::string_view target);
  Value create(Arguments& args, std::string_view target);
  Value window(ir::OpKind kind, Arguments& args, std::string_view target);
  Value update(ir::OpKind kind, Arguments& args);
  ir::VarId lowered_rank(ir::VarId value, std::size_t rank, At at);
  Value layout_op(ir::OpKind kind, Arguments& args, std::string_view target);
  Value matmul_op(ir::OpKind kind, Arguments& args, std::string_view target);
  void require_accumulator_first(const ir::Op& op, Arguments& args);
  Value plain_op(ir::OpKind kind, Arguments& args, std::string_view target);
  Value sort_op(ir::OpKind kind, Arguments& args, std::string_view target);
  Value gather(Arguments& args, std::string_view target);
  Value scatter_mask(Arguments& args, std::string_view target);
  ir::MaskPattern mask_pattern(Arguments& args);
  ir::CastMode cast_mode(Arguments& args);
  ir::Pad pad_of(const Value& v, At at) const;
  std::optional<Value> number_op(ir::OpKind kind, const Value& a, const Value& b, At at);
  Value clear(ir::VarId array, std::string_view target, At at);
  std::optional<ir::ScalarOperand> scalar_operand(const Value& v) const;
  Value emit(ir::Op op, const ir::ArrayType& declared, std::string_view target, At at,
             std::string_view hint = {});
  Value emit_in_place(ir::Op op, At at);
  std::optional<ir::VarId> viewed_back(const ir::Op& op, const ir::ArrayType& type,
                                       std::string_view target) const;
  void remember(const ir::Op& op);

  // ---- lower_valid_view.cc ----
  void take_valid_parts(ir::Op& op, const Shape& shape, At at);

  // ---- lower_scalar.cc: floats that are known when the program runs ----
  std::optional<Value> scalar_arithmetic(std::string_view op, const Value& a, const Value& b,
                                         At at) override;
  Value compute(ir::ScalarMath math, const Value& a, const Value& b, DType dtype, At at);
  Value zero_or_one(const ir::Cond& condition, At at);
  Value cast_scalar(const Value& v, DType dtype, At at);
  void assign_float(const Expr& target, const Value& value, Origin origin);
  void set_float(ir::VarId var, const Value& value, At at);
  void name_computed(ir::VarId var, std::string_view name);

  // ---- lower_composed.cc: words that stand for several operations, or for none ----
  std::optional<Value> composed_call(const std::string& word, const Expr& e,
                                     std::string_view target);
  Value relu(const Expr& e, std::string_view target);
  Value exp_of_difference(ir::OpKind subtract, const Expr& e, std::string_view target);
  Value create_l1(const Expr& e, std::string_view target);
  Value gather_row(const Expr& e);
  Value gather_flat(Arguments& args, std::string_view target);
  Value merge_lists(Arguments& args, std::string_view target);
  ir::VarId leading_part(ir::VarId tile, Shape shape, At at);
  ir::VarId reshaped(ir::VarId x, const Shape& shape, At at);

  // ---- lower_transpose_view.cc ----
  Value transpose_view(const Expr& e);
  bool is_transpose_view(ir::VarId v) const { return stored_.contains(v); }
  void multiply_as_stored(ir::Op& product) const;
  Value move_transposed(ir::Op move, std::string_view target, At at);
  ir::VarId made_transpose(ir::VarId view, const Place& place);

  // ---- lower_host.cc: the host around the programs of several ranks ----
  bool in_host() const;
  int64_t ranks_of(const Stmt& host);
  int64_t ranks_around();
  std::optional<int64_t> chosen_ranks();
  void declare_rank(int64_t ranks);
  void read_ranks();
  bool is_marked_window(At at) const;
  bool rank_loop(const Stmt& s);
  std::optional<Value> launch(const Expr& e);
  std::optional<Value> part_of_rank(const Value& base, const Expr& e, std::string_view target);

  // ---- lower_rank.cc: pld ----
  Value pld_call(const std::string& path, const Expr& e, std::string_view target);
  Value window_buffer(const Expr& e, std::string_view target);
  Value window_of_buffer(const Expr& e, std::string_view target);
  ir::VarId own_part(ir::VarId window, At at);
  ir::VarId window_argument(Arguments& args, std::string_view name);
  Value remote_load(const Expr& e, std::string_view target);
  Value remote_store(const Expr& e);
  struct Transfer {
    ir::Expr peer;
    std::vector<ir::Expr> from, to;
    std::vector<ir::Expr> extent;
    Shape chunk;  // what is moved at once; the last ones of a loop may be smaller
    bool atomic = false;
  };
  Transfer transfer(Arguments& args);
  void move_chunks(const Transfer& t, ir::VarId from, ir::VarId to, bool from_peer, At at);
  bool is_atomic(Arguments& args);
  Value put(const Expr& e);
  Value get(const Expr& e);
  void append_signal(ir::Signal signal, At at);
  Value notify(const Expr& e);
  Value wait(const Expr& e);
  Value barrier(const Expr& e);

  // ---- subscripts ----
  Value subscript(const Expr& e) override { return subscript(e, {}); }
  Value subscript(const Expr& e, std::string_view target);
  Value list_item(const Value& base, const Expr& e);
  struct Window {
    std::vector<ir::Expr> offset;
    Shape extent;                  // where it varies, the most it can be ...
    std::vector<ir::Expr> valid;   // ... and then what it is, for every dimension; else empty
    std::vector<bool> bare;  // an index without a colon
    bool all_bare = true;
  };
  Window window_of(const Expr& e, const ir::Var& array);
  void assign_window(const Expr& target, Value value);

  // ---- building ----
  Frame& frame() { return frames_.back(); }
  const Frame& frame() const { return frames_.back(); }
  void append(ir::Stmt s);
  void open() { blocks_.emplace_back(); }
  ir::Block close();
  bool in_scope() const { return scopes_ > 0; }
  bool is_tile(ir::VarId v) const;  // made in the scope being written
  // The largest value a size can have, where loops bound it. A size that varies is allocated so.
  std::optional<int64_t> most(const ir::Expr& e) const;
  ir::Range range_of(ir::VarId v) const;
  // The tensor that a view outside scopes shows.
  ir::VarId root_of(ir::VarId v) const;
  ir::VarId new_var(ir::Var v);
  void report(At at, std::string code, std::string what, std::string law, std::string help,
              Severity severity = Severity::Error);
  void tell(const Diagnostic& d);
  // The value, evaluated; a refused one ends the statement.
  Value value_of(const Expr& e, std::string_view target = {});
  ir::VarId tensor_of(const Value& v, At at, std::string_view what) const;
  ir::Expr integer_of(const Value& v, At at, std::string_view what);
  int64_t constant_of(const Value& v, At at, std::string_view what);
  Value resolved(Value v, At at);  // dynamic sizes become numbers
  friend class Arguments;

  LoweringInput in_;
  ir::Program program_;
  ir::NameTable names_;
  std::deque<Frame> frames_;
  std::vector<ir::Block> blocks_;
  int scopes_ = 0;
  int scope_number_ = 0;               // counts scopes that were opened
  int manual_scopes_ = 0;              // around the statement
  std::vector<ir::VarId> untracked_now_;  // tensors that the call being lowered leaves out
  std::vector<int> made_in_;           // per variable: the scope it was made in, 0 = orchestrator
  std::vector<int> uses_;              // per variable: statements that name it
  ir::VarId written_now_;              // by the statement being lowered, under an existing name
  ir::VarId read_now_;                 // the scalar that the statement being lowered has read
  ir::VarId computed_now_;             // or computed, under a name that it may change
  std::set<ir::VarId> untouched_;      // created and not written yet
  std::vector<ir::Expr> block_index_;  // of the spmd scopes around
  std::map<ir::VarId, ir::Range> ranges_;             // of loop variables
  std::map<ir::VarId, ir::VarId> views_;              // outside scopes: what each view shows
  std::set<ir::VarId> handles_;  // of names that stand for one tensor and later for another
  std::map<ir::VarId, std::vector<ir::Expr>> valid_;  // valid extents that the author gave
  std::vector<ir::Expr> block_count_;  // of the same
  struct Lane {
    ir::Expr number;
    ir::Split split;
  };
  std::vector<Lane> lanes_;  // of the pl.split_aiv around the statement
  std::map<ir::VarId, ir::VarId> windows_;  // by the part on the own rank: the window of all
  // By what pld.alloc_window_buffer gave: its windows, as the parts on the own rank.
  std::map<ir::VarId, std::vector<std::pair<ir::ArrayType, ir::VarId>>> window_buffers_;
  std::map<ir::VarId, ir::VarId> stored_;  // by transpose view: the tile it is a view of
  std::map<const Stmt*, ir::ExternalId> externals_;  // by their declaration
  std::string scope_name_;
  struct Missing {
    std::string size, flag;
  };
  std::vector<Missing> missing_;  // sizes of parameters that nobody gives
  bool declaring_ = false;        // parameters: a missing size is noted, and told with the others
  std::set<std::string> noted_;  // notes are told once
  std::size_t errors_ = 0;
  int64_t statements_ = 0;  // lowered so far, those of expanded calls included
  std::unordered_map<const Stmt*, std::shared_ptr<const Liveness>> liveness_;  // by function
};

}  // namespace tilewright::frontend
