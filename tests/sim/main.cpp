// fixkeep-sim: simulates whole clusters from seeds. Exit codes: 0 good, 2 usage, 3 a failed
// assertion, 4 liveness, 5 safety.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "common/base/assert.hpp"
#include "common/base/percentiles.hpp"
#include "tests/sim/simulation.hpp"

namespace {

using namespace fixkeep;

// For the report of a failed assertion.
std::uint64_t running_seed = 0;
const char* running_drawn = "";

void report_assertion() noexcept {
  std::printf("replay with: fixkeep-sim --seed %llu%s --trace\n",
              static_cast<unsigned long long>(running_seed), running_drawn);
  std::fflush(nullptr);
  std::_Exit(3);
}

void print_statistics(std::uint64_t seed, const sim::Outcome& outcome) {
  std::printf(
      "seed %llu: rooms %u (ideal %u), seated %u, refusals %u, orders %llu (late %llu), events "
      "%llu, messages %llu, simulated %.1f s, slowest seat %.3f s, longest overtaking %llu, "
      "fairness %.3f\n",
      static_cast<unsigned long long>(seed), outcome.rooms, outcome.ideal_rooms, outcome.seated,
      outcome.refusals, static_cast<unsigned long long>(outcome.orders_sent),
      static_cast<unsigned long long>(outcome.orders_refused),
      static_cast<unsigned long long>(outcome.events),
      static_cast<unsigned long long>(outcome.messages),
      static_cast<double>(outcome.simulated.count()) / 1e6,
      static_cast<double>(outcome.slowest_seat().count()) / 1e6,
      static_cast<unsigned long long>(outcome.longest_overtaking), outcome.fairness);
}

// What all runs together measured.
struct Totals {
  std::vector<double> waits_ms;
  std::uint64_t rooms = 0;
  std::uint64_t ideal_rooms = 0;
  std::uint64_t orders = 0;
  std::uint64_t messages = 0;

  void add(const sim::Outcome& outcome) {
    for (const Duration wait : outcome.waits) {
      waits_ms.push_back(static_cast<double>(wait.count()) / 1e3);
    }
    rooms += outcome.rooms;
    ideal_rooms += outcome.ideal_rooms;
    orders += outcome.orders_sent;
    messages += outcome.messages;
  }

  void print() const {
    const Percentiles times = percentiles(waits_ms);
    std::printf(
        "all: seated %zu, rooms %llu (ideal %llu), orders %llu, messages %llu, ms to match: p50 "
        "%.1f, p90 %.1f, p99 %.1f, max %.1f\n",
        waits_ms.size(), static_cast<unsigned long long>(rooms),
        static_cast<unsigned long long>(ideal_rooms), static_cast<unsigned long long>(orders),
        static_cast<unsigned long long>(messages), times.p50, times.p90, times.p99, times.max);
  }
};

bool parse_range(const std::string& range, std::uint64_t& first, std::uint64_t& last) {
  unsigned long long from = 0;
  unsigned long long to = 0;
  if (std::sscanf(range.c_str(), "%llu..%llu", &from, &to) != 2 || from > to) {
    std::fprintf(stderr, "--seeds wants FROM..TO\n");
    return false;
  }
  first = from;
  last = to;
  return true;
}

// The options of a plain burst, which is described by them and not drawn from the seed.
struct Plain {
  sim::Options options;
  bool burst = false;
  std::optional<std::int64_t> delay_ms;
  std::optional<std::int64_t> boot_ms;
  std::optional<std::int64_t> arrive_within_ms;

  void add_to(CLI::App& app) {
    app.add_flag("--burst", burst,
                 "a plain burst without faults instead of drawn options; with it:");
    app.add_option("--masters", options.masters);
    app.add_option("--workers", options.workers);
    app.add_option("--groups", options.groups);
    app.add_option("--players", options.players);
    app.add_option("--capacity", options.capacity);
    app.add_option("--delay-ms", delay_ms, "one way, the same on every link and for every message")
        ->check(CLI::Range(0, 150));
    app.add_option("--boot-ms", boot_ms, "the boot time of every game")
        ->check(CLI::Range(0, 5'000));
    app.add_option("--arrive-within-ms", arrive_within_ms, "from the first player to the last")
        ->check(CLI::Range(0, 60'000));
  }
  [[nodiscard]] sim::Options with_seed(std::uint64_t seed) const {
    const auto milliseconds = [](std::int64_t count) { return Duration{count * 1'000}; };
    sim::Options made = options;
    made.seed = seed;
    if (delay_ms) made.network.delay_least = made.network.delay_most = milliseconds(*delay_ms);
    if (boot_ms) made.boot_least = made.boot_most = milliseconds(*boot_ms);
    if (arrive_within_ms) made.arrive_within = milliseconds(*arrive_within_ms);
    return made;
  }
};

bool leave_out(const std::vector<std::string>& names, sim::Checks& checks) {
  for (const std::string& name : names) {
    if (checks.leave_out(name)) continue;
    std::fprintf(stderr, "--without does not know \"%s\"\n", name.c_str());
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::string range;
  std::string strategy = "multiphase";
  std::string quorum = "grid";
  bool trace = false;
  bool statistics = false;
  bool keep_going = false;
  CLI::App app{"Simulates whole FIX Keep clusters from seeds"};
  app.add_option("--seed", seed, "one seed");
  app.add_option("--seeds", range, "FROM..TO, both included");
  app.add_option("--strategy", strategy, "a lock of the mesh, or none");
  app.add_option("--quorum", quorum, "of maekawa: grid or majority")
      ->check(CLI::IsMember({"grid", "majority"}));
  app.add_flag("--trace", trace, "print every event");
  app.add_flag("--stats", statistics, "print what each run measured");
  app.add_flag("--keep-going", keep_going, "after a failure, go on with the next seed");
  std::vector<std::string> without;
  app.add_option("--without", without,
                 "checks to leave out: admission, exact-expiry, tokens, creations, "
                 "fences, scarcity, sleepers, unclaimed, left-out, patience, ghosts");
  bool busy = false;
  app.add_flag("--busy", busy, "nothing fails, but machines are busy; judged more strictly");
  bool pool = false;
  app.add_flag("--pool", pool, "groups are pools: players differ, and limits widen");
  bool stops = false;
  app.add_flag("--stops", stops, "workers are stopped often, while players trickle in");
  Plain plain;
  plain.add_to(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }

  std::uint64_t last = seed;
  if (!range.empty() && !parse_range(range, seed, last)) return 2;
  sim::Checks checks;
  if (!leave_out(without, checks)) return 2;

  set_assert_flush_hook(report_assertion);
  running_drawn = busy ? " --busy" : pool ? " --pool" : "";
  Totals totals;
  int code = 0;
  for (; seed <= last; ++seed) {
    running_seed = seed;
    sim::Options options = plain.burst ? plain.with_seed(seed)
                           : busy      ? sim::draw_busy_options(seed)
                           : pool      ? sim::draw_pool_options(seed)
                                       : sim::draw_options(seed);
    if (stops) sim::draw_stops(options);
    options.strategy = strategy;
    options.quorum = *lock::parse_quorum(quorum);
    options.checks = checks;
    sim::Outcome outcome;
    if (trace) {
      std::puts(sim::describe(options).c_str());
      outcome = sim::Simulation{options, sim::Trace::Mode::print}.run();
    } else {
      outcome = sim::simulate(options);
    }
    if (statistics) print_statistics(seed, outcome);
    totals.add(outcome);
    if (outcome.verdict == sim::Verdict::good) continue;
    std::puts(outcome.what.c_str());
    code = static_cast<int>(outcome.verdict);
    if (!keep_going) break;
  }
  if (statistics) totals.print();
  return code;
}
