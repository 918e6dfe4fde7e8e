#include "lab/web/mission.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "lab/web/messages.hpp"

namespace fixkeep::lab_web {
namespace {

constexpr Duration link_least{15'000};
constexpr Duration link_most{35'000};
constexpr Duration boot_least{300'000};
constexpr Duration boot_most{600'000};
constexpr Duration press_within{60'000};  // the players press Play within this time
constexpr Duration warm_up{2'000'000};    // until all nodes are linked

WorkerId worker_id(std::size_t index) {
  return WorkerId{"w" + std::to_string(index + 1)};
}

std::string name(const char* role, std::size_t index) {
  return role + std::to_string(index);
}

}  // namespace

Mission::Mission(const Settings& settings) : random_(settings.seed), asked_(TimePoint{} + warm_up) {
  for (int id = 1; id <= settings.masters; ++id) {
    master::MasterOptions options;
    options.self = options.locks.self = master_id(id);
    options.incarnation = Incarnation{static_cast<std::uint64_t>(id)};
    options.locks.strategy = settings.strategy;
    options.locks.rules = settings.rules;
    for (int other = 1; other <= settings.masters; ++other) {
      if (other != id) options.locks.peers.push_back(master_id(other));
    }
    masters_.emplace_back(options, now_);
  }
  for (std::size_t index = 0; index < workers; ++index) {
    worker::RoomHostOptions options;
    options.self = worker_id(index);
    options.incarnation = Incarnation{100 + index};
    options.address = "10.0.0." + std::to_string(index + 1);
    options.modes.push_back({ModeName{"duel"}});
    hosts_.emplace_back(std::move(options), now_);
  }
  for (std::size_t master = 0; master < masters_.size(); ++master) {
    for (std::size_t peer = 0; peer < masters_.size(); ++peer) {
      if (peer != master)
        tell(master, master::PeerConnected{master_id(static_cast<int>(peer) + 1)});
    }
    for (std::size_t index = 0; index < workers; ++index) {
      tell(master, master::WorkerConnected{worker_id(index), Incarnation{100 + index}});
      tell(index, worker::MasterConnected{master_id(static_cast<int>(master) + 1)});
    }
  }
  for (std::uint32_t player = 1; player <= mission_players; ++player) {
    const Duration pressed{player == 1 ? 0 : random_.between(0, press_within.count())};
    later(warm_up + pressed, [this, player] { ask(player); });
  }
}

// --- time ----------------------------------------------------------------------------------------

void Mission::later(Duration delay, std::function<void()> what) {
  events_.emplace(std::pair{now_ + delay, ++numbered_}, std::move(what));
}

void Mission::over_link(const std::string& link, std::function<void()> what) {
  TimePoint& last = last_arrival_[link];
  last = std::max(last, now_ + Duration{random_.between(link_least.count(), link_most.count())});
  later(last - now_, std::move(what));
}

TimePoint Mission::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& master : masters_) next = std::min(next, master.next_tick());
  for (const auto& host : hosts_) next = std::min(next, host.next_tick());
  return next;
}

void Mission::tick() {
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    if (masters_[i].next_tick() <= now_) tell(i, master::TimePassed{});
  }
  for (std::size_t i = 0; i < workers; ++i) {
    if (hosts_[i].next_tick() <= now_) tell(i, worker::TimePassed{});
  }
}

void Mission::run() {
  const TimePoint end = asked_ + mission_length;
  while (true) {
    const TimePoint event = events_.empty() ? TimePoint::max() : events_.begin()->first.first;
    const TimePoint timer = next_tick();
    if (std::min(event, timer) > end) return;
    now_ = std::max(now_, std::min(event, timer));
    if (timer <= event) {
      tick();
    } else {
      const auto what = std::move(events_.extract(events_.begin()).mapped());
      what();
    }
  }
}

// --- masters -------------------------------------------------------------------------------------

void Mission::tell(std::size_t master, master::Event event) {
  master::Actions actions;
  masters_[master].step(std::move(event), now_, actions);
  for (auto& action : actions) perform(master, action);
}

void Mission::perform(std::size_t master, master::Action& action) {
  const MasterId self = master_id(static_cast<int>(master) + 1);
  if (auto* to_peer = std::get_if<master::SendToPeer>(&action)) {
    const auto peer = static_cast<std::size_t>(to_peer->peer.number() - 1);
    over_link(name("m", master) + name("m", peer),
              [this, peer, said = master::PeerSaid{self, std::move(to_peer->message)}] {
                tell(peer, master::Event{said});
              });
  } else if (auto* order = std::get_if<master::SendToWorker>(&action)) {
    const std::size_t worker = order->worker == worker_id(0) ? 0 : 1;
    over_link(name("m", master) + name("w", worker),
              [this, worker, said = worker::MasterSaid{self, std::move(order->message)}] {
                tell(worker, worker::Event{said});
              });
  } else if (const auto* seated = std::get_if<master::Seated>(&action)) {
    seat(*seated);
  }
}

// --- workers and games ---------------------------------------------------------------------------

void Mission::tell(std::size_t worker, worker::Event event) {
  worker::Actions actions;
  hosts_[worker].step(std::move(event), now_, actions);
  hosts_[worker].step(worker::BatchEnded{}, now_, actions);
  for (auto& action : actions) perform(worker, action);
}

void Mission::perform(std::size_t worker, worker::Action& action) {
  const auto exited = [&](RoomNumber room) {
    later(boot_least, [this, worker, room] {
      tell(worker, worker::Event{worker::ProcessExited{room, "exit code 0"}});
    });
  };
  if (auto* report = std::get_if<worker::SendToMaster>(&action)) {
    const auto master = static_cast<std::size_t>(report->master.number() - 1);
    over_link(
        name("w", worker) + name("m", master),
        [this, master, said = master::WorkerSaid{worker_id(worker), std::move(report->message)}] {
          tell(master, master::Event{said});
        });
  } else if (const auto* begun = std::get_if<worker::StartProcess>(&action)) {
    start(worker, *begun);
  } else if (const auto* signal = std::get_if<worker::SignalProcess>(&action)) {
    exited(signal->room);
  } else if (const auto* kill = std::get_if<worker::KillProcess>(&action)) {
    exited(kill->room);
  }
}

void Mission::start(std::size_t worker, const worker::StartProcess& start) {
  const std::size_t index = rooms_.size();
  rooms_.push_back({worker, start.room, start.creation.token.master.number(), now_});
  const Duration boot{random_.between(boot_least.count(), boot_most.count())};
  later(boot, [this, worker, index, room = start.room] {
    rooms_[index].opened = now_;
    tell(worker, worker::Event{worker::RoomPlaced{room, wire::at_port(7000)}});
    tell(worker, worker::Event{worker::ProcessReady{room}});
  });
}

// --- players -------------------------------------------------------------------------------------

void Mission::ask(std::uint32_t player) {
  master::MatchRequested match;
  match.ticket = TicketId{player};
  match.group = GroupKey{"duel/eu"};
  match.mode = ModeName{"duel"};
  match.capacity = mission_capacity;
  match.claim.player = PlayerId{"p" + std::to_string(player)};
  match.deadline = now_ + mission_length;
  tell(player % masters_.size(), master::Event{std::move(match)});
}

void Mission::seat(const master::Seated& seated) {
  for (Room& room : rooms_) {
    if (worker_id(room.worker) != seated.room.worker || room.number != seated.room.number) continue;
    room.players.emplace_back(static_cast<int>(seated.ticket.number()), now_);
    ++seated_;
  }
}

std::string Mission::json() const {
  const auto since = [&](TimePoint at) { return (at - asked_).count(); };
  nlohmann::json all{{"needed", mission_players / mission_capacity},
                     {"capacity", mission_capacity},
                     {"length", mission_length.count()},
                     {"rooms", nlohmann::json::array()}};
  for (const Room& room : rooms_) {
    nlohmann::json made{{"worker", room.worker + 1},
                        {"master", room.master},
                        {"ordered", since(room.ordered)},
                        {"opened", nullptr},
                        {"players", nlohmann::json::array()}};
    if (room.opened != TimePoint::max()) made["opened"] = since(room.opened);
    for (const auto& [player, at] : room.players) {
      made["players"].push_back({{"player", player}, {"at", since(at)}});
    }
    all["rooms"].push_back(std::move(made));
  }
  return all.dump();
}

}  // namespace fixkeep::lab_web
