// fixkeep-rates: how often masters collide that are far apart, by the simulator, over many
// simulated hours of players who come and go. Rates have error bars (95 %), so that a rare
// collision is not taken for none, nor none for proof.
//
// A simulated hour is made of runs of ten minutes, each with a seed of its own; a run begins with
// masters that have just met. Exit codes: 0, 2 usage, 3 a promise was broken.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/judge/collisions.hpp"
#include "common/base/percentiles.hpp"
#include "tests/sim/poisson.hpp"
#include "tests/sim/simulation.hpp"

namespace {

using namespace fixkeep;

constexpr Duration run_length = std::chrono::minutes{10};
constexpr std::uint32_t runs_an_hour = 6;

struct Wanted {
  std::vector<std::string> locks{"none", "multiphase"};
  std::vector<std::int64_t> delays_ms{0, 2, 20, 80};
  std::uint32_t hours = 10;
  std::uint32_t players_per_hour = 3'600;
  std::int64_t play_s = 300;
  std::int64_t boot_ms = 2'000;
  sim::Options base;
};

struct Measured {
  std::string lock;
  std::int64_t delay_ms = 0;
  std::uint32_t hours = 0;
  std::uint64_t matches = 0;
  std::uint64_t orders = 0;
  std::uint64_t collisions = 0;
  double wasted_room_seconds = 0;
  double wasted_seat_seconds = 0;
  Percentiles match_ms;
  std::string broken;  // a promise, in words
};

sim::Options options_of(const Wanted& wanted, const std::string& lock, std::int64_t delay_ms,
                        std::uint64_t seed) {
  const auto milliseconds = [](std::int64_t count) { return Duration{count * 1'000}; };
  sim::Options options = wanted.base;
  options.seed = seed;
  options.strategy = lock;
  options.arrival = sim::Arrival::churn;
  options.players = wanted.players_per_hour / runs_an_hour;
  options.arrive_within = run_length;
  options.play_most = milliseconds(wanted.play_s * 1'000);
  options.boot_least = options.boot_most = milliseconds(wanted.boot_ms);
  options.network.delay_least += milliseconds(delay_ms);
  options.network.delay_most += milliseconds(delay_ms);
  options.faults_until = {};
  options.record_events = true;
  return options;
}

Measured measure(const Wanted& wanted, const std::string& lock, std::int64_t delay_ms) {
  Measured measured{.lock = lock, .delay_ms = delay_ms, .hours = wanted.hours};
  std::vector<double> waits_ms;
  for (std::uint64_t seed = 1; seed <= std::uint64_t{wanted.hours} * runs_an_hour; ++seed) {
    const sim::Options options = options_of(wanted, lock, delay_ms, seed);
    sim::Simulation simulation{options};
    sim::CollisionTruth truth;
    simulation.tell(truth);
    const sim::Outcome outcome = simulation.run();
    if (outcome.verdict != sim::Verdict::good) {
      measured.broken = "seed " + std::to_string(seed) + ": " + outcome.what;
      break;
    }
    const auto bill = client_sim::find_collisions(truth.take_events(), options.network.delay_most);
    measured.matches += outcome.seated;
    measured.orders += bill.orders;
    measured.collisions += bill.collisions.size();
    measured.wasted_room_seconds += bill.wasted_room_seconds;
    measured.wasted_seat_seconds += bill.wasted_seat_seconds;
    for (const Duration wait : outcome.waits) {
      waits_ms.push_back(static_cast<double>(wait.count()) / 1e3);
    }
  }
  measured.match_ms = percentiles(std::move(waits_ms));
  return measured;
}

void print_heading() {
  std::printf("%-16s %7s %6s %8s %7s %10s  %26s  %15s  %14s %7s %7s\n", "lock", "one way", "hours",
              "matches", "orders", "collisions", "an hour (95 %)", "a 1000 matches",
              "wasted room s/h", "p50 ms", "p99 ms");
}

void print(const Measured& row) {
  const auto interval = sim::interval_of(row.collisions);
  const double hours = row.hours;
  const double thousands = static_cast<double>(row.matches) / 1'000;
  std::printf(
      "%-16s %4lld ms %6u %8llu %7llu %10llu  %8.2f (%7.2f–%7.2f)  %15.3f  %15.1f %7.0f %7.0f\n",
      row.lock.c_str(), static_cast<long long>(row.delay_ms), row.hours,
      static_cast<unsigned long long>(row.matches), static_cast<unsigned long long>(row.orders),
      static_cast<unsigned long long>(row.collisions), static_cast<double>(row.collisions) / hours,
      interval.low / hours, interval.high / hours, static_cast<double>(row.collisions) / thousands,
      row.wasted_room_seconds / hours, row.match_ms.p50, row.match_ms.p99);
  if (!row.broken.empty()) std::printf("  %s\n", row.broken.c_str());
  std::fflush(stdout);
}

nlohmann::json to_json(const Measured& row) {
  const auto interval = sim::interval_of(row.collisions);
  const double hours = row.hours;
  return {{"lock", row.lock},
          {"link_delay_ms", row.delay_ms},
          {"hours", row.hours},
          {"matches", row.matches},
          {"orders", row.orders},
          {"collisions", row.collisions},
          {"collisions_per_hour", static_cast<double>(row.collisions) / hours},
          {"collisions_per_hour_low", interval.low / hours},
          {"collisions_per_hour_high", interval.high / hours},
          {"wasted_room_seconds_per_hour", row.wasted_room_seconds / hours},
          {"wasted_seat_seconds_per_hour", row.wasted_seat_seconds / hours},
          {"match_ms", {{"p50", row.match_ms.p50}, {"p99", row.match_ms.p99}}}};
}

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  wanted.base.groups = 8;
  std::string json_file;
  CLI::App app{"Rates of collisions over simulated hours, with error bars"};
  app.add_option("--locks", wanted.locks, "locks of the mesh, or none")
      ->delimiter(',')
      ->check(CLI::IsMember({"none", "multiphase", "lamport", "ricart-agrawala",
                             "carvalho-roucairol", "suzuki-kasami", "naimi-trehel", "raymond",
                             "maekawa", "tree-quorum", "coordinator"}));
  app.add_option("--delay-ms", wanted.delays_ms, "one way; 0.1 to 2 ms come on top")
      ->delimiter(',')
      ->check(CLI::Range(0, 150));
  app.add_option("--hours", wanted.hours, "simulated, for each lock and delay")
      ->check(CLI::Range(1, 1'000));
  app.add_option("--players-per-hour", wanted.players_per_hour)->check(CLI::Range(6, 100'000));
  app.add_option("--play-s", wanted.play_s, "the longest time that a player stays")
      ->check(CLI::Range(1, 3'600));
  app.add_option("--boot-ms", wanted.boot_ms)->check(CLI::Range(0, 5'000));
  app.add_option("--masters", wanted.base.masters)->check(CLI::Range(1, 9));
  app.add_option("--workers", wanted.base.workers)->check(CLI::Range(1, 32));
  app.add_option("--groups", wanted.base.groups)->check(CLI::Range(1, 1'000));
  app.add_option("--capacity", wanted.base.capacity)->check(CLI::Range(1, 128));
  app.add_option("--json", json_file, "write the figures there, too");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }

  bool good = true;
  auto rows = nlohmann::json::array();
  print_heading();
  for (const std::string& lock : wanted.locks) {
    for (const std::int64_t delay_ms : wanted.delays_ms) {
      const Measured row = measure(wanted, lock, delay_ms);
      good = good && row.broken.empty() && (lock == "none" || row.collisions == 0);
      print(row);
      rows.push_back(to_json(row));
    }
  }
  if (!json_file.empty() && !(std::ofstream{json_file} << rows.dump(1) << '\n')) {
    std::fprintf(stderr, "fixkeep-rates: cannot write %s\n", json_file.c_str());
    return 2;
  }
  return good ? 0 : 3;
}
