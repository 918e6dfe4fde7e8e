// Masters that share a pool whose rules widen, and the workers with its rooms: the real loans,
// gathering, planner and promises, with messages that a seed delays, and faults that it draws.
//
// The lock is a word: it has one holder until it is lost, upon which another master may hold it
// while the first one goes on unaware. Links between masters break with all that is on them;
// masters come back without what they knew.
//
// Thread rule: one owner. Bounds: about ten tickets wait at a time, so that the judge can try all.
// Errors: `wrong`, in words.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "master/core/pools/gathering.hpp"
#include "master/core/pools/loans.hpp"
#include "master/rules/plan/planner.hpp"
#include "tests/support/plan_fits.hpp"
#include "worker/core/promises.hpp"

namespace fixkeep::test {

struct PoolFaults {
  double lost_lock = 0;
  double broken_link = 0;
  double crash = 0;
  double late_answer = 0;  // a holder waits for nobody any longer
};

class PoolWorld {
 public:
  PoolWorld(std::uint64_t seed, const PoolFaults& faults);

  void run(int steps);
  // Faults stop, nobody comes any more, and all that can be matched has to be.
  void come_to_rest();

  [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }
  [[nodiscard]] std::size_t seats() const { return seats_; }
  [[nodiscard]] std::size_t rooms() const { return rooms_made_; }
  [[nodiscard]] std::size_t refused() const { return refused_; }

 private:
  using Node = std::uint16_t;  // masters from 1, workers behind them

  // --- between masters
  struct Broke {};
  struct Gather {
    FencingToken hold;
  };
  struct Seated {
    FencingToken hold;
    TicketId ticket;
  };
  struct Close {
    FencingToken hold;
  };
  // --- to a worker, and back
  struct Prepare {
    FencingToken hold;
  };
  struct Ask {  // seats in a room, or a new one with them
    FencingToken hold;
    FencingToken basis;
    std::uint64_t room = 0;
    bool order = false;
    std::uint32_t index = 0;
    std::vector<master::plan::Ticket> tickets;
  };
  struct Reply {
    FencingToken hold;
    std::vector<TicketId> seated;  // as the plan names them
    std::vector<master::plan::Room> rooms;
    bool promised = false;
  };
  using Message =
      std::variant<Broke, Gather, master::ClaimsPart, Seated, Close, Prepare, Ask, Reply>;

  enum class Stage : std::uint8_t { gathering, fencing, seating };
  struct Holding {
    FencingToken token;
    FencingToken basis;
    Stage stage = Stage::gathering;
    bool refused = false;
    std::set<Node> waits_for;
    std::size_t replies = 0;
    master::Gathering gathering;
    std::map<std::uint64_t, master::plan::Room> rooms;
  };
  struct Master {
    master::Loans loans;
    std::map<TicketId, master::plan::Ticket> tickets;
    std::optional<Holding> holding;
    bool news = false;  // something has come since it held the lock
  };
  struct Worker {
    worker::Promises promises{std::chrono::hours{1}};
    std::map<std::uint64_t, master::plan::Room> rooms;
  };

  void send(Node from, Node to, Message message) {
    links_[{from, to}].push_back(std::move(message));
  }
  void deliver();
  void arrive();
  void strike();
  void grant();
  void break_link(Node a, Node b);
  void crash(Node master);

  void hear(Node at, Node from, Broke);
  void hear(Node at, Node from, Gather gather);
  void hear(Node at, Node from, master::ClaimsPart part);
  void hear(Node at, Node from, const Seated& seated);
  void hear(Node at, Node from, Close close);
  void hear(Node at, Node from, Prepare prepare);
  void hear(Node at, Node from, Ask ask);
  void hear(Node at, Node from, const Reply& reply);

  void go_on(Node at);
  void decide(Node at);
  void tell_seated(Node at, TicketId planned);
  void finish(Node at);
  void seat(master::plan::Room& room, const master::plan::Ticket& ticket);
  [[nodiscard]] PlanCase as_case(const Holding& holding) const;

  Random random_;
  PoolFaults faults_;
  master::plan::Rules rules_;
  std::map<Node, Master> masters_;
  std::map<Node, Worker> workers_;
  std::map<std::pair<Node, Node>, std::deque<Message>> links_;
  TimePoint now_;
  std::uint64_t ids_ = 0;

  // The lock, and what travels with it.
  std::optional<Node> holder_;
  FencingToken newest_;
  FencingToken fence_;
  std::map<std::uint64_t, master::plan::Room> value_;

  std::map<PlayerHash, std::uint64_t> sits_;  // in which room
  std::vector<std::string> wrong_;
  std::size_t seats_ = 0;
  std::size_t rooms_made_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace fixkeep::test
