// The workers of a scenario, time, and what must hold.
#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "tests/scenarios/cluster/world.hpp"

namespace fixkeep::scenarios {
namespace {

std::string room_name(const std::string& worker, RoomNumber room) {
  return worker + "#" + std::to_string(room.number());
}

// The players of the room, as the master believes; "somebody" stands for a player that has no seat
// there in truth.
std::vector<PlayerId> believed_players(const master::Directory& directory, const master::Room& room,
                                       const std::vector<wire::RoomInfo>& truth) {
  std::vector<PlayerId> players;
  for (const wire::RoomInfo& is : truth) {
    if (is.number != room.id.number) continue;
    std::copy_if(is.players.begin(), is.players.end(), std::back_inserter(players),
                 [&](const PlayerId& player) { return directory.has_seat(room, player); });
  }
  players.resize(std::max(players.size(), room.players.size()), PlayerId{"somebody"});
  return players;
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
  if (!host.core->has_new_results()) return;
  worker::Actions answers;
  host.core->results_written(true, answers);
  for (worker::Action& answer : answers) perform(name, answer);
  end_batch(name);
}

void World::step(Host& host, const std::string& name, worker::Event event) {
  worker::Actions actions;
  host.changed = true;
  host.core->step(std::move(event), now, actions);
  for (worker::Action& action : actions) perform(name, action);
}

worker::MasterSaid World::said_to(const std::string& worker, MasterId master, wire::Order order) {
  worker::MasterSaid said{.master = master, .message = std::move(order)};
  const auto& untold = machine(worker).untold;
  if (const auto* spawn = std::get_if<wire::SpawnRoom>(&said.message)) {
    const auto found = untold.find(spawn->group);
    if (found != untold.end()) said.why_not_told = found->second;
  }
  return said;
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
    std::string what = text.show(sent->message, dialogues_[{master, name}]);
    if (!masters_.contains(master)) {
      believers_[{master, name}].hear(carried(sent->message));
      see(name + " > " + master + " " + what);
      return;
    }
    post(name, master, std::move(what), [this, name, master, message = carried(sent->message)] {
      at_master(master, master::WorkerSaid{WorkerId{name}, message});
    });
  } else if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
    hosts_.at(name).starting.insert(start->room);
    hosts_.at(name).started = start->room;
    require(created_.insert({name, start->group, start->creation}).second,
            "a second room for one order");
    groups_.insert(start->group);
    orders_[start->group].push_back(start->creation);
    ++rooms_started_;
    see(room(start->room) + " starts " + start->group.text() + " by=" + text_of(start->creation) +
        text.show(start->cause));
  } else if (const auto* adopt = std::get_if<worker::AdoptProcess>(&action)) {
    if (!adopt->open) hosts_.at(name).starting.insert(adopt->as.room);
    see(room(adopt->as.room) + " adopted " + adopt->as.group.text() + (adopt->open ? " open" : ""));
  } else if (const auto* given = std::get_if<worker::RoomGiven>(&action)) {
    groups_.insert(given->group);
    see(room(given->room) + " given " + given->group.text() + " by=" + text_of(given->creation) +
        text.show(given->cause));
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
  } else if (const auto* look = std::get_if<worker::LookAtGame>(&action)) {
    Host& host = hosts_.at(name);
    Machine& machine = *host.machine;
    step(host, name, worker::NotReady{look->room, machine.why_not_ready});
    step(host, name,
         worker::GameSeen{look->room, machine.waited[look->room], machine.connected[look->room]});
  } else if (const auto* admit = std::get_if<worker::AdmitPlayer>(&action)) {
    see(admit->admitted ? "admitted" : "turned away");
  } else if (const auto* answer = std::get_if<worker::AnswerResult>(&action)) {
    static constexpr std::array answers{"kept", "differs", "too early", "not kept"};
    see(std::string{"result "} + answers.at(static_cast<std::size_t>(answer->answer)));
  } else if (const auto* pause = std::get_if<worker::LogPause>(&action)) {
    see(name + " pauses " + pause->mode.text() + " for " + text_of(pause->length) + " after " +
        std::to_string(pause->failures) + ": " + pause->why);
  } else if (std::holds_alternative<worker::StoppedEmpty>(action)) {
    see(name + " has stopped");
  }
}

RoomNumber World::newest_started(const std::string& worker) const {
  return hosts_.at(worker).started;
}

void World::make_ready(const std::string& worker, RoomNumber room) {
  Host& host = hosts_.at(worker);
  const auto rooms = host.core->rooms();
  const bool placed = std::any_of(rooms.begin(), rooms.end(), [&](const wire::RoomInfo& each) {
    return each.number == room && each.place;
  });
  if (!placed) step(host, worker, worker::RoomPlaced{room, usual_place()});
  at_worker(worker, worker::ProcessReady{room});
}

void World::boot() {
  for (const std::string& name : workers()) {
    for (const RoomNumber room : std::exchange(hosts_.at(name).starting, {})) {
      make_ready(name, room);
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
  for (const auto& [name, each] : masters_) next = std::min(next, each.next_tick());
  for (const auto& [name, each] : hosts_) next = std::min(next, each.core->next_tick());
  return next;
}

void World::tick(bool deliver) {
  for (const std::string& name : masters()) {
    if (masters_.at(name).next_tick() > now) continue;
    at_master(name, master::TimePassed{});
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
  for (const auto& [name, each] : masters_) sum += each.waiting();
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
  if (!hosts_.empty() && !masters_.empty()) finish();
  deliver_all();
  for (int i = 0; i < 150 && waiting() > 0; ++i) pass(std::chrono::minutes{1}, true);
  for (const auto& [number, ticket] : tickets_) {
    require(!ticket.open, ticket.name + " has no answer in the end");
  }
  check();
  if (checks_seats) check_seats();
  // Longer than questions, holds, empty rooms and reservations last.
  if (!masters_.empty()) pass(std::chrono::minutes{3}, true);
  for (const std::string& name : masters()) {
    // The lock of a pool that the text does not grant is waited for without end.
    const auto pools = std::count_if(locks_.begin(), locks_.end(), [&](const auto& lock) {
      return wire::is_warm_pool(lock.first) &&
             std::count(lock.second.waiting.begin(), lock.second.waiting.end(), name) > 0;
    });
    require(masters_.at(name).groups() <= static_cast<std::size_t>(pools),
            name + " remembers a group that nobody waits in");
  }
  check();
}

// --- what must hold ------------------------------------------------------------------------------

void World::check_rooms(const std::string& name, const Host& host) {
  for (const wire::RoomInfo& room : host.core->rooms()) {
    const std::string which = room_name(name, room.number);
    require(room.players.size() <= room.capacity, which + " is overbooked");
    const std::set<PlayerId> players{room.players.begin(), room.players.end()};
    require(players.size() == room.players.size(), which + " has a player twice");
    require(!newcomers_seen_.look(which, room), which + " has taken a newcomer");
  }
  for (const GroupKey& group : groups_) {
    FencingToken& before = promised_[{name, group}];
    const FencingToken promised = host.core->promised(group);
    require(before <= promised, name + " has forgotten a promise of " + group.text());
    before = promised;
  }
  if (host.held) return;
  for (const auto& [link, believer] : believers_) {
    if (link.second != name || !links_.contains(link)) continue;
    require(believer.rooms == worker::truth_of(*host.core) &&
                believer.headroom == host.core->headroom(),
            link.first + " has been told less than the truth of " + name);
  }
  worker::Memory memory;
  for (const worker::Record& record : host.core->snapshot()) memory.apply(record);
  // The journal remembers what has closed for longer than the worker does.
  const auto& told = host.memory.creations;
  std::erase_if(memory.creations, [&](const worker::CreationRecord& made) {
    return std::find(told.begin(), told.end(), made) != told.end();
  });
  require(memory.creations.empty() && memory.rooms == host.memory.rooms &&
              memory.promises == host.memory.promises && memory.floors == host.memory.floors &&
              memory.numbers == host.memory.numbers,
          name + " has not recorded all that it knows");
}

void World::check_seats() const {
  for (const auto& [name, host] : hosts_) {
    for (const wire::RoomInfo& room : host.core->rooms()) {
      const RoomId id{WorkerId{name}, host.options.incarnation, room.number};
      for (const PlayerId& player : room.players) {
        require(answered_seats_.contains({player, id}), room_name(name, room.number) +
                                                            " keeps a seat for " + player.text() +
                                                            ", who was not told of it");
      }
    }
  }
}

void World::check_belief(const std::string& name, const master::MasterCore& master) const {
  for (const auto& [worker, host] : hosts_) {
    if (host.held || !links_.contains({name, worker})) continue;
    const master::Worker* known = master.directory().find(WorkerId{worker});
    if (known == nullptr) continue;  // it is left out
    std::vector<wire::RoomInfo> truth = host.core->rooms();
    for (wire::RoomInfo& room : truth) {
      room.opened_at = {};
      std::sort(room.players.begin(), room.players.end());
    }
    std::vector<wire::RoomInfo> belief;
    for (const auto& [number, room] : known->rooms) {
      belief.push_back({number, room.group, room.mode, room.phase, room.place, room.capacity,
                        room.creation, room.occupied,
                        believed_players(master.directory(), room, truth)});
      belief.back().unknown = room.unknown;
      belief.back().stage = room.stage;
      belief.back().wants = room.wants;
      if (room.match) belief.back().match = *room.match;
    }
    const auto [is, believed] =
        std::mismatch(truth.begin(), truth.end(), belief.begin(), belief.end());
    if (is == truth.end() && believed == belief.end()) continue;
    throw ScenarioError(name + " believes of " + worker + ": " +
                        (believed == belief.end() ? "nothing" : text.show(*believed)) + ", not " +
                        (is == truth.end() ? "nothing" : text.show(*is)));
  }
}

void World::check() {
  for (auto& [name, host] : hosts_) {
    if (std::exchange(host.changed, false)) check_rooms(name, host);
  }
  if (!queue_.empty()) return;
  for (const auto& [name, each] : masters_) check_belief(name, each);
}

// --- looking -------------------------------------------------------------------------------------

void World::see_rooms(const std::string& worker) {
  for (const wire::RoomInfo& room : host(worker).rooms()) see(worker + text.show(room));
}

void World::see_answers() {
  see("seated=" + std::to_string(seated_) + " refused=" + std::to_string(refused_));
}

void World::see_events(const std::string& name) {
  constexpr std::array<std::string_view, 12> kinds{
      "asked",          "answered",     "lock-wanted",    "lock-granted",
      "lock-left",      "fence-asked",  "fence-answered", "seats-asked",
      "seats-answered", "room-ordered", "order-answered", "room"};
  std::string line;
  for (const events::What& what : master(name).take_events()) {
    line += (line.empty() ? "" : " ") + std::string{kinds.at(what.index())};
  }
  if (!line.empty()) see(line);
}

void World::see_tokens() {
  for (const auto& [group, creations] : orders_) {
    for (std::size_t i = 1; i < creations.size(); ++i) {
      if (creations[i - 1].token < creations[i].token) continue;
      see(group.text() + " " + text_of(creations[i]) + " after " + text_of(creations[i - 1]));
    }
  }
}

void World::see_duplicates() {
  std::map<std::pair<GroupKey, std::uint32_t>, std::uint32_t> free;
  for (const auto& [name, host] : hosts_) {
    for (const wire::RoomInfo& room : host.core->rooms()) {
      if (room.stage == RoomStage::no_newcomers) continue;
      free[{room.group, room.capacity}] += room.capacity - small(room.players.size());
    }
  }
  for (const auto& [group, seats] : free) {
    if (seats >= group.second) see(group.first.text() + " has a room too many");
  }
}

void World::see_directory(const std::string& name, const std::string& group) {
  for (const auto& [id, worker] : master(name).directory().workers()) {
    if (group.empty()) {
      std::string line = id.text() + " headroom=" + std::to_string(worker.room_left());
      if (worker.behind) line += " behind";
      if (!worker.gets_orders()) line += " without-orders";
      see(line);
    }
    for (const auto& [number, room] : worker.rooms) {
      if (!group.empty() && room.group.text() != group) continue;
      see(id.text() + "#" + std::to_string(number.number()) + " " + room.group.text() +
          " taken=" + std::to_string(room.players.size()) + " free=" + std::to_string(room.free()));
    }
  }
}

}  // namespace fixkeep::scenarios
