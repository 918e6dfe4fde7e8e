// The workers of the simulated cluster: their journal, their end, and their next run.
#include <utility>
#include <variant>
#include <vector>

#include "tests/sim/cluster.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

void note_rooms(WorkerNode& worker) {
  std::vector<wire::RoomInfo> rooms = worker.core->rooms();
  if (rooms == worker.rooms) return;
  worker.rooms = std::move(rooms);
  ++worker.changes;
}

}  // namespace

void Cluster::tell(WorkerNode& worker, worker::Event event) {
  // Where its process is, whether it is ready or has ended, and whether it wants newcomers, the
  // next run sees for itself.
  const bool is_seen = std::holds_alternative<worker::RoomPlaced>(event) ||
                       std::holds_alternative<worker::ProcessReady>(event) ||
                       std::holds_alternative<worker::NewcomersDecided>(event) ||
                       std::holds_alternative<worker::ProcessExited>(event);
  if (worker.killed && !is_seen) worker.missed.push_back(event);
  worker.inbox.deliver(
      [this, &worker, event = std::move(event)]() mutable { arrive(worker, std::move(event)); });
}

void Cluster::step(WorkerNode& worker, worker::Event event) {
  if (trace_.on()) trace_.line(scheduler_.now(), worker.id.text(), describe(event));
  // Most events are such signs. What they change, the end of their batch shows.
  const bool is_sign_of_life = std::holds_alternative<worker::GameHealthy>(event);
  worker::Actions actions;
  watcher_.worker_takes(worker, event);
  worker.core->step(std::move(event), worker.clock.at(scheduler_.now()), actions);
  if (!is_sign_of_life) note_rooms(worker);
  watcher_.worker_stepped(worker, actions);
  for (worker::Action& action : actions) {
    if (trace_.on()) trace_.line(scheduler_.now(), worker.id.text(), "  " + describe(action));
    const auto* const send = std::get_if<worker::SendToMaster>(&action);
    const auto link = send == nullptr
                          ? net::LinkNumber::none
                          : worker.queue.links().of(net::Role::master, to_string(send->master));
    worker.wanted.push_back({std::move(action), link});
  }
}

// The journal first, then what is wanted: as the shell does it.
void Cluster::end_batch(WorkerNode& worker) {
  step(worker, worker::BatchEnded{});
  watcher_.worker_batch_ended(worker);
  for (const worker::Record& record : worker.core->take_records()) worker.memory.apply(record);
  std::vector<Wanted> wanted = std::exchange(worker.wanted, {});
  const bool within_another = std::exchange(worker.performs, true);
  for (Wanted& each : wanted) {
    if (worker.dies_after && (*worker.dies_after)-- == 0) {
      worker.performs = false;
      return die(worker);
    }
    perform(worker, each);
  }
  worker.performs = within_another;
  // What is wanted may be answered at once, in a batch within this one. Results come after both.
  if (within_another || !worker.core || !worker.core->has_new_results()) return;
  worker::Actions answers;
  worker.core->results_written(true, answers);
  for (worker::Action& answer : answers) worker.wanted.push_back({std::move(answer), {}});
  end_batch(worker);
}

// --- a worker that is killed, and its next run ---------------------------------------------------

void Cluster::kill_worker(std::size_t index, std::uint64_t actions) {
  WorkerNode& worker = *workers_[index];
  if (!worker.inbox.responsive()) return;
  worker.dies_after = actions;
  constexpr Duration moment{20'000};
  scheduler_.after(moment, [this, &worker, run = worker.incarnation] {
    if (run != worker.incarnation || !worker.dies_after || !worker.core) return;
    die(worker);
  });
}

void Cluster::die(WorkerNode& worker) {
  trace_.line(scheduler_.now(), worker.id.text(), "KILLED");
  // What games have said and nobody has heard they say again.
  const auto say_again = [&](worker::Event&& event) {
    if (std::holds_alternative<worker::PlayerLeft>(event)) {
      worker.missed.push_back(std::move(event));
    }
  };
  worker.queue.run(say_again);
  for (auto& [event, change] : worker.backlog.waiting) say_again(std::move(event));
  worker.backlog = {};
  forget_starts(worker);
  worker.killed = true;
  worker.inbox.crash();
  network_.node_crashed(worker.node);
  worker.core.reset();
  watcher_.worker_killed(worker);
}

void Cluster::go_on(WorkerNode& worker) {
  step(worker, worker::Recovered{.memory = worker.memory});
  (void)worker.core->take_records();
  worker.memory = {};
  for (const worker::Record& record : worker.core->snapshot()) worker.memory.apply(record);
  end_batch(worker);
  for (worker::Event& event : std::exchange(worker.missed, {})) tell(worker, std::move(event));
}

void Cluster::find_process(WorkerNode& worker, const worker::AdoptProcess& adopt) {
  const RoomNumber room = adopt.as.room;
  const auto found = worker.processes.find(room);
  if (found == worker.processes.end()) {
    tell(worker, worker::ProcessExited{room, "ended meanwhile"});
    return;
  }
  found->second.group = adopt.as.group;
  tell(worker, worker::RoomPlaced{room, place_of(room)});
  if (found->second.ready && !adopt.open) tell(worker, worker::ProcessReady{room});
  const NewcomersWord word = found->second.word;
  if (word != NewcomersWord::none) tell(worker, worker::NewcomersDecided{room, word});
  const auto& wants = found->second.wants;
  if (wants) tell(worker, worker::NewcomersDecided{.room = room, .wants = wants});
}

void Cluster::perform(WorkerNode& worker, Wanted& wanted) {
  worker::Action& action = wanted.action;
  if (const auto* send = std::get_if<worker::SendToMaster>(&action)) {
    network_.send(worker.node, master(send->master).node, wanted.link, send->message);
  } else if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
    start_process(worker, *start);
  } else if (const auto* adopt = std::get_if<worker::AdoptProcess>(&action)) {
    find_process(worker, *adopt);
  } else if (const auto* given = std::get_if<worker::RoomGiven>(&action)) {
    // It may have ended just now, and the worker has yet to hear of it.
    const auto process = worker.processes.find(given->room);
    if (process != worker.processes.end()) process->second.group = given->group;
  } else if (const auto* signal = std::get_if<worker::SignalProcess>(&action)) {
    // Some games do not listen to SIGTERM.
    if (random_.chance(0.9)) {
      end_process(worker, signal->room, Duration{random_.between(1'000, 300'000)}, "exit code 0",
                  Ending::ordered);
    }
  } else if (const auto* kill = std::get_if<worker::KillProcess>(&action)) {
    end_process(worker, kill->room, Duration{random_.between(500, 10'000)}, "signal 9",
                kill->silence ? Ending::crashed : Ending::ordered);
  } else if (const auto* look = std::get_if<worker::LookAtGame>(&action)) {
    tell(worker,
         worker::GameSeen{.room = look->room, .waited = waited_for_processor(worker, look->room)});
  } else if (const auto* admit = std::get_if<worker::AdmitPlayer>(&action)) {
    watcher_.admitted(worker, admit->question, admit->admitted);
  } else if (const auto* answer = std::get_if<worker::AnswerResult>(&action)) {
    watcher_.result_answered(worker, *answer);
  }
}

}  // namespace fixkeep::sim
