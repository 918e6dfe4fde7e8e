#include "tests/sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "common/base/percentiles.hpp"
#include "master/core/directory/directory.hpp"
#include "tests/sim/faults.hpp"

namespace fixkeep::sim {
namespace {

// Clients hang up and ask elsewhere within this time; after it they only wait.
constexpr Duration time_to_turn_away{4'000'000};
// Too many warm rooms are closed, and missing ones are made, within this time of the last change.
constexpr Duration pools_rest{20'000'000};
// A claim that can be matched has its seat, from asking again after a refusal to its answer.
constexpr Duration longest_on_its_way{15'000'000};
// Links are up again, and what masters have lost sight of is given back, within this time.
constexpr Duration time_to_give_back{3'000'000};

}  // namespace

Simulation::Simulation(Options options, Trace::Mode trace)
    : options_(std::move(options)),
      random_(options_.seed ^ 0x5eed5eed5eed5eedU),
      trace_(trace),
      clients_(options_, scheduler_, random_, cluster_address_),
      invariants_(options_, scheduler_, cluster_address_, clients_),
      headroom_(options_, cluster_address_),
      busy_(options_, scheduler_, cluster_address_),
      pools_(options_, scheduler_, cluster_address_),
      ghosts_(scheduler_, cluster_address_),
      lineups_(options_),
      newcomers_(options_, scheduler_, cluster_address_),
      matches_(options_, scheduler_, cluster_address_),
      cluster_(new Cluster(options_, scheduler_, random_, trace_, *this)) {
  cluster_address_ = cluster_.get();
  faults_ = std::make_unique<FaultPlan>(options_, scheduler_, Random{random_.next()}, *cluster_);
}

Simulation::~Simulation() = default;

void Simulation::when(std::function<bool()> condition, Job job) {
  watches_.push_back({std::move(condition), std::move(job)});
}

void Simulation::run_watches() {
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    if (!watches_[i].condition()) continue;
    const Job job = std::move(watches_[i].job);
    watches_.erase(watches_.begin() + static_cast<std::ptrdiff_t>(i));
    job();
    return;
  }
}

void Simulation::run_until(SimTime time, const std::function<bool()>& done) {
  constexpr std::uint64_t between_checks = 256;
  while (!scheduler_.empty() && scheduler_.next_time() <= time) {
    scheduler_.run_next();
    if (!watches_.empty()) run_watches();
    if (scheduler_.steps() % between_checks == 0) clients_.check_deadlines();
    if (done && done()) return;
  }
  scheduler_.advance_to(time);
  clients_.check_deadlines();
}

// --- the run ------------------------------------------------------------------------------------

Outcome Simulation::run() {
  Outcome outcome;
  try {
    cluster_->start();
    clients_.start();
    matches_.start();
    faults_->start();
    if (!options_.faults.any() && !options_.busy.on() && watches_.empty()) {
      headroom_.faults_are_over(SimTime{});
    }
    look_again();
    live();
    come_to_rest();
    judge_end();
  } catch (const Violation& violation) {
    outcome.verdict = violation.verdict();
    outcome.what = violation.what();
  }
  fill(outcome);
  return outcome;
}

// What only time can break is looked at every second.
void Simulation::look_again() {
  scheduler_.after(Duration{1'000'000}, [this] {
    invariants_.time_passed();
    newcomers_.time_passed();
    headroom_.check(clients_.pending(), scheduler_.now());
    look_again();
  });
}

void Simulation::live() {
  const bool restless = options_.retries > 0 || options_.hang_ups > 0;
  const SimTime arrived = options_.last_arrival() + (restless ? time_to_turn_away : Duration{});
  const SimTime scripted = watches_.empty() ? SimTime{} : options_.faults_until;
  run_until(std::max({arrived, scripted, options_.troubles_until()}), {});
}

void Simulation::come_to_rest() {
  trace_.line(scheduler_.now(), "--", "FAULTS ARE OVER");
  cluster_->end_faults();
  headroom_.faults_are_over(scheduler_.now());
  clients_.stop_hanging_up();
  matches_.ask_once_more();
  const auto at_rest = [this] { return clients_.at_rest() && matches_.at_rest(); };
  run_until(scheduler_.now() + options_.liveness_bound(clients_.most_rivals()), at_rest);
  part_with_those_left();
  if (judged_live() && !clients_.at_rest()) {
    for (const Player& player : clients_.players()) {
      if (player.state == PlayerState::playing || player.state == PlayerState::gone) continue;
      throw Violation::liveness(fmt::format("{} of {} still has no seat; state {}, attempt {}",
                                            player.claim.player.text(), player.group.text(),
                                            static_cast<int>(player.state), player.attempt));
    }
  }
  judge_ghosts();
  // Reservations lapse, players leave, empty rooms close, processes end, news arrives.
  const Duration rest = options_.longest_seat() + options_.play_most + options_.close_empty_after +
                        options_.longest_start() + Duration{20'000'000} +
                        (options_.warm_modes > 0 ? pools_rest : Duration{});
  run_until(scheduler_.now() + rest, {});
  part_with_those_left();
}

// Some come back later, whose room has ended since.
void Simulation::part_with_those_left() {
  constexpr int most_times = 4;
  for (int i = 0; i < most_times && options_.leaves_some() && !clients_.at_rest(); ++i) part();
}

// Nobody can play with them; and what could be a room now, but not a while ago, is on its way.
void Simulation::part() {
  const std::set<std::string> before = pools_.could_play(clients_.unserved());
  run_until(scheduler_.now() + longest_on_its_way, {});
  for (const std::string& who : pools_.could_play(clients_.unserved())) {
    if (!options_.ample() || !before.contains(who)) continue;
    throw Violation::liveness("J5: " + who);
  }
  clients_.give_up_unserved();
  run_until(scheduler_.now() + options_.request_wait, {});
}

void Simulation::judge_end() {
  judge_directories();
  matches_.judge_end();
  results_.judge_end();
  if (judged_live()) invariants_.warm().judge_end();
  if (!judged_live()) return;  // whoever finds no room asks for ever, and nothing comes to rest
  judge_seats();
  judge_rooms();
  const bool impatient = options_.busy.on() && !options_.busy.patient;
  if (options_.ample() && !options_.faults.any() && !impatient && watches_.empty() &&
      !options_.leaves_some() && clients_.refusals() > 0) {
    throw Violation::liveness(
        fmt::format("{} requests were refused although nothing failed", clients_.refusals()));
  }
}

void Simulation::judge_seats() {
  const std::size_t playing = clients_.present();
  std::size_t occupied = 0;
  for (const auto& worker : cluster_->workers()) {
    std::size_t rooms = 0;
    for (const wire::RoomInfo& room : worker->rooms) {
      ++rooms;
      if (wire::is_warm_pool(room.group)) continue;
      occupied += room.occupied;
      const std::string name = fmt::format("{} #{}", worker->id.text(), room.number.number());
      if (room.occupied != room.players.size()) throw Violation::safety(name + " leaks seats");
      if (room.players.empty()) throw Violation::liveness(name + " is empty and not closed");
    }
    if (rooms != worker->processes.size()) {
      throw Violation::safety(worker->id.text() + " has orphaned game processes");
    }
  }
  if (occupied != playing) {
    throw Violation::safety(fmt::format("{} seats are occupied by {} players", occupied, playing));
  }
}

void Simulation::judge_ghosts() {
  if (!options_.checks.ghosts) return;
  const SimTime rest = scheduler_.now();
  run_until(rest + time_to_give_back, {});
  const std::string ghost = ghosts_.ghost(rest);
  if (!ghost.empty()) throw Violation::safety(ghost);
}

void Simulation::judge_directories() {
  for (const auto& master : cluster_->masters()) {
    const std::string name = to_string(master->id);
    if (!master->core->joined()) throw Violation::liveness(name + " has not joined");
    if (judged_live() && master->core->waiting() != 0) {
      throw Violation::liveness(name + " still has requests waiting");
    }
    for (const auto& worker : cluster_->workers()) {
      const master::Worker* const known = master->core->directory().find(worker->id);
      const std::string belief = name + " about " + worker->id.text() + ": ";
      if (known == nullptr || !known->known || known->incarnation != worker->incarnation) {
        throw Violation::liveness(belief + "does not know it");
      }
      const auto& rooms = worker->rooms;
      if (rooms.size() != known->rooms.size()) {
        throw Violation::liveness(
            fmt::format("{}{} rooms, not {}", belief, known->rooms.size(), rooms.size()));
      }
      if (known->headroom != worker->core->headroom()) {
        throw Violation::liveness(belief + "wrong headroom");
      }
      if (known->paused.size() != worker->core->paused_modes().size()) {
        throw Violation::liveness(belief + "wrong paused modes");
      }
      for (const wire::RoomInfo& room : rooms) {
        const auto found = known->rooms.find(room.number);
        const std::string which = fmt::format("{}room #{}", belief, room.number.number());
        if (found == known->rooms.end()) throw Violation::liveness(which + " is unknown");
        const master::Room& believed = found->second;
        if (believed.group != room.group) {
          throw Violation::liveness(which + " is believed to be of " + believed.group.text() +
                                    ", not of " + room.group.text());
        }
        if (believed.wants != room.wants) {
          throw Violation::liveness(which + " is believed to want other players");
        }
        if (believed.stage != room.stage) {
          throw Violation::liveness(fmt::format("{} is believed to be in stage {}, not {}", which,
                                                static_cast<int>(believed.stage),
                                                static_cast<int>(room.stage)));
        }
        if (believed.phase != room.phase || believed.occupied != room.occupied ||
            believed.players.size() != room.players.size() || believed.provisional) {
          throw Violation::liveness(fmt::format(
              "{} differs from the truth: seats {} not {}, occupied {} not {}, phase {} not {}{}",
              which, believed.players.size(), room.players.size(), believed.occupied, room.occupied,
              static_cast<int>(believed.phase), static_cast<int>(room.phase),
              believed.provisional ? ", provisional" : ""));
        }
      }
    }
  }
}

void Simulation::judge_rooms() {
  if (!options_.counts_rooms() || options_.strategy == "none" || options_.rules) return;
  for (const auto& master : cluster_->masters()) {  // which does not wait for who comes and goes
    const auto& stays = master->core->counters().quarantines;
    if (stays.at(static_cast<std::size_t>(master::Misdeed::comes_and_goes)) > 0) return;
  }
  std::map<GroupKey, std::uint32_t> players;
  for (const Player& player : clients_.players()) ++players[player.group];
  for (const auto& [group, count] : players) {
    const std::uint32_t ideal = (count + options_.capacity - 1) / options_.capacity;
    const std::uint32_t made = invariants_.groups().at(group).rooms;
    if (made == ideal) continue;
    throw Violation::safety(
        fmt::format("{}: {} rooms for {} players, not {}", group.text(), made, count, ideal));
  }
}

void Simulation::fill(Outcome& outcome) {
  std::map<GroupKey, std::uint32_t> players;
  for (const Player& player : clients_.players()) {
    ++players[player.group];
    if (player.seated_once) ++outcome.seated;
  }
  for (const auto& [group, count] : players) {
    outcome.ideal_rooms += (count + options_.capacity - 1) / options_.capacity;
  }
  for (const auto& [group, statistics] : invariants_.groups()) {
    if (wire::is_warm_pool(group)) continue;
    outcome.rooms += statistics.rooms;
    outcome.longest_overtaking =
        std::max(outcome.longest_overtaking, statistics.longest_overtaking);
    std::vector<std::uint64_t> shares;
    for (const auto& [master, grants] : statistics.grants_of) shares.push_back(grants);
    const double fairness = jain_index(shares);
    if (fairness > 0) outcome.fairness = std::min(outcome.fairness, fairness);
  }
  outcome.waits = clients_.waits();
  outcome.refusals = clients_.refusals();
  outcome.orders_refused = orders_refused_;
  outcome.orders_sent = invariants_.orders_sent();
  outcome.events = scheduler_.steps();
  outcome.messages = cluster_->network().messages();
  outcome.simulated = scheduler_.now();
}

// --- what the cluster tells ---------------------------------------------------------------------

void Simulation::master_takes(MasterNode& master, const master::Event& event) {
  if (truth_ != nullptr) truth_->master_takes(master, event, scheduler_.now());
  busy_.master_takes(master, event);
  ghosts_.master_takes(master, event);
  if (options_.rules) pools_.master_takes(master, event);
}
void Simulation::master_stepped(MasterNode& master, const master::Actions& actions) {
  if (truth_ != nullptr) truth_->master_stepped(master, actions, scheduler_.now());
  busy_.master_stepped(master, actions);
  invariants_.master_stepped(master, actions);
  results_.master_stepped(master, actions);
  matches_.master_stepped(master, actions);
  if (options_.rules && options_.strategy != "none") pools_.master_stepped(master, actions);
}
void Simulation::worker_stepped(WorkerNode& worker, const worker::Actions& actions) {
  if (truth_ != nullptr) truth_->worker_stepped(worker, scheduler_.now());
  busy_.worker_stepped(worker, actions);
  const bool changed = invariants_.worker_stepped(worker, actions);
  headroom_.worker_stepped(worker, scheduler_.now());
  const bool judged = options_.rules && options_.strategy != "none";
  if (changed && judged) pools_.worker_stepped(worker);
  clients_.worker_stepped(worker, actions);
  matches_.worker_stepped(worker, actions);
  ghosts_.worker_stepped(worker, actions);
  if (options_.rules) lineups_.worker_stepped(worker, actions);
  for (const worker::Action& action : actions) {
    const auto* const send = std::get_if<worker::SendToMaster>(&action);
    if (send == nullptr) continue;
    const auto* const reply = std::get_if<wire::SpawnReply>(&send->message);
    if (reply != nullptr && reply->outcome == wire::SpawnOutcome::stale_token) ++orders_refused_;
  }
}
void Simulation::worker_takes(WorkerNode& worker, const worker::Event& event) {
  newcomers_.worker_takes(worker, event);
  results_.worker_takes(worker, event);
}

void Simulation::worker_batch_ended(WorkerNode& worker) {
  newcomers_.worker_batch_ended(worker);
  if (options_.rules) lineups_.worker_batch_ended(worker);
}
void Simulation::seated(MasterNode& master, const master::Seated& seated) {
  ghosts_.answered(seated);
  if (options_.rules) lineups_.answered(seated);
  if (matches_.seated(master, seated)) return;
  clients_.seated(master, seated);
}
void Simulation::refused(MasterNode& master, const master::Refused& refused) {
  if (matches_.refused(master, refused)) return;
  clients_.refused(master, refused);
}
void Simulation::admitted(WorkerNode& worker, std::uint64_t question, bool admitted) {
  clients_.admitted(worker, question, admitted);
}
void Simulation::process_ended(WorkerNode& worker, RoomNumber room, Ending ending) {
  clients_.process_ended(worker, room, ending);
}
void Simulation::master_crashed(MasterNode& master) {
  invariants_.master_crashed(master);
  ghosts_.master_crashed(master);
  clients_.master_crashed(master);
}
void Simulation::worker_crashed(WorkerNode& worker) {
  invariants_.worker_crashed(worker);
  headroom_.worker_crashed(worker);
  pools_.worker_crashed(worker);
  matches_.worker_crashed(worker);
  clients_.worker_crashed(worker);
}

void Simulation::worker_killed(WorkerNode& worker) {
  invariants_.worker_killed(worker);
  newcomers_.worker_killed(worker);
  headroom_.worker_crashed(worker);
  clients_.worker_killed(worker);
}

Duration Outcome::slowest_seat() const {
  return waits.empty() ? Duration{} : *std::max_element(waits.begin(), waits.end());
}

// --- runs and their reports ---------------------------------------------------------------------

Outcome simulate(const Options& options) {
  Outcome outcome = Simulation{options}.run();
  if (outcome.verdict == Verdict::good) return outcome;
  Simulation again{options, Trace::Mode::keep};
  (void)again.run();
  std::ostringstream report;
  for (const std::string& line : again.trace().lines()) report << line << '\n';
  report << describe(options) << '\n'
         << (outcome.verdict == Verdict::safety_failed ? "SAFETY: " : "LIVENESS: ") << outcome.what
         << "\nreplay with: fixkeep-sim --seed " << options.seed << " --strategy "
         << options.strategy << " --quorum " << to_string(options.quorum)
         << (options.busy.by_itself ? " --busy"
             : options.rules        ? " --pool"
                                    : "")
         << (options.stops ? " --stops" : "") << " --trace";
  outcome.what = report.str();
  return outcome;
}

}  // namespace fixkeep::sim
