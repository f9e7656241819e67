// The simulated chip: orchestrator, scheduler threads and cores with one event queue. Events of the
// same time are processed in the order in which they were posted, so a run is deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "tilewright/sim/bandwidth.h"
#include "tilewright/sim/l2.h"
#include "tilewright/sim/profiles.h"
#include "tilewright/sim/sim.h"

namespace tilewright::sim {

enum class CoreSet : uint8_t { Mixed, Cube, Vector };  // what a task needs: a cluster, or one core
inline constexpr std::size_t kCoreSets = 3;

// The runtime's costs as picoseconds.
struct RuntimeTimes {
  int64_t submit, submit_arg, submit_producer, allocate, wire, poll, idle, complete, complete_edge,
      dispatch, start, cold_start, switch_over, finish_seen, profile_core, profile_scheduler;
};

class Chip {
 public:
  Chip(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::RuntimeGraph& order,
       const platform::Platform& platform, const Options& options);

  ir::RunRecord run();

 private:
  using Time = int64_t;
  static constexpr Time kNever = INT64_MAX;

  enum class What : uint8_t { Submit, Start, Acknowledged, End, Wake, Wired, Completed, Dispatch };
  struct Event {
    Time time;
    uint64_t order;
    What what;
    uint32_t id;          // submission, run or thread
    uint32_t generation;  // the event is ignored when it differs from its owner's
    bool operator>(const Event& o) const {
      return time != o.time ? time > o.time : order > o.order;
    }
  };

  struct Submission {
    uint32_t waits_for = 0;    // unfinished producers
    uint32_t blocks_left = 0;  // not yet finished
    uint32_t staged = 0;       // blocks on cores before it is ready
    uint32_t early_waits = 0;  // producers that still have blocks without a core
    bool all_handed_out = false;
    bool submitted = false, done = false;
    int32_t first_consumer = -1;  // head of a list in consumers_, newest first
    ir::TaskId last_producer;
  };
  struct Consumer {
    uint32_t submission;
    int32_t next;
  };

  // One task on its core or cores.
  struct RunningTask {
    ir::TaskId task;
    std::array<int, 3> cores{-1, -1, -1};
    int core_count = 0;
    int seen = 0;  // cores that the scheduler has seen finish
    Time dispatched = 0;
    Time finish_seen = 0;                 // from this time on the scheduler can see that it ended
    bool started = false, ended = false;  // its start is posted; it has ended
    // Placed on its cores early, where it waits for its producers.
    bool gated = false;
    Time released = 0;  // when its cores learn that its producers have ended
    // From this time on the scheduler can see that its kernel runs.
    Time acknowledged = kNever;
    uint32_t generation = 0;
    uint32_t profile = 0;
    int64_t hbm_cost = 0;
    double left = 1;  // of its work
    Time since = 0;   // the time at which `left` was computed
  };

  struct Core {
    int cluster = 0;
    int thread = 0;
    bool cube = false;
    bool cold = true;            // has not run a task yet
    int poll_rank = 0;           // its place among the polled cores of its thread
    std::vector<uint32_t> runs;  // one or two; the first one runs or starts next
    Time free_at = 0;            // when the core could start another task
    ir::TaskId last;             // the task it ran before, and when that was completed
    Time last_finish = 0;
  };

  struct Ready {  // a submission with blocks to dispatch
    uint32_t submission;
    uint32_t next_block;
    Time pushed;
  };
  using Queue = std::deque<Ready>;
  struct Work {  // what a thread hands out next
    Queue* queue = nullptr;
    bool newest = false;  // taken from the end
    explicit operator bool() const { return queue != nullptr; }
    Ready& ready() const { return newest ? queue->back() : queue->front(); }
    void pop() const { newest ? queue->pop_back() : queue->pop_front(); }
  };

  // A scheduler thread repeats a round: it polls its running cores in order, then dispatches.
  // Between changes its position in the round follows from `since` and `at`, so idle rounds need no
  // events.
  struct Thread {
    std::vector<int> cubes, vectors;  // its cores, by cluster
    std::vector<int> vector_order;    // its vector cores as it looks for an idle one
    std::vector<int> polled;          // running, cube cores first
    std::array<Queue, kCoreSets> local;
    std::array<CoreSet, kCoreSets> preferred{};  // first to last
    Time since = 0;                              // at this time it begins to poll polled[at]
    std::size_t at = 0;
    bool busy = false;  // completing or dispatching
    uint32_t generation = 0;
    uint32_t completing = 0;  // the run
  };

  // ---- chip.cc: events ----
  void post(Time t, What what, uint32_t id, uint32_t generation = 0);
  void handle(const Event& e);
  void require_finished() const;

  // ---- orchestrator.cc ----
  CoreSet cores_for(uint32_t submission) const;
  ir::TaskId task_of(uint32_t submission, uint32_t block) const {
    return ir::TaskId(order_.first_task[submission] + block);
  }
  void measure_heap();
  int64_t ring_bytes(uint32_t submission) const;
  Time submission_cost(uint32_t submission) const;
  bool has_room(uint32_t s) const;  // in the window and in the heap
  void submit_next(uint32_t s);
  void submit(uint32_t s);
  void enter(uint32_t s);  // with its producers: it is ready when they have finished
  void finish_submission(uint32_t s, Thread& thread);
  void push(Queue& queue, uint32_t submission);

  // ---- cores.cc: runs on cores ----
  void make_cores();
  void begin_when_possible(uint32_t run);
  void start(uint32_t run);
  void end(uint32_t run);
  void assess(RunningTask& run);  // its profile and HBM traffic, given what L2 holds now
  void reshare();

  // ---- scheduler.cc ----
  void wake_later(std::size_t thread);
  void wake(std::size_t thread);
  void busy(std::size_t thread, ir::RuntimeWork work, Time until);
  void completed(std::size_t thread);
  void dispatch(std::size_t thread);
  void hand_out(const Work& work, const RunningTask& cores, Time at);
  bool wires(std::size_t thread) const;
  Time wiring_due(const Thread& t) const;
  void wire(std::size_t thread);
  void wired(std::size_t thread);
  Time end_visible(const Core& core) const;  // of the first task on it; kNever while it runs
  void spill(Thread& t);
  bool has_unit(const Thread& t, CoreSet s) const;
  // Chooses cores for a task of this shape, idle ones first; false when none is available.
  bool take_unit(const Thread& t, CoreSet s, RunningTask& run) const;
  bool another_is_idle(const Thread& t, CoreSet s) const;
  Work find_work(Thread& t, CoreSet s);
  // The first time, not before `from`, at which the thread reaches this position of its round.
  Time reaches(const Thread& t, std::size_t place, Time from) const;
  uint32_t new_run();
  bool free_slot(int core) const;
  void poll(int core);  // its thread polls the core from now on

  // ---- early.cc: tasks on cores before they are ready ----
  bool may_be_early(uint32_t submission) const;
  void count_early_waits(uint32_t submission);
  void queue_early(uint32_t submission);
  // All its blocks are on cores: updates early_waits of its consumers.
  void tell_handed_out(uint32_t submission);
  Queue* early_queue(CoreSet s);              // null while tasks are ready
  bool stage(std::size_t thread);             // places one task on a core early
  void release(uint32_t submission);          // the blocks on cores may start

  // ---- together.cc: launches whose blocks start together ----
  bool starts_together(uint32_t submission) const;
  bool is_idle(int core) const { return cores_[static_cast<std::size_t>(core)].runs.empty(); }
  bool is_idle_cluster(const Thread& t, std::size_t i) const;  // the i-th cluster of the thread
  std::size_t idle_units(const Thread& t, CoreSet s) const;
  bool take_idle_unit(const Thread& t, CoreSet s, RunningTask& run) const;
  bool can_start_together() const;  // the launch that all threads make room for
  void hand_out_together(std::size_t thread, const Work& work);

  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  const ir::RuntimeGraph& order_;
  const platform::Platform& platform_;
  const Options& options_;
  Costs costs_;
  RuntimeTimes rt_{};
  platform::Scheduling scheduling_;
  Profiles profiles_;
  Bandwidth bandwidth_;
  L2 l2_;

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t posted_ = 0;
  Time now_ = 0;
  std::vector<Core> cores_;
  std::vector<Thread> threads_;
  std::vector<Submission> submissions_;
  std::vector<Consumer> consumers_;
  std::vector<RunningTask> runs_;  // by slot; reused when a task has finished
  std::vector<uint32_t> free_runs_;
  std::vector<uint32_t> running_;  // started and not ended
  std::array<Queue, kCoreSets> global_;
  std::array<Queue, kCoreSets> early_;
  std::deque<uint32_t> unwired_;  // submitted, and not yet entered by the first thread
  std::size_t wiring_ = 0;        // how many of them it is entering
  Time unwired_since_ = 0;        // the oldest of them, or the last time it entered some
  double share_ = 0;
  uint32_t oldest_ = 0;            // oldest submission that has not finished
  std::vector<int64_t> heap_before_;  // bytes of tensors that submissions before each one make
  std::vector<uint32_t> allocations_;  // calls that allocate before each submission
  uint32_t blocked_ = UINT32_MAX;  // submission that waits for room
  Queue together_;                 // the launch that all threads make room for; others wait
  std::size_t finished_tasks_ = 0;
  ir::RunRecord record_;
};

}  // namespace tilewright::sim
