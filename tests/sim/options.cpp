#include "tests/sim/options.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace fixkeep::sim {
namespace {

constexpr std::int64_t second = 1'000'000;

// Groups come back after a quiet that is longer than masters remember them, or even workers.
void draw_waves(Random& random, Options& drawn) {
  if (!random.chance(0.15)) return;
  drawn.waves = static_cast<std::uint32_t>(random.between(2, 3));
  const bool long_quiet = random.chance(0.2);
  drawn.wave_gap = drawn.arrive_within + (long_quiet ? seconds_between(random, 640, 700)
                                                     : seconds_between(random, 70, 120));
  if (drawn.play_most.count() == 0) drawn.play_most = seconds_between(random, 1, 6);
  if (random.chance(0.5)) {
    const Duration quiet = drawn.wave_gap - drawn.arrive_within;
    drawn.faults.restart_all_at = drawn.arrive_after + drawn.wave_gap -
                                  Duration{random.between(12 * second, quiet.count() / 2)};
  }
  if (!long_quiet && random.chance(0.5)) drawn.faults_until = drawn.last_arrival();
}

}  // namespace

// From a generator of its own, so that a seed without them is what it was before there were any.
void draw_returns(Options& drawn) {
  Random random{drawn.seed ^ 0x2e2e2e2e2e2eU};
  const bool leave = drawn.play_most.count() > 0;
  if (leave && random.chance(0.35)) {
    drawn.reconnect = seconds_between(random, 3, 30);
    drawn.comes_back = 0.2 + random.unit() * 0.6;
  }
  if (drawn.arrival != Arrival::burst && random.chance(0.3)) drawn.follows = random.unit() * 0.6;
}

void draw_matches(Options& drawn) {
  Random random{drawn.seed ^ 0x4d415443U};
  const bool plenty = drawn.room_limit >= 1'000 && drawn.master_configs.empty();
  if (plenty && random.chance(0.4)) drawn.matches = 1 + static_cast<std::uint32_t>(random.below(5));
}

// A player who finds a room closed needs another room.
void draw_newcomers(Options& drawn) {
  Random random{drawn.seed ^ 0x4e455743U};
  if (!drawn.ample() || !random.chance(0.4)) return;
  drawn.newcomers = static_cast<Newcomers>(random.below(3));
  const bool closes = drawn.newcomers != Newcomers::never || random.chance(0.3);
  if (random.chance(0.3)) drawn.newcomers_for = seconds_between(random, 1, 10);
  if (closes && random.chance(0.5)) drawn.game_wants = 0.5;
  if (closes) drawn.game_closes = 0.2 + random.unit() * 0.6;
  if (random.chance(0.5)) drawn.no_backfill = random.unit() * 0.5;
}

void draw_results(Options& drawn) {
  Random random{drawn.seed ^ 0x52455355U};
  if (random.chance(0.4)) drawn.game_results = 0.2 + random.unit() * 0.8;
}

bool Options::refuses_backfill(const PlayerId& player) const {
  std::uint32_t mixed = 7;
  for (const char c : player.text()) mixed = mixed * 31 + static_cast<unsigned char>(c);
  return mixed % 100 < no_backfill * 100;
}

namespace {

const char* to_text(Newcomers newcomers) {
  switch (newcomers) {
    case Newcomers::always: return "always";
    case Newcomers::until_started: return "until_started";
    case Newcomers::never: return "never";
  }
  return "";
}

const char* to_text(Arrival arrival) {
  switch (arrival) {
    case Arrival::burst: return "burst";
    case Arrival::poisson: return "poisson";
    case Arrival::churn: return "churn";
  }
  return "";
}

}  // namespace

bool Checks::leave_out(std::string_view name) {
  const std::array<std::pair<std::string_view, bool*>, 11> all{{{"admission", &admission},
                                                                {"exact-expiry", &exact_expiry},
                                                                {"tokens", &tokens},
                                                                {"creations", &creations},
                                                                {"fences", &fences},
                                                                {"scarcity", &scarcity},
                                                                {"sleepers", &sleepers},
                                                                {"unclaimed", &unclaimed},
                                                                {"left-out", &left_out},
                                                                {"patience", &patience},
                                                                {"ghosts", &ghosts}}};
  const auto* const found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
  if (found == all.end()) return false;
  *found->second = false;
  return true;
}

bool Options::exclusive() const {
  if (strategy == "none") return false;
  // Half a lease: a master may fall asleep again.
  Duration lease = lock_lease;
  for (const MasterConfig& each : master_configs) lease = std::min(lease, each.lock_lease);
  const bool sleeps = faults.scripted_naps || faults.longest_nap() > lease / 2;
  // A holder that is late may outlive its lease, of a lock that gives leases.
  const bool outlives = busy.longest_lag() > lease / 2;
  if (lock::has_quorums(strategy)) return !sleeps && !outlives;
  return !faults.in_masters() && !(strategy == "coordinator" && outlives);
}

bool Options::counts_rooms() const {
  // A master that slept has lost its workers' links, gives up the seats it had there, and asks for
  // others before it knows who still holds the first ones: that may cost a room until they lapse.
  if (faults.scripted_naps || faults.longest_nap().count() > 0) return false;
  if (busy.on() && !busy.patient) return false;
  if (newcomers != Newcomers::always || game_closes > 0) return false;
  if (only_stops()) return ample();
  return arrival == Arrival::burst && ample() && !faults.in_workers() && !faults.in_games() &&
         parties == 0 && hang_ups == 0 && never_claims == 0 && play_most.count() == 0 &&
         retries == 0 && rivals == 0 && late_comers == 0 && waves == 1;
}

SimTime Options::troubles_until() const {
  return std::max(faults.any() ? faults_until : SimTime{}, busy.on() ? busy.until : SimTime{});
}

Options draw_options(std::uint64_t seed) {
  Random random{seed};
  Options drawn;
  drawn.seed = seed;
  drawn.placement = random.chance(0.5) ? master::Placement::roomiest : master::Placement::fullest;
  drawn.masters = static_cast<std::uint16_t>(random.between(1, 9));
  drawn.workers = static_cast<std::uint32_t>(random.between(1, 8));
  drawn.zones = static_cast<std::uint32_t>(random.between(1, 3));
  drawn.groups = static_cast<std::uint32_t>(random.between(1, 6));
  drawn.players = static_cast<std::uint32_t>(random.between(1, random.chance(0.2) ? 200 : 60));
  constexpr std::array<std::uint32_t, 6> capacities{1, 2, 4, 8, 16, 100};
  drawn.capacity = capacities[random.below(capacities.size())];
  drawn.room_limit = random.chance(0.8) ? 1'000 : static_cast<std::uint32_t>(random.between(1, 6));
  drawn.arrival = static_cast<Arrival>(random.below(3));
  drawn.arrive_after = Duration{random.between(second / 2, 8 * second)};
  if (drawn.arrival != Arrival::burst) {
    drawn.arrive_within = seconds_between(random, 1, 20);
    drawn.parties = random.chance(0.5) && drawn.capacity > 1 ? 0.2 : 0;
    drawn.hang_ups = random.chance(0.5) ? 0.2 : 0;
    drawn.never_claims = random.chance(0.5) ? 0.2 : 0;
  }
  if (drawn.arrival == Arrival::churn) drawn.play_most = seconds_between(random, 1, 10);
  drawn.boot_most = Duration{random.between(0, 3 * second)};
  drawn.reservation = seconds_between(random, 4, 15);
  drawn.close_empty_after = seconds_between(random, 2, 15);
  drawn.lock_lease = seconds_between(random, 2, 5);
  drawn.network.delay_most = Duration{random.between(200, 20'000)};
  drawn.network.heartbeat_timeout = Duration{random.between(second / 2, 3 * second / 2)};
  drawn.lock_lease = std::max(drawn.lock_lease, drawn.shortest_lease());
  drawn.faults = draw_faults(random);
  drawn.retries = random.chance(0.4) ? random.unit() * 0.6 : 0;
  drawn.rivals = random.chance(0.3) ? random.unit() * 0.5 : 0;
  // Rooms are scarce: whoever waits depends on others to leave.
  if (!drawn.ample() && drawn.play_most.count() == 0)
    drawn.play_most = seconds_between(random, 1, 6);
  if (random.chance(0.15)) drawn.boot_most = seconds_between(random, 4, 12);
  if (drawn.arrival != Arrival::burst) drawn.late_comers = random.chance(0.3) ? 0.2 : 0;
  draw_waves(random, drawn);
  const bool naps = drawn.faults.master_pause_mean.count() > 0 && drawn.retries > 0;
  drawn.faults.pause_on_retry = naps ? 0.2 : 0;
  // A seat that lapses while its master sleeps is asked for again, and may cost another room. Where
  // rooms are counted, reservations outlast every sleep.
  if (drawn.arrival == Arrival::burst) {
    drawn.reservation += 2 * drawn.faults.pause_most + drawn.boot_most;
  }
  drawn.batches = random.chance(0.3);
  draw_differences(random, drawn);
  if (drawn.faults.game_crash > 0) {
    drawn.faults.game_silence = random.chance(0.5) ? random.unit() * 0.3 : 0;
  }
  draw_warm_rooms(random, drawn);
  if (random.chance(0.5)) drawn.out_of_sight = seconds_between(random, 1, 6);
  draw_names_and_copies(seed, drawn.faults);
  draw_spells(drawn);
  draw_returns(drawn);
  draw_matches(drawn);
  draw_newcomers(drawn);
  draw_results(drawn);
  return drawn;
}

namespace {

void describe_rules(std::ostream& out, const master::plan::Rules& rules) {
  out << "; of pools: size " << rules.size.least << "/" << rules.size.best << "/" << rules.size.most
      << " after_ms " << rules.size.after.count() / 1'000 << ", party " << rules.party;
  for (const master::plan::DistanceRule& rule : rules.distances) {
    out << ", distance" << (rule.widening == master::plan::Widening::both ? " (both)" : " (older)");
    for (const master::plan::Step& step : rule.steps) {
      out << " " << step.most << "@" << step.after.count() / 1'000;
    }
  }
  for (const master::plan::Role& role : rules.roles) {
    out << ", " << role.seats << " " << role.name << "s";
  }
  if (rules.avoid) out << ", avoid_ms " << rules.avoid->until.count() / 1'000;
  if (!rules.teams) return;
  out << ", teams " << rules.teams->count << "x" << rules.teams->size;
  if (rules.teams->number) out << " within " << rules.teams->difference;
}

}  // namespace

std::string describe(const Options& options) {
  std::ostringstream out;
  const auto ms = [](Duration duration) { return duration.count() / 1'000; };
  out << "seed " << options.seed << ": strategy " << options.strategy << ", quorum "
      << to_string(options.quorum) << ", placement "
      << (options.placement == master::Placement::roomiest ? "roomiest" : "fullest") << ", masters "
      << options.masters << ", workers " << options.workers << ", zones " << options.zones
      << ", groups " << options.groups << ", players " << options.players << ", capacity "
      << options.capacity << ", room_limit " << options.room_limit << ", arrival "
      << to_text(options.arrival) << " within_ms " << ms(options.arrive_within) << ", waves "
      << options.waves << " every_ms " << ms(options.wave_gap) << ", boot_ms "
      << ms(options.boot_most) << ", play_ms " << ms(options.play_most) << ", lease_ms "
      << ms(options.lock_lease) << ", reservation_ms " << ms(options.reservation)
      << ", close_empty_ms " << ms(options.close_empty_after) << ", out_of_sight_ms "
      << ms(options.out_of_sight) << ", parties " << options.parties << ", hang_ups "
      << options.hang_ups << ", never_claims " << options.never_claims << ", retries "
      << options.retries << ", rivals " << options.rivals << ", late_comers " << options.late_comers
      << ", reconnect_ms " << ms(options.reconnect) << ", comes_back " << options.comes_back
      << ", follows " << options.follows << ", matches " << options.matches << ", newcomers "
      << to_text(options.newcomers) << " for_us " << options.newcomers_for.count()
      << ", game_wants " << options.game_wants << ", game_closes " << options.game_closes
      << ", no_backfill " << options.no_backfill << ", game_results " << options.game_results
      << ", delay_us " << options.network.delay_most.count() << ", heartbeat_timeout_ms "
      << ms(options.network.heartbeat_timeout);
  describe_faults(out, options.faults);
  out << "; modes with warm rooms " << options.warm_modes << ": " << options.warm.least << " to "
      << options.warm.most << ", share " << options.warm.share;
  describe_busy(out, options.busy);
  if (options.rules) describe_rules(out, *options.rules);
  return out.str();
}

}  // namespace fixkeep::sim
