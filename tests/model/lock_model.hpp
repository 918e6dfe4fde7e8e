// Masters, their links and the workers' fence, as a model for the checker. The machine under test
// is the production one; everything around it is what the driver promises, made as unkind as the
// promise allows.
//
//   masters  acquire, abandon, crash, restart, each within a budget; a holder fences if it is told
//            to, orders one room if it knows of none, and releases at any time after that
//   links    ordered channels that lose everything when they break; the two ends notice a break at
//            different times, and a new connection is made only when both have noticed
//   workers  promise and refuse as LOCKS.md says; an order may arrive long after it was sent, also
//            when its sender has crashed or has given up, but never after its sender's next run has
//            spoken to the same worker: that is a newer connection
//
// Checked in every state:
//   exclusion   (only where no link breaks and no grace lapses) never two holders; and until a
//   crash
//               a grant without fence has a higher token than all before and the newest lock value
//   one room    never two rooms. Every master reaches every worker, a room has seats for all, and
//               nobody orders one who knows of one: whatever happens between the masters.
//   progress    no state in which somebody waits and nothing more can happen
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/lock/lock_machine.hpp"

namespace fixkeep::model {

struct Budget {
  int masters = 2;
  int workers = 1;
  int acquisitions = 1;  // each master
  int abandons = 0;      // all together, as everything below
  int crashes = 0;
  int link_losses = 0;
  int orders_given_up = 0;
  bool grace = false;         // a master may stop waiting for the others after its start
  bool ordered_links = true;  // amendment 3
  bool basis_checked = true;  // an order names the newest fence that it builds on
  bool start_connected = false;

  [[nodiscard]] bool exclusion() const { return link_losses == 0 && !grace; }
};

template <class Machine>
class LockModel {
 public:
  using Step = std::uint32_t;

  explicit LockModel(const Budget& budget);

  [[nodiscard]] std::vector<Step> steps() const;
  void take(Step step);
  [[nodiscard]] std::optional<std::string> violation() const;
  void append_bytes(std::string& out) const;
  [[nodiscard]] std::string describe(Step step) const;

 private:
  static constexpr int most = 4;

  enum class Kind : std::uint8_t {
    acquire,
    abandon,
    crash,
    restart,
    link_up,
    link_loss,
    notice,
    grace,
    deliver,
    prepare,
    order,
    order_arrives,
    give_up_order,
    release,
  };
  enum class Work : std::uint8_t { idle, waiting, fencing, ready, ordered, done };

  struct Order {
    int worker = 0;
    FencingToken token;
    FencingToken basis;
    int hold = 0;               // which of the sender's holds it belongs to
    bool of_older_run = false;  // its sender has crashed
  };
  struct Node {
    bool alive = true;
    bool grace_lapsed = false;
    Machine machine;
    Work work = Work::idle;
    int acquisitions = 0;
    int hold = 0;
    FencingToken token;
    lock::LockValue value;
    bool fenced = false;
    bool knows_room = false;
    int fences_left = 0;
    std::uint32_t prepared = 0;  // bit per worker
    std::optional<Order> order;  // on its way

    explicit Node(Machine made) : machine(std::move(made)) {}
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

  static Step code(Kind kind, int a = 0, int b = 0, int c = 0) {
    return static_cast<Step>(kind) << 12U | static_cast<Step>(a) << 8U |
           static_cast<Step>(b) << 4U | static_cast<Step>(c);
  }
  static MasterId id(int node) { return MasterId{static_cast<std::uint16_t>(node + 1)}; }

  [[nodiscard]] Machine fresh(int node, bool connected) const;
  void step(int node, const lock::LockEvent& event);
  void granted(int node, const lock::Granted& granted);
  void deliver(int from, int to, int position);
  void crash(int node);
  void connect(int a, int b);
  void break_link(int a, int b);
  void prepare(int node, int worker);
  void order_arrives(int node);
  void start_fence(int node, FencingToken above);
  void release(int node, bool uncertain);
  void holder_steps(int node, std::vector<Step>& out) const;
  [[nodiscard]] int holders() const;
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  Budget budget_;
  std::vector<Node> nodes_;
  std::vector<Worker> workers_;
  std::array<std::array<End, most>, most> ends_{};
  std::array<std::array<std::deque<Item>, most>, most> channels_;  // [from][to]
  FencingToken highest_grant_;
  FencingToken newest_release_;
  std::string wrong_;
  bool crashed_ = false;
};

}  // namespace fixkeep::model
