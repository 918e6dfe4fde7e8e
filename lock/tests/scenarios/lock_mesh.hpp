// The masters and links of a lock scenario. Keeps the driver's promises of lock_machine.hpp unless
// told to let a message overtake others.
//
// Masters are named by their numbers from 1. Thread rule: one owner. Errors: a command that makes
// no sense where it stands throws ScenarioError.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lock/core/any_machine.hpp"
#include "lock/tests/scenarios/scenario_error.hpp"

namespace fixkeep::scenarios {

class LockMesh {
 public:
  enum class Want : std::uint8_t { nothing, waiting, holding };
  // One event, for pictures. `what` is a word of lab/web/story.js.
  struct News {
    std::string_view what;
    int node = 0;
    int peer = 0;
    std::uint64_t message = 0;  // its id; 0: none
    std::string kind;           // kind of the sent message
    std::uint64_t round = 0;
  };

  LockMesh(int masters, bool connected, std::string_view strategy, const lock::Rules& rules);

  void acquire(int master);
  void abandon(int master);
  void release(int master, const std::string& bytes, bool uncertain);
  void crash(int master);
  void restart(int master);
  void lapse_grace(int master);
  void tick(int master);  // moves the time to its timer, which goes off
  bool tick_next();       // the timer that is due first; false if there is none

  void lose(int a, int b);  // both directions lose what is on its way
  void notice(int a, int b);
  void connect(int a, int b);
  // Delivers the message at `position` from a to b. REQUIRES: waiting(a, b) > position.
  void deliver(int a, int b, std::size_t position = 0);
  void deliver_all();

  [[nodiscard]] int masters() const { return masters_; }
  [[nodiscard]] std::size_t waiting(int a, int b) const;
  [[nodiscard]] std::string next(int a, int b) const;  // "MyLock(1)"
  [[nodiscard]] std::vector<int> holders() const;
  [[nodiscard]] bool whole() const;  // everybody lives and is connected to everybody
  [[nodiscard]] bool alive(int master) const { return nodes_.at(master).alive; }
  [[nodiscard]] bool linked(int a, int b) const { return ends_.at({a, b}) == End::live; }
  [[nodiscard]] bool lost(int a, int b) const { return ends_.at({a, b}) == End::lost; }
  [[nodiscard]] Want want(int master) const { return nodes_.at(master).want; }
  [[nodiscard]] std::string state(int master) const;
  [[nodiscard]] const std::optional<lock::Granted>& last_grant(int master) const;
  [[nodiscard]] std::vector<std::pair<int, lock::Granted>> take_grants();
  [[nodiscard]] std::vector<News> take_news() { return std::exchange(news_, {}); }
  [[nodiscard]] std::size_t take_sent() { return std::exchange(sent_, 0); }

 private:
  struct Node {
    lock::AnyMachine machine;
    bool alive = true;
    Want want = Want::nothing;
    std::optional<lock::Granted> last_grant;
    TimePoint timer = TimePoint::max();
  };
  struct Item {
    bool hello = false;
    std::optional<lock::LockMessage> message;
    std::uint64_t id = 0;
  };
  enum class End : std::uint8_t { down, live, lost };

  [[nodiscard]] lock::AnyMachine fresh(int master, bool connected) const;
  Node& living(int master);
  void step(int master, const lock::LockEvent& event);
  void send(int from, int to, Item item);
  [[nodiscard]] std::string bytes_of(int master) const;
  [[nodiscard]] std::string kind_of(int from, const Item& item) const;

  int masters_;
  std::string strategy_;
  lock::Rules rules_;
  TimePoint now_{};
  std::map<int, Node> nodes_;
  std::map<std::pair<int, int>, End> ends_;
  std::map<std::pair<int, int>, std::deque<Item>> channels_;
  std::vector<std::pair<int, lock::Granted>> grants_;
  std::size_t sent_ = 0;
  std::uint64_t messages_ = 0;
  std::vector<News> news_;
};

}  // namespace fixkeep::scenarios
