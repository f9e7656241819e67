#include "tilewright/runtime/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"
#include "tilewright/models/transformer/memory.h"
#include "tilewright/models/transformer/step_program.h"
#include "tilewright/runtime/bound_program.h"
#include "tilewright/runtime/layer_stack.h"
#include "tilewright/runtime/machine.h"
#include "tilewright/runtime/step_rows.h"
#include "tilewright/runtime/step_tiles.h"

namespace tilewright::runtime {
namespace {

using checkpoint::Checkpoint;
using checkpoint::ModelConfig;
using models::transformer::StepSizes;

constexpr int64_t kDefaultContext = 4096;

int64_t pages_for(int64_t positions, const EngineOptions& o) {
  return (positions + o.page - 1) / o.page;
}

// Pages of all sequences together.
int64_t pages_of_all(const ModelConfig& config, const EngineOptions& o) {
  return o.cache_positions == 0 ? o.slots * pages_for(context_of(config, o), o)
                                : pages_for(o.cache_positions, o);
}

StepSizes sizes_of(const Checkpoint& model, const EngineOptions& o) {
  StepSizes s;
  s.model = model.config;
  s.types = models::transformer::head_types(model);
  s.types.cache = o.cache.value_or(s.types.cache);
  s.page = o.page;
  s.split = o.split;
  s.slots = o.slots;
  s.slot_pages = pages_for(context_of(model.config, o), o);
  s.pages = pages_of_all(model.config, o);
  s.rows = std::max(o.chunk, o.slots);
  s.tiles = cpu_tiles(o.instructions, s.types);
  return s;
}

// A thread that ends with a task more than the others loses an eighth at most.
StepSizes shared_by(int threads, StepSizes s) {
  s.tiles.attention_shares = threads == 1 ? 0 : 8 * threads;
  return s;
}

void require_whole_context(const StepSizes& s, const EngineOptions& o) {
  if (s.pages >= s.slot_pages) return;
  user_error("context",
             fmt::format("a KV cache of {} tokens does not hold a context of {}", o.cache_positions,
                         s.slot_pages * s.page),
             "", "the KV cache must hold at least one sequence that fills its context",
             "use a larger cache, or a smaller context");
}

void require_memory(const Checkpoint& model, const StepSizes& s, const EngineOptions& o) {
  const int64_t needed = engine_memory(model, o);
  const int64_t available = o.memory == 0 ? cpu::available_memory() : o.memory;
  if (needed <= available) return;
  user_error("model-memory",
             fmt::format("the model needs {}, but {} are available", human_bytes(needed),
                         human_bytes(available)),
             fmt::format("in {}", model.path),
             o.cache_positions == 0
                 ? fmt::format("weights and the KV cache of {} of {} tokens are held in memory",
                               counted(s.slots, "sequence"), s.slot_pages * s.page)
                 : fmt::format("weights and the KV cache of {} tokens are held in memory",
                               s.pages * s.page),
             "use a smaller context, fewer sequences, or a smaller model");
}

// Consecutive rows of one slot.
struct SlotRows {
  int slot = 0;
  int64_t first = 0, rows = 0;
  bool operator==(const SlotRows&) const = default;
};

std::vector<SlotRows> runs_of(std::span<const Row> rows) {
  std::vector<SlotRows> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].slot != rows[i - 1].slot)
      runs.push_back({rows[i].slot, static_cast<int64_t>(i), 0});
    ++runs.back().rows;
  }
  return runs;
}

}  // namespace

int64_t context_of(const ModelConfig& config, const EngineOptions& o) {
  const int64_t context =
      o.context == 0 ? std::min(kDefaultContext, config.max_positions) : o.context;
  if (context < 1 || context > config.max_positions)
    user_error("context", fmt::format("a context of {} tokens is not supported", context), "",
               fmt::format("this model supports contexts of 1 to {} tokens", config.max_positions),
               "use a shorter context");
  return context;
}

int64_t engine_memory(const Checkpoint& model, const EngineOptions& o) {
  const int64_t positions = pages_of_all(model.config, o) * o.page;
  return models::transformer::memory_need(model, positions, o.cache).total();
}

struct Engine::Parts {
  const Checkpoint& model;
  int64_t context;
  cpu::Pool pool;
  StepSizes sizes;
  cpu::InstructionSet instructions;
  LayerStack layers;
  BoundProgram head;
  HostArray& hidden;
  HostArray &head_counts, &head_hidden, &logits;
  StepRows rows;
  PageTable& pages;
  std::vector<int64_t> lengths;  // by slot
  BoundWeights ends;
  // What the tasks of the head were made for. Positions and pages are read by the tasks themselves,
  // so that decoding needs new ones only where a context reaches the next split of attention.
  int64_t tasks_of_head = 0;
  double tasks_seconds = 0;

  Parts(const Checkpoint& m, const EngineOptions& o, const StepSizes& s)
      : model(m),
        context(context_of(m.config, o)),
        pool(o.threads),
        sizes(shared_by(pool.threads(), s)),
        instructions(o.instructions.for_products_of(s.types.activations)),
        layers(m, s, instructions),
        head(models::transformer::head_program(s), instructions),
        hidden(layers.make("hidden")),
        head_counts(head.make("counts")),
        head_hidden(head.make("hidden")),
        logits(head.make("logits")),
        rows(sizes, [this](std::string_view name) -> HostArray& { return layers.make(name); }),
        pages(rows.pages()),
        lengths(static_cast<std::size_t>(s.slots)) {
    make_tasks({{0, 1}});
    make_head_tasks(1);
    load(o.progress);
  }

  void load(const std::function<void(double)>& progress) {
    int64_t done = 0;
    const int64_t all = model.weight_bytes();
    const auto loaded = [&](int64_t bytes) {
      done += bytes;
      if (progress) progress(static_cast<double>(done) / static_cast<double>(all));
    };
    // The largest matrix first, while there is most room beside it.
    ends = WeightLoader(head, pool, loaded).load(head_sources(model.weights));
    layers.load(model, pool, loaded);
  }

  void make_tasks(const std::vector<RowRun>& runs) {
    const double start = now_seconds();
    if (!rows.set_runs(runs)) return;
    layers.make_tasks(pool.threads());
    tasks_seconds += now_seconds() - start;
  }

  void make_head_tasks(int64_t count) {
    if (count == tasks_of_head) return;
    const double start = now_seconds();
    head_counts.as<int32_t>()[0] = static_cast<int32_t>(count);
    head.make_tasks(pool.threads());
    tasks_of_head = count;
    tasks_seconds += now_seconds() - start;
  }

  void embed(int64_t row, int32_t token) {
    const auto width = static_cast<std::size_t>(sizes.model.hidden);
    read_row(model.weights.embedding, token,
             hidden.as<float>().subspan(static_cast<std::size_t>(row) * width, width));
  }

  // Whether the next token of a slot goes to a page that somebody else has, too.
  bool writes_to_shared(int slot) const {
    const int64_t length = lengths[static_cast<std::size_t>(slot)];
    return length % sizes.page != 0 && !pages.is_own(pages.page_of(slot, length / sizes.page));
  }

  void copy_on_write(int slot) {
    if (!writes_to_shared(slot)) return;
    const int64_t length = lengths[static_cast<std::size_t>(slot)], i = length / sizes.page;
    const int32_t before = pages.replace(slot, i);
    layers.copy_page(before, pages.page_of(slot, i), length % sizes.page);
  }

  void place(std::span<const Row> added, const std::vector<SlotRows>& runs) {
    for (const SlotRows& run : runs) {
      copy_on_write(run.slot);
      int64_t& length = lengths[static_cast<std::size_t>(run.slot)];
      pages.resize(run.slot, length + run.rows);
      for (int64_t i = 0; i < run.rows; ++i) {
        rows.place(run.first + i, run.slot, length + i);
        embed(run.first + i, added[static_cast<std::size_t>(run.first + i)].token);
      }
      length += run.rows;
    }
  }

  std::vector<std::span<const float>> run_head(std::span<const Row> ran) {
    const auto width = static_cast<std::size_t>(sizes.model.hidden);
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < ran.size(); ++i)
      if (ran[i].wants_logits)
        std::ranges::copy(hidden.as<float>().subspan(i * width, width),
                          head_hidden.as<float>().subspan(wanted++ * width, width).begin());
    if (wanted == 0) return {};
    make_head_tasks(static_cast<int64_t>(wanted));
    head.bind_weights(ends.arrays);
    head.run(pool, ends.packed);
    std::vector<std::span<const float>> out;
    for (std::size_t i = 0; i < wanted; ++i)
      out.push_back(std::as_const(logits).as<float>().subspan(
          i * static_cast<std::size_t>(sizes.padded_vocab()),
          static_cast<std::size_t>(sizes.model.vocab)));
    return out;
  }

  void require_room(std::span<const Row> added, const std::vector<SlotRows>& runs) const {
    check(!added.empty() && static_cast<int64_t>(added.size()) <= sizes.rows, "rows of a step");
    std::vector<bool> seen(lengths.size());
    for (const SlotRows& run : runs) {
      const auto slot = static_cast<std::size_t>(run.slot);
      check(slot < lengths.size() && !seen[slot], "rows of one slot stand together");
      seen[slot] = true;
      check(lengths[slot] + run.rows <= context, "a sequence longer than its context");
    }
    for (const Row& row : added)
      check(row.token >= 0 && row.token < sizes.model.vocab, "a token outside the vocabulary");
  }
};

Engine::Engine(const Checkpoint& model, const EngineOptions& options) {
  const StepSizes sizes = sizes_of(model, options);
  require_whole_context(sizes, options);
  require_memory(model, sizes, options);
  parts_ = std::make_unique<Parts>(model, options, sizes);
}

Engine::~Engine() = default;

int Engine::open_slot() { return parts_->pages.open(); }

void Engine::close_slot(int slot) {
  parts_->lengths[static_cast<std::size_t>(slot)] = 0;
  parts_->pages.close(slot);
}

int64_t Engine::length(int slot) const { return parts_->lengths[static_cast<std::size_t>(slot)]; }

void Engine::truncate(int slot, int64_t length) {
  int64_t& now = parts_->lengths[static_cast<std::size_t>(slot)];
  check(length >= 0 && length <= now, "truncate shortens");
  now = length;
  parts_->pages.resize(slot, length);
}

const PageTable& Engine::pages() const { return parts_->pages; }
int64_t Engine::page() const { return parts_->sizes.page; }
void Engine::keep_page(int32_t page) { parts_->pages.keep(page); }
void Engine::drop_page(int32_t page) { parts_->pages.drop(page); }

void Engine::share_page(int slot, int32_t page, int64_t positions) {
  int64_t& length = parts_->lengths[static_cast<std::size_t>(slot)];
  check(length % this->page() == 0 && positions > 0 && positions <= this->page(),
        "pages are shared as wholes, but for the last");
  check(length + positions <= context(), "a sequence longer than its context");
  parts_->pages.share(slot, page);
  length += positions;
}

int64_t Engine::new_pages(int slot, int64_t rows) const {
  const int64_t after = (length(slot) + rows + page() - 1) / page();
  return after - parts_->pages.pages_of(slot) + parts_->writes_to_shared(slot);
}

std::vector<std::span<const float>> Engine::step(std::span<const Row> rows) {
  const std::vector<SlotRows> runs = runs_of(rows);
  parts_->require_room(rows, runs);
  std::vector<RowRun> lengths;
  for (const SlotRows& run : runs) lengths.push_back({length(run.slot), run.rows});
  parts_->place(rows, runs);
  parts_->make_tasks(lengths);
  parts_->layers.run(parts_->pool);
  return parts_->run_head(rows);
}

std::span<const float> Engine::hidden(std::size_t row) const {
  const auto width = static_cast<std::size_t>(parts_->sizes.model.hidden);
  return std::as_const(parts_->hidden).as<float>().subspan(row * width, width);
}

const ModelConfig& Engine::config() const { return parts_->sizes.model; }
int64_t Engine::context() const { return parts_->context; }
int64_t Engine::slots() const { return parts_->sizes.slots; }
int64_t Engine::free_slots() const { return parts_->pages.free_slots(); }
cpu::InstructionSet Engine::instructions() const { return parts_->instructions; }
int64_t Engine::chunk() const { return parts_->sizes.rows; }
cpu::Pool& Engine::pool() { return parts_->pool; }
int64_t Engine::layer_bytes() const { return models::transformer::layer_bytes(parts_->model); }
int64_t Engine::head_bytes() const { return models::transformer::head_bytes(parts_->model); }
models::transformer::MatrixElements Engine::layer_elements() const {
  return models::transformer::layer_elements(parts_->model);
}
models::transformer::MatrixElements Engine::head_elements() const {
  return models::transformer::head_elements(parts_->model);
}
int64_t Engine::cache_bytes() const {
  return models::transformer::memory_need(parts_->model, 0, parts_->sizes.types.cache)
      .cache_per_token;
}
int64_t Engine::pages_in_use() const { return parts_->pages.pages_in_use(); }
double Engine::tasks_seconds() const { return parts_->tasks_seconds; }

int64_t Engine::memory_bytes() const {
  return parts_->layers.memory_bytes() + parts_->head.memory_bytes() + parts_->ends.bytes();
}

std::vector<std::span<const std::byte>> Engine::weight_regions() const {
  std::vector<std::span<const std::byte>> regions;
  parts_->layers.add_weight_regions(regions);
  parts_->ends.packed.add_regions(regions);
  return regions;
}

std::vector<std::pair<std::string, double>> Engine::take_kernel_seconds() {
  auto out = parts_->layers.take_kernel_seconds();
  for (auto& program : parts_->head.take_kernel_seconds()) out.push_back(std::move(program));
  return out;
}

}  // namespace tilewright::runtime
