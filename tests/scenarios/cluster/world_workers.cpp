// The workers of a scenario, time, and what must hold.
#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "tests/scenarios/cluster/world.hpp"

namespace fixkeep::scenarios {
namespace {

std::string room_name(const std::string& worker, RoomNumber room) {
  return worker + "#" + std::to_string(room.number());
}

}  // namespace

// --- steps ---------------------------------------------------------------------------------------

void World::at_worker(const std::string& name, worker::Event event) {
  Host& host = hosts_.at(name);
  step(host, name, std::move(event));
  if (hosts_.contains(name) && !host.held) end_batch(name);
}

void World::end_batch(const std::string& name) {
  Host& host = hosts_.at(name);
  host.held = false;
  step(host, name, worker::BatchEnded{});
  for (const worker::Record& record : host.core->take_records()) host.memory.apply(record);
}

void World::step(Host& host, const std::string& name, worker::Event event) {
  worker::Actions actions;
  host.core->step(std::move(event), now, actions);
  for (worker::Action& action : actions) perform(name, action);
}

void World::perform(const std::string& name, worker::Action& action) {
  const auto room = [&](RoomNumber number) { return room_name(name, number); };
  const bool obey = !masters_.empty();
  const auto exits = [&](RoomNumber number, const char* how) {
    if (!obey) return;
    post(name, name, "Exit", [this, name, number, how] {
      if (hosts_.contains(name)) at_worker(name, worker::ProcessExited{number, how});
    });
  };
  if (const auto* sent = std::get_if<worker::SendToMaster>(&action)) {
    const std::string master = to_string(sent->master);
    if (!links_.contains({master, name})) return;
    std::string what = text.show(sent->message, &dialogues_[{master, name}]);
    if (!masters_.contains(master)) {
      see(name + " > " + master + " " + what);
      return;
    }
    post(name, master, std::move(what), [this, name, master, message = carried(sent->message)] {
      at_master(master, [&](auto out) {
        auto heard = message;
        this->master(master).worker_said(WorkerId{name}, std::move(heard), now, out);
      });
    });
  } else if (const auto* close = std::get_if<worker::CloseMasterLink>(&action)) {
    see(name + " closes the link of " + to_string(close->master));
  } else if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
    hosts_.at(name).starting.insert(start->room);
    require(created_.insert({name, start->group, start->creation}).second,
            "a second room for one order");
    groups_.insert(start->group);
    ++rooms_started_;
    see(room(start->room) + " starts " + start->group.text() + " by=" + text_of(start->creation));
  } else if (const auto* adopt = std::get_if<worker::AdoptProcess>(&action)) {
    if (!adopt->open) hosts_.at(name).starting.insert(adopt->as.room);
    see(room(adopt->as.room) + " adopted " + adopt->as.group.text() + (adopt->open ? " open" : ""));
  } else if (const auto* given = std::get_if<worker::RoomGiven>(&action)) {
    groups_.insert(given->group);
    see(room(given->room) + " given " + given->group.text() + " by=" + text_of(given->creation));
  } else if (const auto* never = std::get_if<worker::NeverWarm>(&action)) {
    see(name + " has no warm rooms of " + never->mode.text());
  } else if (const auto* refused = std::get_if<worker::GroupRefused>(&action)) {
    see(name + " refuses " + refused->group.text() + ": " + refused->why);
  } else if (const auto* signal = std::get_if<worker::SignalProcess>(&action)) {
    see(room(signal->room) + " signalled " + std::string{to_string(signal->reason)} +
        (signal->why.empty() ? "" : ": " + signal->why));
    exits(signal->room, "signal 15");
  } else if (const auto* kill = std::get_if<worker::KillProcess>(&action)) {
    see(room(kill->room) + " killed " + std::string{to_string(kill->reason)} +
        (kill->silence ? " silent for " + text_of(*kill->silence) : ""));
    exits(kill->room, "signal 9");
  } else if (const auto* admit = std::get_if<worker::AdmitPlayer>(&action)) {
    see(admit->admitted ? "admitted" : "turned away");
  } else if (const auto* pause = std::get_if<worker::LogPause>(&action)) {
    see(name + " pauses " + pause->mode.text() + " for " + text_of(pause->length) + " after " +
        std::to_string(pause->failures) + ": " + pause->why);
  } else if (std::holds_alternative<worker::StoppedEmpty>(action)) {
    see(name + " has stopped");
  }
}

void World::boot() {
  for (const std::string& name : workers()) {
    for (const RoomNumber room : std::exchange(hosts_.at(name).starting, {})) {
      at_worker(name, worker::ProcessReady{room});
    }
  }
  deliver_all();
}

void World::fail_boots(const std::string& how) {
  for (const std::string& name : workers()) {
    for (const RoomNumber room : std::exchange(hosts_.at(name).starting, {})) {
      at_worker(name, worker::ProcessExited{room, how});
    }
  }
  deliver_all();
}

// --- time ----------------------------------------------------------------------------------------

TimePoint World::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [name, each] : masters_) next = std::min(next, each->next_tick());
  for (const auto& [name, each] : hosts_) next = std::min(next, each.core->next_tick());
  return next;
}

void World::tick(bool deliver) {
  for (const std::string& name : masters()) {
    if (masters_.at(name)->next_tick() > now) continue;
    at_master(name, [&](auto out) { masters_.at(name)->time_passed(now, out); });
  }
  for (const std::string& name : workers()) {
    if (hosts_.at(name).core->next_tick() <= now) at_worker(name, worker::TimePassed{});
  }
  if (deliver) deliver_all();
}

void World::pass(Duration time, bool deliver) {
  const TimePoint end = now + time;
  if (deliver) deliver_all();
  for (int ticks = 0; now < end || next_tick() <= now; ++ticks) {
    require(ticks < most_steps, "a timer has no end");
    now = std::max(now, std::min(next_tick(), end));
    tick(deliver);
  }
}

std::size_t World::waiting() const {
  std::size_t sum = 0;
  for (const auto& [name, each] : masters_) sum += each->waiting();
  return sum;
}

void World::finish() {
  for (int i = 0; i < 100; ++i) {
    deliver_all();
    boot();
    if (waiting() == 0) return;
    pass(std::chrono::milliseconds{500}, true);
  }
}

void World::end() {
  serves_lock ? finish() : deliver_all();
  for (int i = 0; i < 20 && waiting() > 0; ++i) pass(std::chrono::minutes{1}, true);
  for (const auto& [number, ticket] : tickets_) {
    require(!ticket.open, ticket.name + " has no answer in the end");
  }
  check();
  if (serves_lock) check_seats();
  // Longer than questions, holds, empty rooms and reservations last.
  if (!masters_.empty()) pass(std::chrono::minutes{3}, true);
  for (const auto& [name, each] : masters_) {
    require(each->groups() == 0, name + " remembers a group that nobody waits in");
  }
  check();
}

// --- what must hold ------------------------------------------------------------------------------

void World::check_rooms(const std::string& name, const Host& host) {
  for (const wire::RoomInfo& room : host.core->rooms()) {
    const std::string which = room_name(name, room.number);
    require(room.players.size() <= room.capacity, which + " is overbooked");
    const std::set<PlayerHash> players{room.players.begin(), room.players.end()};
    require(players.size() == room.players.size(), which + " has a player twice");
  }
  for (const GroupKey& group : groups_) {
    FencingToken& before = promised_[{name, group}];
    const FencingToken promised = host.core->promised(group);
    require(before <= promised, name + " has forgotten a promise of " + group.text());
    before = promised;
  }
  if (host.held) return;
  worker::Memory memory;
  for (const worker::Record& record : host.core->snapshot()) memory.apply(record);
  require(memory == host.memory, name + " has not recorded all that it knows");
}

void World::check_seats() const {
  for (const auto& [name, host] : hosts_) {
    for (const wire::RoomInfo& room : host.core->rooms()) {
      const RoomId id{WorkerId{name}, host.options.incarnation, room.number};
      for (const PlayerHash player : room.players) {
        require(answered_seats_.contains({player, id}),
                room_name(name, room.number) + " keeps a seat for " + text.name(player) +
                    ", who was not told of it");
      }
    }
  }
}

void World::check_belief(const std::string& name, const master::Matchmaker& matchmaker) const {
  for (const auto& [worker, host] : hosts_) {
    if (host.held || !links_.contains({name, worker})) continue;
    const master::Worker* known = matchmaker.directory().find(WorkerId{worker});
    if (known == nullptr) continue;  // it is left out
    std::vector<std::string> truth;
    std::vector<std::string> belief;
    for (const wire::RoomInfo& room : host.core->rooms()) truth.push_back(text.show(room));
    for (const auto& [number, room] : known->rooms) {
      wire::RoomInfo info{number, room.group, room.mode, room.phase};
      info.capacity = room.capacity;
      info.creation = room.creation;
      info.occupied = room.occupied;
      info.unknown = room.unknown;
      for (const PlayerHash player : room.players) info.players.push_back(player);
      belief.push_back(text.show(info));
    }
    for (std::size_t i = 0; i < std::max(truth.size(), belief.size()); ++i) {
      const std::string is = i < truth.size() ? truth[i] : "nothing";
      const std::string believed = i < belief.size() ? belief[i] : "nothing";
      require(is == believed, name + " believes of " + worker + ": " + believed + ", not " + is);
    }
  }
}

void World::check() {
  for (const auto& [name, host] : hosts_) check_rooms(name, host);
  if (!queue_.empty()) return;
  for (const auto& [name, each] : masters_) check_belief(name, *each);
}

// --- looking -------------------------------------------------------------------------------------

void World::see_rooms(const std::string& worker) {
  for (const wire::RoomInfo& room : host(worker).rooms()) see(worker + text.show(room));
}

void World::see_answers() {
  see("seated=" + std::to_string(seated_) + " refused=" + std::to_string(refused_));
}

void World::see_directory(const std::string& name) {
  for (const auto& [id, worker] : master(name).directory().workers()) {
    std::string line = id.text() + " headroom=" + std::to_string(worker.room_left());
    if (worker.behind) line += " behind";
    if (!worker.gets_orders()) line += " without-orders";
    see(line);
    for (const auto& [number, room] : worker.rooms) {
      see(id.text() + "#" + std::to_string(number.number()) + " " + room.group.text() +
          " free=" + std::to_string(room.free()));
    }
  }
}

}  // namespace fixkeep::scenarios
