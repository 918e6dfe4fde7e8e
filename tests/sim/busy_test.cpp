// What the simulator takes a busy machine for: not for one that is dead.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/sim/seeds.hpp"
#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

// Two nodes with a link, and how often either noticed its end.
struct TwoNodes {
  Scheduler scheduler;
  Inbox listener;
  Inbox sleeper;
  int downs = 0;
  Network network{scheduler, Random{1}, NetworkOptions{},
                  NetworkHandlers{[](NodeIndex) { return Incarnation{}; },
                                  [](NodeIndex, NodeIndex, net::LinkNumber, Incarnation) {},
                                  [this](NodeIndex, NodeIndex) { ++downs; },
                                  [](NodeIndex, NodeIndex, std::string_view) {}}};

  TwoNodes() {
    network.link(network.add_node(listener), network.add_node(sleeper));
    listener.start();
    sleeper.start();
    network.node_started(0);
    run_for(Duration{1'000'000});
  }
  void run_for(Duration length) {
    const SimTime end = scheduler.now() + length;
    while (scheduler.next_time() <= end) scheduler.run_next();
    scheduler.advance_to(end);
  }
  void pause(NodeIndex node, Inbox& inbox) {
    inbox.pause(scheduler.now());
    network.node_paused(node);
  }
};

constexpr Duration long_nap{5'000'000};

TEST(Silence, of_a_node_that_sleeps_for_too_long_ends_its_link) {
  TwoNodes nodes;
  nodes.pause(1, nodes.sleeper);
  nodes.run_for(long_nap);
  EXPECT_EQ(nodes.downs, 1);
}

TEST(Silence, is_not_counted_by_a_listener_that_sleeps_itself) {
  TwoNodes nodes;
  nodes.pause(1, nodes.sleeper);
  nodes.pause(0, nodes.listener);
  nodes.run_for(long_nap);
  nodes.listener.resume(nodes.scheduler.now());
  nodes.run_for(Duration{500'000});
  nodes.sleeper.resume(nodes.scheduler.now());
  nodes.run_for(long_nap);
  EXPECT_EQ(nodes.downs, 0);
}

Options on_one_machine(std::uint64_t seed) {
  Options options;
  options.seed = seed;
  options.groups = 1;
  options.players = 10;
  options.capacity = 1;
  options.workers = 1;
  options.boot_most = Duration{0};
  options.busy.machines = 1;
  options.busy.patient = true;
  options.busy.lag_most = Duration{50'000};
  options.busy.start_most = Duration{400'000};
  return options;
}

TEST(Starts, of_one_worker_go_one_after_another) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    const Outcome outcome = simulate(on_one_machine(seed));
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.rooms, 10U);
    EXPECT_GE(outcome.slowest_seat(), Duration{10 * 100'000});
  }
}

TEST(BusySpell, makes_everybody_late_and_everybody_is_served) {
  Duration slowest{};
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Options options = on_one_machine(seed);
    options.busy.start_most = Duration{0};
    const Duration prompt = simulate(options).slowest_seat();
    options.busy.spell_most = Duration{30'000'000};
    options.busy.until = Duration{30'000'000};
    options.busy.lag_most = Duration{300'000};
    const Outcome outcome = simulate(options);
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.rooms, 10U);
    EXPECT_GT(outcome.slowest_seat(), prompt);
    slowest = std::max(slowest, outcome.slowest_seat());
  }
  EXPECT_GT(slowest, Duration{300'000});
}

}  // namespace
}  // namespace fixkeep::sim
