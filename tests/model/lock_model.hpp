// Masters, workers and the links between all of them, as a model for the checker. The machines
// under test are the production ones: the lock, the Hold of the master that has the lock
// (master/core/hold/hold.hpp) and the promises of the workers (worker/core/promises.hpp). All
// around them is what their drivers promise (lock_machine.hpp, hold.hpp), made as unkind as the
// promise allows.
//
//   masters  want a room, abandon, crash, restart, each within a budget; their workers'
//            links are made anew after a restart. A grant may come when nobody wants it any more. A
//            hold may reach its limit, or lose its lock, at any time within a budget.
//   links    ordered channels, made one end at a time; they lose everything when they break, the
//            two ends notice at different times, and one end may make the new connection before the
//            other has noticed the end of the old one
//   workers  promise and refuse as docs/locks.md says; restart with a new run, without promises and
//            rooms. What a master has sent may arrive long after, also when it has crashed or
//            noticed the end of the link, until the next connection. A room has seats for all.
//   lists    of masters differ and change at any time; two are linked only if each lists the other
//   awaiting the time to wait for workers passes only when every worker that lives has been heard
//            of: links come back within the grace
//   scope    masters that reach the same workers create no duplicate, and no more is promised. So
//            the search of a branch ends when a master orders, or takes a debt as paid by a
//            fence, while it does not reach a worker: it knows that the link is down, or does not
//            know yet that the worker has restarted and forgotten what it had promised.
//
// Checked in every state, whatever the faults:
//   one room     never two rooms, although nobody orders one who knows of one: whatever happens
//                between the masters, masters that reach the same workers create no duplicate
//   orders       go out only when no fence is owed, no hinted run is missing, and under the newest
//                complete fence that the holder knows of
//   debts        a hold that has left something open says `uncertain`, or fences the next time
//   ends         no hold outlives its limit
//   fence told   a grant after a change of this master's mesh, while a peer is not up, or with an
//                uncertain value, says `needs_fence`; after a change only if its value does not
//                tell of the fence of a peer that was granted the lock after the change
//   one unfenced of several holders at most one was granted the lock without `needs_fence`
//   progress     no state in which somebody waits or holds and nothing but a fault or the caller's
//                own doing can happen any more
//   timers       go off at any time after they were set, or, if told so, only when every hold is
//                over and every message has arrived: a lease is longer than both
//
// Checked where no link between live masters breaks and no grace lapses; crashes and restarts are
// allowed, since a crashed holder holds no longer and a restarted one waits for all Hellos:
//   exclusion    never two holders
// and there, until the first crash (what a crashed holder told nobody only the fence can find):
//   tokens grow  a grant without fence has a higher token than all grants before it
//   value        a grant without fence comes with the newest value that was released
// After link loss or a lapsed grace exclusion is NOT promised: each half of a split mesh may have a
// holder. `one unfenced` is all that the lock promises then; that there is still one room is the
// doing of the workers, who refuse an order whose basis is an older fence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lock/core/lock_machine.hpp"
#include "tests/model/budget.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/parts.hpp"
#include "tests/model/shared.hpp"

namespace fixkeep::model {

class LockModel {
 public:
  explicit LockModel(const Budget& budget);

  void steps(std::vector<Step>& out) const;
  void take(Step step);
  [[nodiscard]] std::optional<std::string> violation(const std::vector<Step>& steps) const;
  void append_bytes(std::string& out) const;
  [[nodiscard]] std::string describe(Step step) const;

 private:
  enum class Kind : std::uint8_t {
    acquire,
    abandon,
    crash,
    restart,
    connect,
    link_loss,
    notice,
    grace,
    deliver,
    timeout,
    release,
    take_grant,
    decline_grant,
    order,
    stop_awaiting,
    reach_limit,
    lose_lock,
    connect_worker,
    lose_worker,
    notice_worker,
    restart_worker,
    tell_worker,
    refuse_order,
    tell_master,
    trust_orders,
    relist,
  };
  static Step code(Kind kind, int a = 0, int b = 0, int c = 0) {
    return static_cast<Step>(static_cast<int>(kind) << 11 | a << 9 | b << 7 | c);
  }
  static Kind kind_of(Step step) { return static_cast<Kind>(step >> 11U); }
  static int first_of(Step step) { return step >> 9 & 3; }
  static int second_of(Step step) { return step >> 7 & 3; }
  static int third_of(Step step) { return step & 127; }

  static MasterId id(int node) { return MasterId{static_cast<std::uint16_t>(node + 1)}; }
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  static std::size_t link(int from, int to) { return index(from * most_nodes + to); }
  [[nodiscard]] bool live(int from, int to) const {
    const End end = ends_[link(from, to)];
    return end == End::made || end == End::up;
  }

  // --- masters and the links between them (lock_model.cpp)
  [[nodiscard]] lock::AnyMachine fresh(int node, std::uint32_t list, bool connected) const;
  [[nodiscard]] bool timer_may_go_off(int a) const;
  void link_steps(int a, int b, std::vector<Step>& out) const;
  void take_mesh(Kind kind, int a, int b, int c);
  void step(int a, const lock::LockEvent& event);
  void check_grant(int a, const lock::Granted& granted);
  void mesh_changed(int a);
  void crash(int a);
  void connect(int a, int b);
  void break_link(int a, int b);
  void deliver(int from, int to, int position);
  void release_without_workers(int a);
  [[nodiscard]] static bool holds(const Master& master);
  [[nodiscard]] int holders() const;
  [[nodiscard]] bool somebody_is_stuck(const std::vector<Step>& steps) const;

  // --- their lists (lock_model_lists.cpp)
  [[nodiscard]] bool may_link(int a, int b) const;
  [[nodiscard]] std::uint32_t told_list(int a) const;
  void relist(int a);
  void hear_list(int a, int b, std::uint32_t list);
  void tell_of_lists(int a, bool ours_changed);

  // --- holders (lock_model_hold.cpp)
  [[nodiscard]] bool urgent_steps(int a, std::vector<Step>& out) const;
  void hold_steps(int a, std::vector<Step>& out) const;
  void take_hold(Kind kind, int a, int b);
  void offer(int a, const lock::Granted& granted);
  void grant(int a, const lock::Granted& granted, bool trusted);
  [[nodiscard]] bool names_orders(int a, const lock::Granted& granted) const;
  [[nodiscard]] std::set<master::WorkerRun> missing(int a);
  [[nodiscard]] bool is_missing(int a, const Hint& hint) const;
  [[nodiscard]] bool is_unanswered(int a, const Hint& hint) const;
  [[nodiscard]] bool has_unanswered_order(int a) const;
  void decline(int a, const lock::Granted& granted);
  void tell(int a, const master::hold::Event& event);
  void note_fenced(int a);
  void look(int a);
  void perform(int a, const master::hold::Output& output);
  void prepare(int a, FencingToken token);
  void order(int a, int w);
  void note_promises(int a);
  void check_order(int a);
  [[nodiscard]] std::string hints(int a) const;
  void release(int a, const master::hold::GiveBack& back, std::string&& rooms);
  void lose_lock(int a);
  void check_debt(int a, bool uncertain);
  [[nodiscard]] bool all_workers_heard(int a) const;
  [[nodiscard]] bool reaches(int a, int w) const;

  // --- workers (lock_model_workers.cpp)
  void worker_steps(int a, int w, std::vector<Step>& out) const;
  void take_worker(Kind kind, int a, int w);
  void connect_worker(int a, int w);
  void notice_worker(int a, int w);
  void expect_back(int a, int w);
  void await_ordered(int a, int w);
  void restart_worker(int w);
  void send(int a, int w, const ToWorker& message);
  void at_worker(int a, int w, bool refuse);
  void answer(int w, int a, const ToMaster& message);
  void at_master(int w, int a, const ToMaster& message);
  void order_ended(int a, int w, std::uint64_t hold, master::OrderFate fate, FencingToken highest);

  Budget budget_;   // what is left of it
  bool exclusion_;  // whether two holders are a violation
  std::vector<Shared<Master>> masters_;
  std::vector<Shared<Worker>> workers_;
  std::array<End, most_nodes * most_nodes> ends_{};
  std::array<Shared<Channel<MeshMessage>>, most_nodes * most_nodes> mesh_;
  std::array<Shared<Channel<ToWorker>>, most_nodes * most_nodes> to_workers_;  // by master, worker
  std::array<Shared<Channel<ToMaster>>, most_nodes * most_nodes> to_masters_;  // by master, worker
  FencingToken highest_grant_;
  FencingToken newest_release_;
  const char* wrong_ = nullptr;
  bool crashed_ = false;
  bool out_of_scope_ = false;  // a master that is cut off has ordered
};

}  // namespace fixkeep::model
