// Everything that makes one run different from another. All of it is drawn from the seed, and all
// of it is printed when a run fails.
//
// Thread rule: values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "master/core/master_core.hpp"
#include "tests/sim/busy_options.hpp"
#include "tests/sim/fault_options.hpp"
#include "tests/sim/network.hpp"

namespace fixkeep::sim {

enum class Arrival : std::uint8_t {
  burst,    // everybody within a few milliseconds
  poisson,  // one after another, at random
  churn,    // as poisson, and players leave again
};

// How one master is configured, or one worker. A cluster may be in the middle of a change.
struct MasterConfig {
  Duration lock_lease{};
  Duration worker_reply{2'000'000};
  std::uint32_t spawn_attempts = 3;
};
struct WorkerConfig {
  Duration reservation{};
  Duration boot_most{};
  std::uint32_t room_limit = 0;
  std::vector<ModeName> modes;
};

// Which promises are judged, beyond those that always are. Each can be left out by its name.
struct Checks {
  bool admission = true;     // a seat that was answered admits its player
  bool exact_expiry = true;  // to the very end of what the answer says
  bool tokens = true;        // each belongs to one hold, and they grow over forgetting
  bool creations = true;     // a creation id makes one room
  bool fences = true;        // rooms born after a grant count where the fence must have reached
  bool scarcity = true;   // whoever keeps asking is seated in the end, however few rooms there are
  bool sleepers = true;   // no group waits while a worker that knows its mode has headroom
  bool unclaimed = true;  // a room that starts for nobody ends
  bool ghosts = true;     // no seat is kept for a player who was never told of it
  // Where machines are merely busy:
  bool left_out = true;  // no link ends, and no worker is left out
  bool patience = true;  // no game is ended since it is late

  // False if there is no such check.
  bool leave_out(std::string_view name);
};

struct Options {
  std::uint64_t seed = 1;
  std::string strategy = "multiphase";
  lock::Quorum quorum = lock::Quorum::grid;
  master::Placement placement = master::Placement::roomiest;
  std::uint16_t masters = 3;
  std::uint32_t workers = 6;
  std::uint32_t zones = 2;
  std::uint32_t groups = 4;
  std::uint32_t players = 64;
  std::uint32_t capacity = 8;
  std::uint32_t room_limit = 1'000;  // of each worker
  Arrival arrival = Arrival::burst;
  Duration arrive_after{1'500'000};  // the masters and the workers meet first
  Duration arrive_within{20'000};    // burst: the width; else the length of the whole load
  std::uint32_t waves = 1;           // so many times somebody arrives
  Duration wave_gap{};               // from the begin of one wave to the begin of the next
  Duration faults_until{20'000'000};
  Duration boot_least{};
  Duration boot_most{1'000'000};
  Duration play_most{};  // zero: players stay
  Duration request_wait{30'000'000};
  Duration lock_wait{10'000'000};
  Duration lock_lease{5'000'000};  // at least shortest_lease()
  Duration reservation{15'000'000};
  Duration close_empty_after{10'000'000};
  Duration unwanted_after{1'000'000};
  Duration out_of_sight{};              // for how long masters wait for a worker that is gone
  Duration boot_pause_most{8'000'000};  // of a mode whose games fail to boot
  double parties = 0;                   // share of requests that are parties
  double hang_ups = 0;                  // share of clients that give up while they wait
  double never_claims = 0;              // share of clients that do not come to their seat
  double retries = 0;                   // share of waits that end in asking another master at once
  double rivals = 0;                    // share of clients that share a player with an earlier one
  double late_comers = 0;               // share of seats that are claimed only towards their end
  // A player who has left finds its seat for so long. Zero: it does not.
  Duration reconnect{};
  double comes_back = 0;  // share of those who leave that come back within that time
  double follows = 0;     // share of requests that are for the room in which somebody plays
  Newcomers newcomers = Newcomers::always;
  Duration newcomers_for{};   // see Admission::lasts
  double game_wants = 0;      // share of these games that first say which players they want
  double game_closes = 0;     // share of games that close their rooms to newcomers, and open them
  double no_backfill = 0;     // share of players that accept no running room
  double game_results = 0;    // share of games that say a result, several times
  std::uint32_t matches = 0;  // made elsewhere; their rooms are asked for by id
  bool batches = false;       // a node comes to what has arrived only a little later
  bool record_events = false;
  bool stops = false;            // drawn by draw_stops()
  std::uint32_t modes = 1;       // the groups take turns
  std::uint32_t warm_modes = 0;  // the first so many have warm rooms, as many as this rule wants:
  master::WarmRule warm;
  // One a node where they differ; empty where all are configured alike.
  std::vector<MasterConfig> master_configs;
  std::vector<WorkerConfig> worker_configs;
  NetworkOptions network;
  Faults faults;
  BusyOptions busy;
  Checks checks;
  // Of every mode; null: players of a group are all equal.
  std::shared_ptr<const master::plan::Rules> rules;

  // What a master's configuration demands: a node that vanished is noticed well within a lease.
  [[nodiscard]] Duration shortest_lease() const { return 2 * network.heartbeat_timeout; }
  // Two holders are a violation: where the masters are without faults, and with a lock that is safe
  // under every partition unless masters sleep for long.
  [[nodiscard]] bool exclusive() const;
  // Every grant of a group has a higher token than those before it, whatever was forgotten.
  [[nodiscard]] bool tokens_grow() const { return exclusive() && !faults.in_masters(); }
  // Rooms are counted exactly where nothing but the masters may fail and every seat is used.
  [[nodiscard]] bool counts_rooms() const;
  // Workers are stopped, for less than masters wait for them, and nothing else happens.
  [[nodiscard]] bool only_stops() const;
  [[nodiscard]] SimTime last_arrival() const {
    return arrive_after + wave_gap * (waves - 1) + arrive_within;
  }
  [[nodiscard]] bool ample() const;
  [[nodiscard]] bool refuses_backfill(const PlayerId& player) const;
  [[nodiscard]] std::uint32_t largest_party() const {
    return std::min(rules ? rules->party : capacity, 4U);
  }
  // By the rules somebody may be left whom nobody can play with.
  [[nodiscard]] bool leaves_some() const {
    return rules && (rules->teams || rules->size.least > 1);
  }
  [[nodiscard]] std::uint32_t most_warm() const { return warm_modes * warm.most; }
  [[nodiscard]] ModeName mode(std::uint32_t number) const;
  [[nodiscard]] ModeName mode_of(const GroupKey& group) const;
  [[nodiscard]] MasterConfig master_config(std::size_t index) const;
  [[nodiscard]] WorkerConfig worker_config(std::size_t index) const;
  [[nodiscard]] Duration longest_reservation() const;
  // For how long a seat may be taken that nobody sits on.
  [[nodiscard]] Duration longest_seat() const { return std::max(longest_reservation(), reconnect); }
  [[nodiscard]] Duration longest_boot() const;
  // How long a worker that is late may leave a question unanswered.
  [[nodiscard]] Duration longest_question() const {
    return busy.on() ? 2 * (busy.lag_most + network.delay_most) : Duration{};
  }
  // From the order to the game that is ready, however many others are started before it.
  [[nodiscard]] Duration longest_start() const;
  // Machines are busy, and nothing else ever happens to any node.
  [[nodiscard]] bool merely_busy() const { return busy.on() && !faults.any(); }
  // Until when nodes fail or are late.
  [[nodiscard]] SimTime troubles_until() const;
  // How long it may take, once the faults are over, until everybody who keeps asking has a seat.
  // `most_rivals`: see Clients.
  [[nodiscard]] Duration liveness_bound(std::size_t most_rivals) const;
  // How long a room may go on starting when all who had a seat in it have gone.
  [[nodiscard]] Duration unclaimed_bound() const {
    return unwanted_after + close_empty_after + 2 * busy.longest_lag();
  }
};

[[nodiscard]] Options draw_options(std::uint64_t seed);
// Nothing fails; machines are busy.
[[nodiscard]] Options draw_busy_options(std::uint64_t seed);
// Groups become pools, whose players differ by rating: everybody plays with everybody in the end.
[[nodiscard]] Options draw_pool_options(std::uint64_t seed);
// What the player who asks brings by these rules, and whom it avoids. Its party plays any role.
[[nodiscard]] std::string brings_of(const wire::Claim& claim, const master::plan::Rules& rules);
[[nodiscard]] std::vector<PlayerId> avoided_by(const PlayerId& player);
void write_brings(wire::Claim& claim, const master::plan::Rules& rules);
// As master::plan::Member::roles. `asks`: else it is of the party.
[[nodiscard]] std::uint8_t roles_of(const PlayerId& player, bool asks,
                                    const master::plan::Rules& rules);
// Workers are stopped often and for seconds, while players trickle in. In half of the runs nothing
// else happens, and rooms are counted.
void draw_stops(Options& drawn);
void draw_spells(Options& drawn);
void draw_returns(Options& drawn);
void draw_matches(Options& drawn);
void draw_newcomers(Options& drawn);
void draw_results(Options& drawn);
void draw_differences(Random& random, Options& drawn);
void draw_warm_rooms(Random& random, Options& drawn);
void describe_differences(std::ostream& out, const Options& options);
void describe_busy(std::ostream& out, const BusyOptions& busy);
[[nodiscard]] std::string describe(const Options& options);

}  // namespace fixkeep::sim
