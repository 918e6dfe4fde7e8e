// A fleet of game servers in simulated time: they are allocated, freed, ended, deleted and given to
// others, and one watcher is told, some time later and as long as nobody cuts it off.
// Thread rule: one owner. Bounds: `most_servers`. Errors: none.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/random.hpp"
#include "tests/unit/worker/runner/agones/agenda.hpp"
#include "worker/runner/agones/fleet_rooms.hpp"

namespace fixkeep::worker::agones {

class SimulatedFleet {
 public:
  static constexpr std::size_t most_servers = 12;

  struct Server {
    FleetServer shown;
    bool foreign = false;  // somebody else's
    bool freed = false;    // by its game, under our name
  };
  struct Watcher {
    std::function<void(const std::vector<FleetServer>&)> listed;
    std::function<void(const FleetServer&)> changed;
    std::function<void(const std::string& uid)> gone;
  };

  SimulatedFleet(Random& random, Agenda& agenda, Watcher watcher)
      : random_(random), agenda_(agenda), watcher_(std::move(watcher)) {}

  [[nodiscard]] const std::map<std::string, Server>& servers() const { return servers_; }
  Server* any(const std::function<bool(const Server&)>& fits) {
    std::vector<Server*> fitting;
    for (auto& [uid, server] : servers_) {
      if (fits(server)) fitting.push_back(&server);
    }
    return fitting.empty() ? nullptr : fitting[random_.below(fitting.size())];
  }
  static bool is_held(const Server& server) {
    return server.shown.state == ServerState::held && !server.shown.deleted;
  }
  static bool is_free(const Server& server) {
    return server.shown.state == ServerState::free && !server.shown.deleted;
  }

  void refill() {
    while (servers_.size() < most_servers) {
      const int number = ++last_server_;
      Server server;
      // Their uids are not in the order of their making.
      server.shown.uid = std::to_string(random_.below(1000)) + "-" + std::to_string(number);
      server.shown.name = "s" + std::to_string(number);
      server.shown.version = std::to_string(++last_version_);
      server.shown.place = {"10.0.0.1", {{"default", static_cast<std::uint16_t>(1000 + number)}}};
      servers_.emplace(server.shown.uid, server);
    }
  }

  void game_ends() {
    Server* const server = any(is_held);
    if (server == nullptr) return;
    server->shown.state = ServerState::ending;
    change(*server);
    agenda_.later(milliseconds_to(5000), [this, uid = server->shown.uid] { remove(uid); });
  }
  void game_frees() {
    Server* const server = any([](const Server& each) {
      return is_held(each) && !each.foreign && !each.shown.room.empty();
    });
    if (server == nullptr) return;
    server->shown.state = ServerState::free;
    server->freed = true;
    change(*server);
  }
  void somebody_deletes() {
    if (Server* const server = any([](const Server&) { return true; })) remove(server->shown.uid);
  }
  // One that still has our name is given to others once the watch has shown that it is free.
  void somebody_allocates() {
    Server* const server = any([this](const Server& each) {
      return is_free(each) && (each.shown.room.empty() || has_shown_free(each.shown));
    });
    if (server == nullptr) return;
    server->shown.state = ServerState::held;
    server->foreign = true;
    change(*server);
  }
  bool allocate(const AskForServer& wanted) {
    Server* const server = any(is_free);
    if (server == nullptr) return false;
    const std::string before = server->shown.room;
    if (!before.empty() && before != wanted.object) tell_gone(server->shown.uid);
    server->shown.state = ServerState::held;
    server->shown.room = wanted.object;
    server->shown.attempt = wanted.attempt;
    server->foreign = false;
    server->freed = false;
    change(*server);
    return true;
  }
  void take_off_name(const std::string& uid) {
    FleetServer& shown = servers_.at(uid).shown;
    shown.room.clear();
    shown.attempt.clear();
    shown.version = std::to_string(++last_version_);
    tell_gone(uid);
  }
  // It may be on its way out for a minute.
  void remove(const std::string& uid) {
    const auto found = servers_.find(uid);
    if (found == servers_.end()) return;
    if (!found->second.shown.deleted && random_.below(2) == 0) {
      found->second.shown.deleted = true;
      change(found->second);
      return agenda_.later(milliseconds_to(60'000), [this, uid] { remove(uid); });
    }
    if (!found->second.shown.room.empty()) tell_gone(uid);
    servers_.erase(found);
  }

  // The list is made some time later, and told later still.
  void connect() {
    cut();
    agenda_.later(milliseconds_to(300), [this, connection = connection_] {
      if (connection != connection_) return;
      watching_ = true;
      told_until_ = agenda_.now;
      std::vector<FleetServer> all;
      for (const auto& [uid, server] : servers_) {
        if (!server.shown.room.empty()) all.push_back(server.shown);
      }
      event([this, all] {
        for (const FleetServer& each : all) note_free(each);
        watcher_.listed(all);
      });
    });
  }
  void cut() {
    watching_ = false;
    ++connection_;
  }
  [[nodiscard]] bool is_watched() const { return watching_; }
  // Nobody can know any more whose a server is that has our name.
  void forget() {
    for (auto& [uid, server] : servers_) {
      if (!server.shown.room.empty()) server.foreign = false;
    }
    shown_free_.clear();
  }

 private:
  std::chrono::milliseconds milliseconds_to(std::int64_t most) {
    return std::chrono::milliseconds{random_.between(0, most)};
  }
  void change(Server& server) {
    server.shown.version = std::to_string(++last_version_);
    if (server.shown.room.empty()) return;
    event([this, shown = server.shown] {
      note_free(shown);
      watcher_.changed(shown);
    });
  }
  void tell_gone(const std::string& uid) {
    event([this, uid] { watcher_.gone(uid); });
  }
  void event(std::function<void()> what) {
    if (!watching_) return;
    told_until_ = std::max(told_until_, agenda_.now + milliseconds_to(300));
    agenda_.later(told_until_ - agenda_.now,
                  [this, connection = connection_, what = std::move(what)] {
                    if (connection == connection_) what();
                  });
  }
  void note_free(const FleetServer& shown) {
    if (shown.state == ServerState::free) shown_free_[shown.uid] = shown.version;
  }
  [[nodiscard]] bool has_shown_free(const FleetServer& server) const {
    const auto found = shown_free_.find(server.uid);
    return found != shown_free_.end() && found->second == server.version;
  }

  Random& random_;
  Agenda& agenda_;
  Watcher watcher_;
  std::map<std::string, Server> servers_;
  std::map<std::string, std::string> shown_free_;  // to the watcher: the version of each
  bool watching_ = false;
  int connection_ = 0;
  TimePoint told_until_{};
  int last_server_ = 0;
  int last_version_ = 0;
};

}  // namespace fixkeep::worker::agones
