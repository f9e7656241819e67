// pld: windows that every rank has and every rank reaches, and the signals between ranks. A window
// is one tensor whose first dimension is the rank; a name of a program stands for the part of its
// own rank, and an access to a peer is an access to another part.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {
namespace {

// pld.NotifyOp.Set, whatever the module is called in the file.
bool is_named(const Value& v, std::string_view word) {
  const auto* o = v.as<Outside>();
  return v.is_word(word) || (o && o->path.ends_with("." + std::string(word)));
}

std::vector<ir::Expr> on_rank(const ir::Expr& rank, std::vector<ir::Expr> offsets) {
  offsets.insert(offsets.begin(), rank);
  return offsets;
}

}  // namespace

Value Lowering::pld_call(const std::string& path, const Expr& e, std::string_view target) {
  std::string word = path;
  for (std::string_view prefix : {"pld.", "system.", "tensor.", "tile."})
    if (word.starts_with(prefix)) word.erase(0, prefix.size());
  if (!program_.rank.valid())
    unsupported(e.at, fmt::format("{} in a program of one device", path),
                "name the host function that starts it on several");
  if (word == "world_size") return {ir::Expr(program_.ranks)};
  if (word == "get_comm_ctx") return {Word{"CommCtx"}};
  if (word == "rank") return {ir::Expr::var(program_.rank)};
  if (word == "nranks") return {ir::Expr(program_.ranks)};
  if (word == "alloc_window_buffer") return window_buffer(e, target);
  if (word == "window") return window_of_buffer(e, target);
  static const std::set<std::string_view> kOnCore{"notify",       "wait", "remote_load",
                                                  "remote_store", "put",  "get",
                                                  "barrier"};
  if (!kOnCore.contains(word))
    fail(e.at, "unsupported", fmt::format("{} is not supported", path),
         "pld provides windows, remote_load, remote_store, put, get, notify, wait and barrier",
         "use one of these");
  if (!in_scope())
    fail(e.at, "outside-scope", fmt::format("{} outside any scope", path),
         "only cores access the windows of other ranks; the orchestrator only starts tasks",
         "put it in a scope: with pl.at(level=pl.Level.CORE_GROUP):");
  if (word == "notify") return notify(e);
  if (word == "wait") return wait(e);
  if (word == "barrier") return barrier(e);
  if (word == "remote_load") return remote_load(e, target);
  if (word == "remote_store") return remote_store(e);
  return word == "put" ? put(e) : get(e);
}

// ---- windows -----------------------------------------------------------------------------------

// A buffer has bytes; it gets a shape where a window is made of it.
Value Lowering::window_buffer(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pld.alloc_window_buffer", {"size"}, {"dtype", "name"});
  ir::Var v;
  v.name = names_.take(target.empty() ? "window_buffer" : target);
  v.written = target.empty() ? "pld.alloc_window_buffer(...)" : target;
  v.dtype = DType::I8;
  v.shape = {args.has("dtype")
                 ? bytes_of(args.dtype("dtype"), element_count(args.shape("size")))
                 : args.constant("size")};
  v.place = place(e.at);
  const ir::VarId id = new_var(std::move(v));
  window_buffers_[id];
  return {Tensor{id}};
}

Value Lowering::window_of_buffer(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pld.window", {"buffer", "shape"}, {"dtype"});
  const ir::VarId buffer = args.tensor("buffer");
  const auto known = window_buffers_.find(buffer);
  if (known == window_buffers_.end())
    args.wrong("buffer", args.value("buffer"), "what pld.alloc_window_buffer gives");
  const ir::ArrayType type{args.dtype("dtype"), args.shape("shape")};
  for (const auto& [made, view] : known->second)
    if (made == type) return {Tensor{view}};
  const int64_t bytes = bytes_of(type.dtype, element_count(type.shape));
  if (bytes > program_[buffer].shape[0])
    fail(e.at, "window",
         fmt::format("a window {} of {} bytes in a buffer of {}", ir::type_text(type), bytes,
                     program_[buffer].shape[0]),
         "a window must fit into its buffer", "make the buffer larger");
  if (!known->second.empty() && noted_.insert(program_[buffer].name).second)
    report(e.at, "shared-window",
           fmt::format("buffer {} has windows of several shapes", program_[buffer].written_name()),
           "windows are checked one by one; shared memory between windows is not checked",
           "check by hand that these windows are not in use at the same time", Severity::Note);
  ir::Var v;
  v.name = names_.take(target.empty() ? "window" : target);
  v.written = target.empty() ? "pld.window(...)" : target;
  v.dtype = type.dtype;
  v.shape = type.shape;
  v.shape.insert(v.shape.begin(), program_.ranks);
  v.window = true;
  v.place = place(e.at);
  ir::Op create;
  create.kind = ir::OpKind::Create;
  create.dst = new_var(std::move(v));
  create.scalar = scalar_operand({ir::Expr(0)});  // windows start as zeros
  create.place = place(e.at);
  const ir::VarId window = create.dst;
  append({std::move(create)});
  const ir::VarId here = own_part(window, e.at);
  known->second.emplace_back(type, here);
  return {Tensor{here}};
}

// The part of a window that lies on the rank itself.
ir::VarId Lowering::own_part(ir::VarId window, At at) {
  ir::Op op;
  op.kind = ir::OpKind::Slice;
  op.args = {window};
  op.offset.assign(program_[window].shape.size(), ir::Expr(0));
  op.offset[0] = ir::Expr::var(program_.rank);
  const Shape& shape = program_[window].shape;
  const ir::ArrayType type{program_[window].dtype, Shape(shape.begin() + 1, shape.end())};
  const Value here = emit(std::move(op), type, {}, at, program_[window].name + "_here");
  windows_[here.as<Tensor>()->var] = window;
  return here.as<Tensor>()->var;
}

ir::VarId Lowering::window_argument(Arguments& args, std::string_view name) {
  const auto it = windows_.find(args.tensor(name));
  if (it != windows_.end()) return it->second;
  if (program_[args.tensor(name)].window) return args.tensor(name);  // in a printed file
  fail(args.at(name), "argument",
       fmt::format("{} of {} is {}, which other ranks cannot access", name, args.word(),
                   program_[args.tensor(name)].written_name()),
       "ranks access each other's data only through windows",
       "declare it pld.DistributedTensor[...]");
}

// ---- data --------------------------------------------------------------------------------------

Value Lowering::remote_load(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pld.tile.remote_load",
                 {"target", "peer", "offsets", "shape", "valid_shape"});
  ir::Op op;
  op.kind = ir::OpKind::Load;
  op.args = {window_argument(args, "target")};
  op.offset = on_rank(args.integer("peer"), args.integers("offsets"));
  if (args.has("valid_shape") && !args.value("valid_shape").as<None>())
    op.valid = args.integers("valid_shape");
  op.space = MemorySpace::Vec;
  const DType dtype = program_[op.args[0]].dtype;
  return emit(std::move(op), {dtype, args.shape("shape")}, target, e.at, "remote");
}

bool Lowering::is_atomic(Arguments& args) {
  if (!args.has("atomic")) return false;
  const Value how = args.value("atomic");
  if (is_named(how, "AtomicType.Add")) return true;
  if (!is_named(how, "AtomicType.None_")) args.wrong("atomic", how, "pld.AtomicType.Add");
  return false;
}

Value Lowering::remote_store(const Expr& e) {
  Arguments args(*this, e, "pld.tile.remote_store", {"src", "target", "peer", "offsets"},
                 {"src_tile", "atomic"});
  ir::Op op;
  op.kind = ir::OpKind::Store;
  op.dst = window_argument(args, "target");
  op.args = {args.tensor(args.has("src_tile") ? "src_tile" : "src")};
  op.offset = on_rank(args.integer("peer"), args.integers("offsets"));
  op.atomic_add = is_atomic(args);
  emit_in_place(std::move(op), e.at);
  return {None{}};
}

Lowering::Transfer Lowering::transfer(Arguments& args) {
  Transfer t;
  t.peer = args.integer("peer");
  t.atomic = is_atomic(args);
  const Shape& whole = program_[args.tensor("src")].shape;
  if (args.has("shape")) {
    t.extent = args.integers("shape");
    t.from = args.integers("src_offsets");
    t.to = args.integers("dst_offsets");
  } else {
    t.extent.assign(whole.begin(), whole.end());
    t.from.assign(whole.size(), ir::Expr(0));
    t.to = t.from;
  }
  const std::size_t rank = t.extent.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const char* name = d + 1 == rank ? "chunk_cols" : d + 2 == rank ? "chunk_rows" : "";
    int64_t wanted = *name && args.has(name) ? args.constant(name) : 0;
    if (t.extent[d].is_constant())
      wanted = wanted > 0 ? std::min(wanted, t.extent[d].constant()) : t.extent[d].constant();
    if (wanted <= 0)
      fail(args.at("shape"), "constant",
           fmt::format("dimension {} of {} is only known when the program runs", d, args.word()),
           "a single transfer needs a constant shape", "give chunk_rows and chunk_cols");
    t.chunk.push_back(wanted);
  }
  return t;
}

// GM to GM through a tile: in one piece, or in a loop for every dimension that is cut.
void Lowering::move_chunks(const Transfer& t, ir::VarId from, ir::VarId to, bool from_peer, At at) {
  std::vector<ir::Expr> source = t.from, target = t.to, valid;
  std::vector<ir::For> loops;
  bool ragged = false;
  for (std::size_t d = 0; d < t.chunk.size(); ++d) {
    valid.emplace_back(t.chunk[d]);
    if (t.extent[d] == ir::Expr(t.chunk[d])) continue;
    ir::For f;
    f.var = scalar_var("chunk", DType::Index, at);
    f.start = 0;
    f.stop = t.extent[d];
    f.step = t.chunk[d];
    f.place = place(at);
    const ir::Expr first = ir::Expr::var(f.var);
    source[source.size() - t.chunk.size() + d] = source[source.size() - t.chunk.size() + d] + first;
    target[target.size() - t.chunk.size() + d] = target[target.size() - t.chunk.size() + d] + first;
    if (!t.extent[d].is_constant() || t.extent[d].constant() % t.chunk[d] != 0) {
      valid.back() = ir::min(ir::Expr(t.chunk[d]), t.extent[d] - first);
      ragged = true;
    }
    loops.push_back(std::move(f));
    open();
  }
  ir::Op load;
  load.kind = ir::OpKind::Load;
  load.args = {from};
  load.offset = from_peer ? on_rank(t.peer, source) : source;
  if (ragged) load.valid = valid;
  load.space = MemorySpace::Vec;
  const Value staged = emit(std::move(load), {program_[from].dtype, t.chunk}, {}, at, "staging");
  ir::Op store;
  store.kind = ir::OpKind::Store;
  store.dst = to;
  store.args = {staged.as<Tensor>()->var};
  store.offset = from_peer ? target : on_rank(t.peer, target);
  store.atomic_add = t.atomic;
  emit_in_place(std::move(store), at);
  for (; !loops.empty(); loops.pop_back()) {
    loops.back().body = close();
    append({std::move(loops.back())});
  }
}

Value Lowering::put(const Expr& e) {
  Arguments args(*this, e, "pld.tensor.put",
                 {"dst", "peer", "src", "dst_offsets", "src_offsets", "shape"},
                 {"atomic", "chunk_rows", "chunk_cols", "pipeline"});
  move_chunks(transfer(args), args.tensor("src"), window_argument(args, "dst"), false, e.at);
  return {None{}};
}

Value Lowering::get(const Expr& e) {
  Arguments args(*this, e, "pld.tensor.get",
                 {"dst", "peer", "src", "dst_offsets", "src_offsets", "shape"},
                 {"chunk_rows", "chunk_cols", "pipeline"});
  move_chunks(transfer(args), window_argument(args, "src"), args.tensor("dst"), true, e.at);
  return {None{}};
}

// ---- signals -----------------------------------------------------------------------------------

void Lowering::append_signal(ir::Signal signal, At at) {
  const ir::Var& window = program_[signal.window];
  if (window.dtype != DType::I32 || signal.cell.size() != window.shape.size())
    fail(at, "signal",
         fmt::format("a signal in window {} {} with {}", window.name, dtype_name(window.dtype),
                     counted(static_cast<int64_t>(signal.cell.size()) - 1, "offset")),
         "a signal is one element of an INT32 window",
         "use an INT32 window, and one offset per dimension");
  signal.place = place(at);
  append({std::move(signal)});
}

Value Lowering::notify(const Expr& e) {
  const bool named_signal = std::ranges::any_of(
      e.keywords, [](const Keyword& k) { return k.name == "signal"; });
  const char* window = named_signal ? "signal" : "target";
  Arguments args(*this, e, "pld.system.notify", {window, "peer", "offsets", "value"}, {"op"});
  ir::Signal s;
  s.window = window_argument(args, window);
  s.cell = on_rank(args.integer("peer"), args.integers("offsets"));
  s.value = args.integer("value");
  const Value how = args.value("op");
  s.replaces = is_named(how, "NotifyOp.Set");
  if (!s.replaces && !is_named(how, "NotifyOp.AtomicAdd"))
    args.wrong("op", how, "pld.NotifyOp.AtomicAdd or pld.NotifyOp.Set");
  append_signal(std::move(s), e.at);
  return {None{}};
}

Value Lowering::wait(const Expr& e) {
  Arguments args(*this, e, "pld.system.wait", {"signal", "offsets", "expected"}, {"cmp"});
  ir::Signal s;
  s.kind = ir::Signal::Kind::Wait;
  s.window = window_argument(args, "signal");
  s.cell = on_rank(ir::Expr::var(program_.rank), args.integers("offsets"));
  s.value = args.integer("expected");
  const Value how = args.value("cmp");
  if (is_named(how, "WaitCmp.Eq"))
    s.compare = ir::Compare::Eq;
  else if (!is_named(how, "WaitCmp.Ge"))
    args.wrong("cmp", how, "pld.WaitCmp.Ge or pld.WaitCmp.Eq");
  append_signal(std::move(s), e.at);
  return {None{}};
}

// Every rank gives one credit to every other, waits for theirs, and takes them back, so that the
// signals are zero again.
Value Lowering::barrier(const Expr& e) {
  Arguments args(*this, e, "pld.tensor.barrier", {"signal"});
  const ir::VarId window = window_argument(args, "signal");
  const ir::Expr rank = ir::Expr::var(program_.rank);
  const std::size_t zeros = program_[window].shape.size() - 2;
  const auto for_peers = [&](const auto& signal_of) {
    ir::For f;
    f.var = scalar_var("peer", DType::Index, e.at);
    f.start = 0;
    f.stop = program_.ranks;
    f.place = place(e.at);
    open();
    ir::If other;
    other.condition.op = ir::Compare::Ne;
    other.condition.left = ir::Expr::var(f.var);
    other.condition.right = rank;
    other.place = place(e.at);
    open();
    ir::Signal s = signal_of(ir::Expr::var(f.var));
    s.window = window;
    s.cell.insert(s.cell.end(), zeros, ir::Expr(0));
    append_signal(std::move(s), e.at);
    other.then_body = close();
    append({std::move(other)});
    f.body = close();
    append({std::move(f)});
  };
  for_peers([&](const ir::Expr& peer) {
    ir::Signal s;
    s.cell = {peer, rank};
    s.value = 1;
    return s;
  });
  for_peers([&](const ir::Expr& peer) {
    ir::Signal s;
    s.kind = ir::Signal::Kind::Wait;
    s.cell = {rank, peer};
    s.value = 1;
    return s;
  });
  for_peers([&](const ir::Expr& peer) {
    ir::Signal s;
    s.cell = {rank, peer};
    s.value = -1;
    return s;
  });
  return args.value("signal");
}

}  // namespace tilewright::frontend
