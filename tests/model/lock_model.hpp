// Masters, their links and the workers' fence, as a model for the checker. The machine under test
// is the production one; everything around it is what its driver promises (lock_machine.hpp), made
// as unkind as the promise allows.
//
//   masters  acquire, abandon, crash, restart, each within a budget; a holder fences if it is told
//            to, orders one room if it knows of none, and releases at any time after that
//   links    ordered channels, made one end at a time; they lose everything when they break, the
//   two
//            ends notice at different times, and one end may make the new connection before the
//            other has noticed the end of the old one
//   workers  promise and refuse as docs/locks.md says; an order may arrive long after it was sent,
//            also when its sender has crashed or has given up, but not after a later run of its
//            sender has connected to the worker (a message of an older connection is never
//            delivered). Workers neither crash nor lose their links: then a holder starts its fence
//            over, which is the matchmaker's part. A room has seats for everybody.
//
// Checked in every state, whatever the faults:
//   one room     never two rooms, although nobody orders one who knows of one: masters that reach
//                the same workers create no duplicate, whatever happens between the masters
//   fence told   a grant after a change of this master's mesh, while a peer is not up, or with an
//                uncertain value, says `needs_fence`
//   one unfenced of several holders at most one was granted the lock without `needs_fence`
//   progress     no state in which somebody waits and nothing but a fault or the caller's own wish
//                can happen any more
//   timers   go off at any time after they were set, or, if told so, only when every hold is over
//            and every message has arrived: a lease is longer than both
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
#include <utility>
#include <vector>

#include "common/lock/lock_machine.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/variants.hpp"

namespace fixkeep::model {

struct Budget {
  Variant variant = Variant::production;  // which machine is explored
  int masters = 2;                        // at most 4
  int workers = 0;                        // none: a holder does nothing but release; at most 4
  int acquisitions = 1;                   // each master
  int abandons = 0;                       // all together, as everything below
  int crashes = 0;
  int link_losses = 0;
  int orders_given_up = 0;
  int timeouts = 0;              // timers that go off
  bool grace = false;            // a master may stop waiting for the others after its start
  bool start_connected = false;  // otherwise every master has just started
  bool ordered_links = true;     // amendment 3
  // Two holders are a violation. Not given: where no link breaks and no grace lapses.
  std::optional<bool> exclusive;
  // What the machine's timers measure is longer than every hold, than every message's way on a link
  // that is up, and than the time in which a broken link is noticed: they go off only when all that
  // is over. So says whoever waits for leases; retries and other pauses go off at any time.
  bool timers_outlast_holds = false;
  lock::Quorum quorum = lock::Quorum::grid;
  bool basis_checked = true;     // an order names the newest fence that it builds on
  bool progress_checked = true;  // otherwise a search goes on past a deadlock
};

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
    prepare,
    order,
    order_arrives,
    give_up_order,
    release,
    timeout,
  };
  enum class Work : std::uint8_t { idle, waiting, fencing, ready, ordered, done };

  struct Order {
    int worker = 0;
    FencingToken token;
    FencingToken basis;
    int hold = 0;  // which of the sender's holds it belongs to
    int run = 0;   // which of its lives
  };
  struct Node {
    AnyVariant machine;
    bool alive = true;
    bool grace_lapsed = false;
    bool mesh_changed = true;  // since its last grant; kept apart from the machine's own flag
    Work work = Work::idle;
    int acquisitions = 0;
    int hold = 0;
    int run = 0;
    FencingToken token;
    lock::LockValue value;
    bool fenced = false;
    bool told_to_fence = false;
    bool knows_room = false;
    int fences_left = 0;
    std::uint32_t prepared = 0;  // a bit for each worker
    std::optional<Order> order;  // on its way
    bool timer = false;          // the machine has set one

    explicit Node(AnyVariant made) : machine(std::move(made)) {}
  };
  struct Item {
    bool hello = false;
    std::optional<lock::LockMessage> message;
  };
  // One end of a link: what its own node thinks of it.
  enum class End : std::uint8_t { down, made, up, broken };
  struct Worker {
    FencingToken promised;
    FencingToken highest;
    int rooms = 0;
  };

  static constexpr int most = 4;

  static Step code(Kind kind, int a = 0, int b = 0, int c = 0);
  static MasterId id(int node) { return MasterId{static_cast<std::uint16_t>(node + 1)}; }
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] std::size_t link(int from, int to) const {
    return index(from * budget_.masters + to);
  }
  [[nodiscard]] bool live(int from, int to) const {
    const End end = ends_[link(from, to)];
    return end == End::made || end == End::up;
  }

  [[nodiscard]] AnyVariant fresh(int node, bool connected) const;
  [[nodiscard]] bool timer_may_go_off(int a) const;
  void link_steps(int a, int b, std::vector<Step>& out) const;
  void holder_steps(int node, std::vector<Step>& out) const;
  void step(int node, const lock::LockEvent& event);
  void granted(int node, const lock::Granted& granted);
  void check_grant(int node, const lock::Granted& granted);
  void crash(int node);
  void connect(int a, int b);
  void break_link(int a, int b);
  void deliver(int from, int to, int position);
  void prepare(int node, int worker);
  void order_arrives(int node);
  void start_fence(int node, FencingToken above);
  void release(int node, bool uncertain);
  [[nodiscard]] static bool holds(const Node& node);
  [[nodiscard]] int holders() const;

  Budget budget_;   // what is left of it
  bool exclusion_;  // whether two holders are a violation
  std::vector<Node> nodes_;
  std::vector<Worker> workers_;
  std::array<End, most * most> ends_{};
  std::array<std::vector<Item>, most * most> channels_;
  FencingToken highest_grant_;
  FencingToken newest_release_;
  const char* wrong_ = nullptr;
  bool crashed_ = false;
};

}  // namespace fixkeep::model
