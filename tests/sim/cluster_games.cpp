// The game processes that the workers of the simulated cluster start.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tests/sim/cluster.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

constexpr const char* no_port = "no port is free";

}  // namespace

void Cluster::start_process(WorkerNode& worker, const worker::StartProcess& start) {
  worker.processes[start.room] = Process{start.group, false};
  worker.newest_start = start.room;
  tell_places(worker);
  // Some are placed before their turn has come, others while they boot.
  if (start.room.number() % 3 != 0) place(worker, start.room, Duration{0});
  if (!options_.busy.on()) return boot(worker, start.room);
  worker.starts.queued.push_back(start.room);
  start_next(worker);
}

// Only so many at a time. What was to start and has been ended meanwhile takes no time.
void Cluster::start_next(WorkerNode& worker) {
  Starts& starts = worker.starts;
  while (starts.under_way.size() < options_.busy.starts && !starts.queued.empty()) {
    const RoomNumber room = starts.queued.front();
    starts.queued.pop_front();
    if (!worker.processes.contains(room)) continue;
    starts.under_way.insert(room);
    const Duration takes = machines_.start_time(worker.node);
    scheduler_.after(takes, [this, &worker, room, life = starts.life] {
      if (life != worker.starts.life) return;
      worker.starts.under_way.erase(room);
      if (worker.processes.contains(room)) boot(worker, room);
      start_next(worker);
    });
  }
}

// Who would have carried them out is gone.
void Cluster::forget_starts(WorkerNode& worker) {
  for (const RoomNumber room : worker.starts.queued) worker.processes.erase(room);
  for (const RoomNumber room : worker.starts.under_way) worker.processes.erase(room);
  worker.starts = Starts{.queued = {}, .under_way = {}, .life = worker.starts.life + 1};
}

void Cluster::boot(WorkerNode& worker, RoomNumber room) {
  if (options_.busy.on()) tell(worker, worker::ProcessBegun{room});
  const Faults& faults = options_.faults;
  const Duration boot_most = options_.worker_config(worker.index).boot_most;
  const Duration unhurried{random_.between(options_.boot_least.count(), boot_most.count())};
  const Duration boot = machines_.boot_time(worker.node, unhurried);
  place(worker, room, boot / 2);
  if (!faults_over_ && random_.chance(faults.port_taken)) {
    end_process(worker, room, Duration{5'000}, room.number() % 2 == 0 ? no_port : "address in use");
  } else if (!faults_over_ && random_.chance(faults.boot_failure)) {
    end_process(worker, room, boot, "exit code 3");
  } else {
    const bool silent =
        !faults_over_ && faults.game_silence > 0 && random_.chance(faults.game_silence);
    scheduler_.after(boot, [this, &worker, room, silent, run = worker.incarnation] {
      if (run != worker.incarnation) return;
      const auto found = worker.processes.find(room);
      if (found == worker.processes.end()) return;
      found->second.ready = true;
      if (silent) tell(worker, worker::GameHealthy{room});
      tell(worker, worker::ProcessReady{room});
      const bool closes = options_.game_closes > 0 && random_.chance(options_.game_closes);
      if (closes) decide_newcomers(worker, room, 0);
      if (results_random_.chance(options_.game_results)) say_result(worker, room, 0);
      if (!silent && options_.busy.health_every.count() > 0) say_healthy(worker, room);
    });
    if (!faults_over_ && random_.chance(faults.game_crash)) {
      end_process(worker, room, boot + Duration{random_.between(0, 10'000'000)}, "signal 11");
    }
  }
}

// A healer, a player of the first team, or just a player.
Wants Cluster::some_wants() {
  Wants wants{{.team = {}, .role = {}, .players = 1}};
  if (!options_.rules) return wants;
  if (options_.rules->teams && random_.chance(0.5)) wants[0].team = "1";
  if (!options_.rules->roles.empty() && random_.chance(0.5)) wants[0].role = "healer";
  if (random_.chance(0.3)) wants.push_back({.team = {}, .role = {}, .players = 1});
  return wants;
}

// A game may say which players it wants. It closes its room, may open it again, and so on.
void Cluster::decide_newcomers(WorkerNode& worker, RoomNumber room, std::uint32_t decided) {
  constexpr std::uint32_t most_decisions = 4;
  if (decided == most_decisions || (decided > 0 && options_.rules)) return;
  scheduler_.after(Duration{random_.between(10'000, 6'000'000)}, [this, &worker, room, decided,
                                                                  run = worker.incarnation] {
    if (run != worker.incarnation) return;
    const auto found = worker.processes.find(room);
    if (found == worker.processes.end()) return;
    const bool wants =
        decided == 0 && options_.game_wants > 0 && random_.chance(options_.game_wants);
    if (wants || found->second.wants) {
      found->second.wants = wants ? some_wants() : Wants{};
      tell(worker, worker::NewcomersDecided{.room = room, .wants = found->second.wants});
      if (!options_.rules) decide_newcomers(worker, room, decided + 1);
      return;
    }
    const bool closes = decided % 2 == 0;
    found->second.word = closes ? NewcomersWord::closed : NewcomersWord::open;
    tell(worker, worker::NewcomersDecided{room, found->second.word});
    decide_newcomers(worker, room, decided + 1);
  });
}

// A game says a result up to four times, not always the same, without waiting for an answer.
void Cluster::say_result(WorkerNode& worker, RoomNumber room, std::uint32_t said) {
  constexpr std::uint32_t most_calls = 4;
  if (said == most_calls) return;
  scheduler_.after(Duration{results_random_.between(0, 3'000'000)}, [this, &worker, room, said,
                                                                     run = worker.incarnation] {
    if (run != worker.incarnation || !worker.processes.contains(room)) return;
    const std::string value = results_random_.chance(0.7) ? "1" : "2";
    tell(worker, worker::ResultSaid{.room = room, .value = value, .question = ++results_said_});
    say_result(worker, room, said + 1);
  });
}

// A machine has room for as many games as its worker may have, and knows of those that it was told
// to start by then.
void Cluster::tell_places(WorkerNode& worker) {
  scheduler_.after(Duration{0}, [this, &worker, run = worker.incarnation] {
    if (run != worker.incarnation || !worker.core) return;
    const std::uint32_t limit = options_.worker_config(worker.index).room_limit;
    const auto taken = static_cast<std::uint32_t>(worker.processes.size());
    tell(worker, worker::PlacesChanged{limit - std::min(limit, taken), worker.newest_start});
  });
}

void Cluster::place(WorkerNode& worker, RoomNumber room, Duration delay) {
  scheduler_.after(delay, [this, &worker, room, run = worker.incarnation] {
    if (run != worker.incarnation || !worker.processes.contains(room)) return;
    tell(worker, worker::RoomPlaced{room, place_of(room)});
  });
}

// Again and again, for as long as the game runs. What a worker that is gone does not hear is lost.
void Cluster::say_healthy(WorkerNode& worker, RoomNumber room) {
  const auto found = worker.processes.find(room);
  if (found == worker.processes.end()) return;
  found->second.waited = waited_for_processor(worker, room);
  found->second.waits_from = scheduler_.now() + machines_.health_every();
  if (worker.core) tell(worker, worker::GameHealthy{room});
  scheduler_.after(machines_.health_every() + machines_.health_lag(worker.node),
                   [this, &worker, room, run = worker.incarnation] {
                     if (run == worker.incarnation) say_healthy(worker, room);
                   });
}

Duration Cluster::waited_for_processor(const WorkerNode& worker, RoomNumber room) const {
  const auto found = worker.processes.find(room);
  if (found == worker.processes.end()) return {};
  const Process& process = found->second;
  return process.waited + std::max(Duration{}, scheduler_.now() - process.waits_from);
}

void Cluster::end_process(WorkerNode& worker, RoomNumber room, Duration delay, const char* how,
                          Ending ending) {
  scheduler_.after(delay, [this, &worker, room, how, ending, run = worker.incarnation] {
    if (run != worker.incarnation || worker.processes.erase(room) == 0) return;
    watcher_.process_ended(worker, room, ending);
    tell(worker, worker::ProcessExited{room, how, std::string_view{how} == no_port});
    tell_places(worker);
  });
}

}  // namespace fixkeep::sim
