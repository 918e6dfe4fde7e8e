// One random schedule: masters that want one lock, model servers and all faults. The seed chooses
// delays from microseconds to several ttl and clocks of different rates. Connections break with
// messages on the way. Servers crash and come back with or without their memory. Masters stop and
// go on, or crash. Then the faults end and a master has to be granted the lock.
//
// Checked at each grant: 1. No other master that could act on it holds.
//   2. Without `needs_fence` the last holder released it, certain of all orders. The value is of
//      this release. The token is above all used ones.
//   3. If no server has lost its memory the token is above all used ones in any case.
// Thread rule: one owner. Errors: violation().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.hpp"
#include "lock/core/server/redlock_machine.hpp"
#include "lock/tests/core/server/redlock_model_server.hpp"

namespace fixkeep::lock {

class RedlockWorld {
 public:
  RedlockWorld(RedlockChecks checks, std::size_t servers, std::uint64_t seed);
  // Runs until the end or the first violation.
  void run();

  [[nodiscard]] const std::string& violation() const { return violation_; }
  [[nodiscard]] int grants() const { return grants_; }
  [[nodiscard]] int fences() const { return fences_; }
  [[nodiscard]] int losses() const { return losses_; }
  [[nodiscard]] int restarts() const { return restarts_; }

 private:
  using Time = Duration;  // since the start, on nobody's clock

  struct Clock {  // starts anywhere, and is a little fast or slow
    Duration offset{};
    std::int64_t rate_ppm = 0;
    [[nodiscard]] TimePoint at(Time time) const;
    [[nodiscard]] Time when(TimePoint local) const;
  };
  struct Server {
    ModelServer model;
    Clock clock;
    bool running = true;
    int life = 0;
    Time counts_from{};  // ttl after a restart
  };
  struct Link {
    bool up = true;       // as the master sees it
    bool broken = false;  // and does not know yet
    int generation = 0;
    Time last_to_server{};  // messages of a connection stay in order
    Time last_to_master{};
  };
  struct Master {
    explicit Master(RedlockMachine made) : machine(std::move(made)) {}
    RedlockMachine machine;
    Clock clock;
    std::vector<Link> links;
    int life = 0;
    int alarms = 0;  // only the newest counts
    Time stopped_until{};
    std::uint64_t round = 0;
    bool asking = false;
    std::optional<Granted> held;
    bool certain = false;  // of the orders that it gives
    FencingToken highest;  // known to it
  };
  enum class End : std::uint8_t { holds, released, vanished };

  void at(Time time, std::function<void()> event);
  void for_master(std::size_t master, Time time, std::function<void()> event);
  void step(std::size_t master, const RedlockEvent& event);
  void send(std::size_t master, const SendCommand& sent);
  void deliver(std::size_t master, std::size_t server, int generation, int life,
               const RedlockCommand& command);
  void granted(std::size_t master, const Granted& grant);
  void check(std::size_t master, const Granted& grant);

  // --- what the callers do
  void want(std::size_t master);
  void give_up(std::size_t master);
  void finish(std::size_t master);

  // --- what goes wrong
  void fault();
  void break_link(std::size_t master, std::size_t server);
  void connect(std::size_t master, std::size_t server, Time time);
  void crash_server(std::size_t server);
  void stop_master(std::size_t master);
  void crash_master(std::size_t master);

  Time delay();
  [[nodiscard]] bool calm() const { return now_ >= calm_from_; }
  [[nodiscard]] ServerSet up(const Master& master) const;
  void violate(const std::string& what);

  Random random_;
  RedlockOptions options_;
  std::vector<Server> servers_;
  std::vector<Master> masters_;
  std::multimap<Time, std::function<void()>> events_;
  Time now_{};
  Time calm_from_{};
  double slowness_ = 0;  // how many messages take long

  // The lock, as an observer of everything knows it.
  End last_end_ = End::released;
  std::optional<std::size_t> last_holder_;
  LockValue last_value_;
  bool any_used_ = false;
  FencingToken used_;  // the highest
  bool memory_lost_ = false;
  int written_ = 0;
  int grants_ = 0;
  int calm_grants_ = 0;
  int fences_ = 0;
  int losses_ = 0;
  int restarts_ = 0;
  std::string violation_;
};

}  // namespace fixkeep::lock
