// What the rules alone would have done with the players of a live run.
#include "lab/pools/pool_replay.hpp"

#include <gmock/gmock.h>

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

master::plan::Rules duel() {
  master::plan::Rules rules;
  rules.numbers = {"rating"};
  rules.distances = {{.number = 0, .steps = {{.most = 50}}}};
  rules.party = 1;
  rules.size = {.least = 2, .best = 2, .most = 2};
  rules.wait = std::chrono::minutes{1};
  return rules;
}

replay::Arrival arrival(std::uint64_t id, milliseconds at, std::int64_t rating) {
  replay::Arrival made{.at = at, .pool = {}, .ticket = {}};
  made.ticket.id = TicketId{id};
  made.ticket.sums[0] = rating;
  made.ticket.latency_ms.fill(master::plan::unmeasured);
  made.ticket.members.push_back({PlayerHash{id}, 0});
  return made;
}

TEST(PoolReplay, seats_those_who_belong_together_and_counts_the_boot_of_their_room) {
  PoolLoad load;
  load.arrivals = {arrival(1, milliseconds{0}, 1'500), arrival(2, milliseconds{400}, 2'500),
                   arrival(3, milliseconds{1'000}, 1'540)};
  const auto told = replay_load(duel(), load, milliseconds{500});
  EXPECT_EQ(told.seated, 2U);
  EXPECT_EQ(told.rooms, 1U);
  EXPECT_THAT(told.waits_ms, ElementsAre(1'500, 500));
  EXPECT_THAT(told.spreads, ElementsAre(40));
}

TEST(PoolReplay, has_the_players_of_the_live_run) {
  LiveRules mode;
  mode.rules = duel();
  const PoolLoad load = make_pool_load(
      mode, {.players = 30, .groups = 1, .arrival = Arrival::poisson, .rate = 50, .seed = 7});
  ASSERT_EQ(load.arrivals.size(), load.requests.size());
  for (std::size_t i = 0; i < load.arrivals.size(); ++i) {
    EXPECT_EQ(load.arrivals[i].at, Duration{load.requests[i].at});
    EXPECT_EQ(load.arrivals[i].ticket.sums[0], load.requests[i].attributes[0].second);
  }
}

}  // namespace
}  // namespace fixkeep::client_sim
