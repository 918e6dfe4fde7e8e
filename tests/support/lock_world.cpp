#include "tests/support/lock_world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "common/base/lock_strategies.hpp"

namespace fixkeep::conformance {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::microseconds idle_pause{200};

MasterId id_of(int master) {
  return MasterId{static_cast<std::uint16_t>(master)};
}

lock::LockTableOptions table_options(const WorldOptions& options, int self) {
  lock::LockTableOptions made;
  made.strategy = options.strategy;
  made.quorum = options.quorum;
  made.self = id_of(self);
  for (int other = 1; other <= options.masters; ++other) {
    if (other != self) made.peers.push_back(id_of(other));
  }
  made.lease = options.lease;
  made.wait = options.wait;
  return made;
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

net::LinkOptions link_options(const WorldOptions& options, int self, const std::string& cluster) {
  net::LinkOptions links;
  links.cluster = cluster;
  links.secret = "a secret for the conformance suite";
  links.self = {net::Role::master, to_string(id_of(self)),
                Incarnation{static_cast<std::uint64_t>(::getpid())}};
  links.listen_address = "127.0.0.1";
  for (int other = 1; other <= options.masters; ++other) {
    links.known_masters.push_back(to_string(id_of(other)));
  }
  links.heartbeat_interval = milliseconds{50};
  links.heartbeat_timeout = milliseconds{400};
  links.reconnect_first = milliseconds{20};
  links.reconnect_most = milliseconds{100};
  return links;
}

std::optional<engine::EngineOptions> engine_options(const WorldOptions& options, int self,
                                                    const std::string& cluster,
                                                    const std::vector<std::uint16_t>& servers) {
  if (servers.empty()) return {};
  engine::EngineOptions made;
  made.strategy = options.strategy;
  made.self = id_of(self);
  made.cluster = cluster;
  for (const auto port : servers) made.servers.push_back({"127.0.0.1", port});
  made.ttl = options.lease;
  made.reply = options.server_reply;
  made.seed = static_cast<std::uint64_t>(self) * 7919U;
  return made;
}

}  // namespace

// --- one master

LockMaster::LockMaster(const WorldOptions& options, int self, const std::string& cluster,
                       const std::vector<std::uint16_t>& servers) {
  auto driver = node::LockDriver::start(context_,
                                        {.table = table_options(options, self),
                                         .links = link_options(options, self, cluster),
                                         .engine = engine_options(options, self, cluster, servers)},
                                        handlers());
  if (!driver) throw std::runtime_error{"no locks: " + driver.error().message()};
  driver_ = std::move(*driver);
}

LockMaster::~LockMaster() = default;

node::LockDriverHandlers LockMaster::handlers() {
  node::LockDriverHandlers made;
  made.on_granted = [this](const lock::KeyGranted& granted) {
    auto& key = keys_[granted.key.text()];
    key.waiting = false;
    key.held = key.last = granted;
    ++key.grants;
    if (on_granted) on_granted(granted);
  };
  made.on_lost = [this](const lock::KeyLost& lost) {
    auto& key = keys_[lost.key.text()];
    key.waiting = false;
    key.held.reset();
    key.lost = lost.reason;
    ++key.losses;
  };
  return made;
}

void LockMaster::dial(int other, std::uint16_t port) {
  driver_->dial(id_of(other), "127.0.0.1", port);
}

void LockMaster::acquire(const std::string& name) {
  keys_[name].waiting = true;
  driver_->acquire(GroupKey{name});
}

void LockMaster::abandon(const std::string& name) {
  keys_[name].waiting = false;
  driver_->abandon(GroupKey{name});
}

void LockMaster::release(const std::string& name, const std::string& bytes) {
  auto& key = keys_[name];
  if (!key.held) return;  // it was lost meanwhile
  lock::LockValue value;
  value.stamp = value.fence = key.held->token;
  value.bytes = bytes;
  const auto token = key.held->token;
  key.held.reset();
  driver_->release(GroupKey{name}, token, std::move(value));
}

void LockMaster::run() {
  context_.restart();
  context_.poll();
}

// --- all of them

LockWorld::LockWorld(WorldOptions options) : options_(std::move(options)) {
  static int worlds = 0;
  const auto cluster = fmt::format("conformance-{}-{}", ::getpid(), ++worlds);
  for (int self = 1; self <= options_.masters; ++self) {
    std::vector<std::uint16_t> ports;
    if (options_.servers != nullptr) {
      for (const auto& address : options_.servers->addresses()) {
        auto relay = std::make_unique<support::Relay>(relays_context_, port_of(address));
        ports.push_back(relay->port());
        to_servers_[self].push_back(std::move(relay));
      }
    }
    auto made = std::make_unique<LockMaster>(options_, self, cluster, ports);
    made->on_granted = [this, self](const lock::KeyGranted& grant) { granted(self, grant); };
    for (int other = 1; other < self; ++other) {
      auto relay = std::make_unique<support::Relay>(relays_context_, master(other).port());
      made->dial(other, relay->port());
      links_[{other, self}] = std::move(relay);
    }
    masters_[self] = std::move(made);
  }
  const bool ready = run_until(
      [this] {
        return std::all_of(masters_.begin(), masters_.end(), [this](const auto& entry) {
          auto& each = *entry.second;
          if (each.engine() != nullptr && !each.engine()->ready()) return false;
          for (int other = 1; other <= size(); ++other) {
            if (other != entry.first && !each.table().up(id_of(other))) return false;
          }
          return each.table().joined();
        });
      },
      milliseconds{20'000});
  if (!ready) throw std::runtime_error{"the masters do not join, or their servers are not ready"};
}

LockWorld::~LockWorld() = default;

void LockWorld::turn() {
  relays_context_.restart();
  relays_context_.poll();
  for (auto& [number, each] : masters_) {
    if (each && !paused_.contains(number)) each->run();
  }
}

bool LockWorld::run_until(const std::function<bool()>& condition, milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  while (!condition()) {
    if (steady_clock::now() >= end) return false;
    turn();
    std::this_thread::sleep_for(idle_pause);
  }
  return true;
}

void LockWorld::run_for(milliseconds time) {
  (void)run_until([] { return false; }, time);
}

bool LockWorld::acquire(int number, const std::string& key, milliseconds limit) {
  master(number).acquire(key);
  return run_until([&] { return !master(number).key(key).waiting; }, limit) &&
         master(number).key(key).held.has_value();
}

bool LockWorld::insists(int number, const std::string& key, milliseconds limit) {
  return run_until(
      [&] {
        const auto& state = master(number).key(key);
        const bool failed = !state.waiting && (state.lost == lock::LostReason::engine_failure ||
                                               state.lost == lock::LostReason::wait_timeout);
        if (!state.held && failed) master(number).acquire(key);
        return state.held.has_value();
      },
      limit);
}

void LockWorld::kill(int number) {
  masters_.at(number).reset();
}
void LockWorld::pause(int number) {
  paused_.insert(number);
}
void LockWorld::resume(int number) {
  paused_.erase(number);
}

void LockWorld::cut(const std::set<int>& some, const std::set<int>& others) {
  for (auto& [ends, relay] : links_) {
    const bool between = (some.contains(ends.first) && others.contains(ends.second)) ||
                         (some.contains(ends.second) && others.contains(ends.first));
    if (between) relay->cut();
  }
}

void LockWorld::mend_links() {
  for (auto& [ends, relay] : links_) relay->mend();
}
void LockWorld::stall_servers_of(int number) {
  for (auto& relay : to_servers_.at(number)) relay->stall();
}
void LockWorld::mend_servers_of(int number) {
  for (auto& relay : to_servers_.at(number)) relay->mend();
}

std::vector<int> LockWorld::holders(const std::string& key) {
  std::vector<int> all;
  for (auto& [number, each] : masters_) {
    if (each && !paused_.contains(number) && each->key(key).held) all.push_back(number);
  }
  return all;
}

void LockWorld::granted(int number, const lock::KeyGranted& grant) {
  const auto& name = grant.key.text();
  auto& highest = highest_[name];
  if (grant.token <= highest) ++tokens_that_fell_;
  highest = std::max(highest, grant.token);
  int unfenced = grant.needs_fence ? 0 : 1;
  bool alone = true;
  for (const int other : holders(name)) {
    if (other == number) continue;
    alone = false;
    if (!master(other).key(name).held->needs_fence) ++unfenced;
  }
  if (alone) return;
  ++double_grants_;
  if (unfenced > 1) ++unfenced_double_grants_;
}

}  // namespace fixkeep::conformance
