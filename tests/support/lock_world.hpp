// Masters' locks in one process, for the conformance suite: real links, real lock tables, real
// engines and real servers, each master on an io_context of its own, so that a test can kill it,
// pause it, or cut it off from the others and from the servers.
//
// Time is real. What happened is seen in the order in which it happened, since one thread runs all
// masters in turns; a violation of exclusion is therefore seen for certain, at the grant.
// Thread rule: one owner. Errors: a test that cannot set the world up throws.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client-sim/cluster/lock_servers.hpp"
#include "lock/driver/lock_driver.hpp"
#include "tests/support/relay.hpp"

namespace fixkeep::conformance {

using std::chrono::milliseconds;

struct WorldOptions {
  std::string strategy;
  lock::Quorum quorum = lock::Quorum::grid;
  int masters = 3;
  milliseconds lease{1000};
  milliseconds wait{20'000};       // long against a machine that is busy with other tests
  milliseconds server_reply{300};  // of a strategy of a server
  client_sim::EngineServers* servers = nullptr;  // for a strategy of a server
};

// One master: what its caller knows of its keys.
class LockMaster {
 public:
  LockMaster(const WorldOptions& options, int self, const std::string& cluster,
             const std::vector<std::uint16_t>& servers);
  ~LockMaster();
  LockMaster(const LockMaster&) = delete;
  LockMaster& operator=(const LockMaster&) = delete;

  // Dials the master `other`, of a lower number, at a port.
  void dial(int other, std::uint16_t port);
  void acquire(const std::string& key);
  void abandon(const std::string& key);
  void release(const std::string& key, const std::string& bytes = {});
  void run();  // whatever is due

  struct Key {
    bool waiting = false;
    std::optional<lock::KeyGranted> held;
    std::optional<lock::KeyGranted> last;  // the newest grant, held or not
    std::optional<lock::LostReason> lost;  // the newest loss
    int grants = 0;
    int losses = 0;
  };
  [[nodiscard]] const Key& key(const std::string& name) { return keys_[name]; }
  [[nodiscard]] std::uint16_t port() const { return driver_->links().port(); }
  [[nodiscard]] const lock::LockTable& table() const { return driver_->table(); }
  [[nodiscard]] const engine::Engine* engine() const { return driver_->engine(); }

  std::function<void(const lock::KeyGranted&)> on_granted;

 private:
  [[nodiscard]] node::LockDriverHandlers handlers();

  boost::asio::io_context context_;
  std::unique_ptr<node::LockDriver> driver_;
  std::map<std::string, Key> keys_;
};

class LockWorld {
 public:
  explicit LockWorld(WorldOptions options);  // everybody joined and ready
  ~LockWorld();
  LockWorld(const LockWorld&) = delete;
  LockWorld& operator=(const LockWorld&) = delete;

  [[nodiscard]] LockMaster& master(int number) { return *masters_.at(number); }
  [[nodiscard]] int size() const { return options_.masters; }
  [[nodiscard]] const WorldOptions& options() const { return options_; }

  // Runs everybody until the condition holds; false if it does not within the limit.
  bool run_until(const std::function<bool()>& condition, milliseconds limit = milliseconds{25'000});
  void run_for(milliseconds time);
  // The same for one key: acquire, and hold within the limit.
  bool acquire(int master, const std::string& key, milliseconds limit = milliseconds{25'000});

  // Holds it within the limit. An acquire that ended, since the machine was too busy for an answer
  // in time, is made again.
  bool insists(int master, const std::string& key, milliseconds limit);

  void kill(int master);   // its sockets close, nothing is said
  void pause(int master);  // it does not run, and does not know
  void resume(int master);
  // Between the two groups of masters, or between a master and all servers.
  void cut(const std::set<int>& some, const std::set<int>& others);
  void mend_links();
  void stall_servers_of(int master);
  void mend_servers_of(int master);

  // Masters that believe to hold the key and can act on it: neither killed nor paused.
  [[nodiscard]] std::vector<int> holders(const std::string& key);
  // Grants that came while another such master held the key, and those among them of which more
  // than one had not been told to fence. Filled at each grant.
  [[nodiscard]] int double_grants() const { return double_grants_; }
  [[nodiscard]] int unfenced_double_grants() const { return unfenced_double_grants_; }
  // Grants whose token was not above all earlier ones of the key.
  [[nodiscard]] int tokens_that_fell() const { return tokens_that_fell_; }

 private:
  void granted(int master, const lock::KeyGranted& grant);
  void turn();

  WorldOptions options_;
  boost::asio::io_context relays_context_;
  std::map<std::pair<int, int>, std::unique_ptr<support::Relay>> links_;
  std::map<int, std::vector<std::unique_ptr<support::Relay>>> to_servers_;
  std::map<int, std::unique_ptr<LockMaster>> masters_;
  std::set<int> paused_;
  std::map<std::string, FencingToken> highest_;
  int double_grants_ = 0;
  int unfenced_double_grants_ = 0;
  int tokens_that_fell_ = 0;
};

}  // namespace fixkeep::conformance
