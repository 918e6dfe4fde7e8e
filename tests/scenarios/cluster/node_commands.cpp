// The commands that are about real workers, their rooms, and nodes of either kind.
#include <optional>
#include <utility>

#include "tests/scenarios/cluster/commands.hpp"

namespace fixkeep::scenarios {
// --- real workers and what is asked of them ------------------------------------------------------

bool Commands::of_workers(const std::string& command, Words& words) {
  const auto most = [&words] {
    const auto time = words.key("most");
    return time ? std::optional{duration_of(*time)} : std::nullopt;
  };
  if (command == "drain") {
    const auto limit = most();
    const auto mode = words.key("mode");
    const bool then_stop = words.flag("then-stop");
    const std::string what = words.take("what");
    if (what.find('#') != std::string::npos) {
      const auto [worker, room] = room_of(what);
      world_.at_worker(worker, worker::DrainAsked{room, limit});
    } else if (mode) {
      world_.at_worker(what, worker::DrainModeAsked{ModeName{*mode}, limit});
    } else {
      world_.at_worker(what, worker::DrainAllAsked{limit, then_stop});
    }
  } else if (command == "resume") {
    const auto mode = words.key("mode");
    const std::string worker = words.take("the worker");
    if (mode) {
      world_.at_worker(worker, worker::ResumeModeAsked{ModeName{*mode}});
    } else {
      world_.at_worker(worker, worker::ResumeAllAsked{});
    }
  } else if (command == "stop") {
    const std::string node = words.take("whom");
    if (is_master(node)) {
      world_.call_master(node, [&](auto& master, auto& out) { master.stop(world_.now, out); });
    } else {
      world_.at_worker(node, worker::StopAsked{});
    }
  } else if (command == "crash") {
    for (const std::string& node : names_of(words.rest())) {
      is_master(node) ? world_.crash_master(node) : world_.crash_worker(node);
    }
  } else if (command == "restart") {
    const bool complete = !words.flag("incomplete");
    for (const std::string& node : names_of(words.rest())) {
      is_master(node) ? world_.restart_master(node) : world_.restart_worker(node, complete);
    }
  } else if (command == "batch") {  // what follows at this worker is one batch, until `batch-ends`
    world_.hold_batch(words.take("the worker"));
  } else if (command == "batch-ends") {
    world_.end_batch(words.take("the worker"));
  } else if (command == "modes-are") {
    world_.at_worker(words.take("the worker"), worker::ModesChanged{modes_});
  } else {
    return false;
  }
  return true;
}

void Commands::room(const std::string& name, Words& words) {
  const auto [worker, number] = room_of(name);
  const std::string verb = words.take("what of the room");
  auto& machine = world_.machine(worker);
  if (verb == "begins") {
    world_.at_worker(worker, worker::ProcessBegun{number});
  } else if (verb == "placed") {  // at=HOST:PORT,NAME/PORT; nowhere: at none
    const auto place = MessageText::place(words);
    world_.at_worker(worker, worker::RoomPlaced{number, place.value_or(wire::RoomPlace{})});
  } else if (verb == "ready") {
    if (words.flag("nowhere")) {
      world_.at_worker(worker, worker::ProcessReady{number});
    } else {
      world_.make_ready(worker, number);
    }
  } else if (verb == "exits") {
    const bool blameless = words.flag("blameless");
    world_.at_worker(worker,
                     worker::ProcessExited{number, words.take_or("exit code 3"), blameless});
  } else if (verb == "healthy") {
    world_.at_worker(worker, worker::GameHealthy{number});
  } else if (verb == "unhealthy") {
    world_.at_worker(worker, worker::GameUnhealthy{number, words.take_or("")});
  } else if (verb == "shuts-down") {
    world_.at_worker(worker, worker::ShutdownAsked{number});
  } else if (verb == "closes" || verb == "opens") {  // to newcomers
    world_.at_worker(worker,
                     worker::NewcomersDecided{
                         number, verb == "opens" ? NewcomersWord::open : NewcomersWord::closed});
  } else if (verb == "wants") {  // so many players; 0: its wants end
    const Want want{.team = {}, .role = {}, .players = small(number_of(words.take("how many")))};
    world_.at_worker(worker, worker::NewcomersDecided{
                                 .room = number, .wants = Wants(want.players > 0 ? 1 : 0, want)});
  } else if (verb == "says") {  // its result
    world_.at_worker(worker, worker::ResultSaid{.room = number, .value = words.take("what")});
  } else if (verb == "counts") {
    world_.at_worker(worker,
                     worker::PlayersCounted{number, small(number_of(words.take("how many")))});
  } else if (verb == "counts-nobody-knows") {
    world_.at_worker(worker, worker::PlayersUnknown{number});
  } else if (verb == "waited") {  // for a processor, in all
    machine.waited[number] = duration_of(words.take("how long"));
  } else if (verb == "connected") {
    const std::string whether = words.take("yes, no or unknown");
    machine.connected[number] =
        whether == "unknown" ? std::nullopt : std::optional{whether == "yes"};
  } else {
    throw ScenarioError("no such thing happens to a room: " + verb);
  }
}

// --- nodes and players ---------------------------------------------------------------------------

void Commands::node(const std::string& name, Words& words) {
  const std::string verb = words.take("what of " + name);
  if (verb == "held-up") {
    const Duration late = duration_of(words.take("how long"));
    if (is_master(name)) {
      world_.master(name).held_up(late);
    } else {
      world_.host(name).held_up(late);
    }
  } else if (verb == "meets") {
    for (const std::string& peer : words.rest()) {
      world_.at_master(name, master::PeerConnected{master_of(peer)});
    }
  } else if (verb == "expects") {
    lock::MeshHello hello;
    for (const std::string& each : words.rest()) hello.workers.emplace_back(each);
    world_.at_master(name, master::PeerSaid{MasterId{9}, lock::MeshMessage{std::move(hello)}});
  } else if (verb == "untold") {
    const std::string group = words.take("the group");
    world_.machine(name).untold[GroupKey{group}] = words.take_or("");
  } else if (verb == "places") {  // 3, or no-limit
    worker::PlacesChanged change;
    const auto started = words.key("started");
    change.started = started ? RoomNumber{small(number_of(*started))} : world_.newest_started(name);
    if (!words.flag("no-limit")) change.places = small(number_of(words.take("how many")));
    world_.at_worker(name, change);
  } else if (verb == "arrives" || verb == "leaves") {
    player(name, verb, words);
  } else if (is_master(name) && (verb == "connects" || verb == "goes")) {  // a played master
    const std::string worker = words.take_or("w1");
    verb == "connects" ? world_.connect(name, worker, {}) : world_.cut(name, worker);
  } else {
    played_worker(name, verb, words);
  }
}

void Commands::played_worker(const std::string& name, const std::string& verb, Words& words) {
  require(verb == "connects" || verb == "appears" || verb == "goes", "no such command: " + verb);
  const std::string master = master_in(words);
  if (verb == "goes") {
    world_.cut(master, name);
    return;
  }
  world_.connect(master, name, Incarnation{words.number("run", 1)});
  if (verb == "appears") return;
  std::string state = "WorkerState";
  for (const std::string& each : words.rest()) state += " " + each;
  Words said{state};
  world_.say(name, master, said);
}

void Commands::player(const std::string& name, const std::string& verb, Words& words) {
  const auto [worker, room] = [&] {
    if (!words.done()) return room_of(words.take(""));
    require(world_.seat_of.contains(name), name + " has no seat");
    const RoomId& seat = world_.seat_of.at(name);
    return std::pair{seat.worker.text(), seat.number};
  }();
  const PlayerId player{name};
  if (verb == "arrives") {
    world_.at_worker(worker, worker::PlayerArrived{room, player, ++questions_});
  } else {
    world_.at_worker(worker, worker::PlayerLeft{room, player});
  }
}

}  // namespace fixkeep::scenarios
