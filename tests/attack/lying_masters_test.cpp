// The place of a master that is away, taken by somebody who has its key. It can keep others from
// making rooms, for as long as they wait for it; it cannot make the others make two.
#include <gtest/gtest.h>

#include "tests/attack/delayed_links.hpp"
#include "tests/attack/lying_master.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::attack {
namespace {

using std::chrono::milliseconds;
using support::LocalCluster;
using support::Part;
using support::Players;

#ifdef FIXKEEP_SANITIZED
constexpr std::size_t groups = 10;  // 150 instrumented games are more than two cores take
#else
constexpr std::size_t groups = 50;
#endif
constexpr std::size_t capacity = 4;

struct LyingMasters : testing::TestWithParam<Tale> {
  void SetUp() override {
    for (std::size_t i = 0; i < 2; ++i) cluster.master(i).start(cluster.config(Part::master, i));
    for (std::size_t i = 0; i < 2; ++i) cluster.worker(i).start(cluster.config(Part::worker, i));
  }

  void ask(Players& players, std::size_t group, std::size_t count, std::size_t master) {
    for (std::size_t i = 0; i < count; ++i) {
      players.add("p" + std::to_string(++asked), "r" + std::to_string(group), master);
    }
  }

  std::size_t asked = 0;
  DelayedLinks links{milliseconds{150}};
  // On a slow machine 150 games take their time, which is not what is looked at.
  LocalCluster cluster{
      {.masters = 3, .workers = 2, .capacity = capacity, .boot_ms = 0, .reservation_ms = 120'000},
      [this](LocalCluster::Config& config, Part part, std::size_t index) {
        const auto self = (part == Part::master ? "m" : "w") + std::to_string(index + 1);
        links.stretch(config, self);
        config["network"]["round_trip_ms"] = 1200;  // a worker has 8 s for an answer
      }};
};

TEST_P(LyingMasters, make_no_two_rooms_in_any_group) {
  const LyingMaster liar{
      cluster.config(Part::master, 2),
      cluster.mesh(2).port,
      {{"m1", links.wire_to(cluster.mesh(0).port)}, {"m2", links.wire_to(cluster.mesh(1).port)}},
      GetParam()};
  cluster.wait_until_ready();
  Players players{{.masters = {cluster.http(0), cluster.http(1)}}};
  // A full room from each master: the first hold of a group's lock would fence, whatever is told.
  for (std::size_t master = 0; master < 2; ++master) {
    for (std::size_t group = 0; group < groups; ++group) ask(players, group, capacity, master);
    players.run_until_decided();
  }
  EXPECT_EQ(integration::rooms_of(players), 2 * groups);
  // Now both need one room at the same instant, which has seats for all.
  for (std::size_t group = 0; group < groups; ++group) {
    ask(players, group, capacity / 2, 0);
    ask(players, group, capacity / 2, 1);
  }
  players.run_until_decided();
  EXPECT_GT(liar.tales_told(), 0U);
  integration::expect_all_inside(players, capacity);
  EXPECT_EQ(integration::rooms_of(players), 3 * groups);
  EXPECT_EQ(cluster.rooms_started(0), 3 * groups);
  players.hang_up();
  integration::expect_clean_stop(cluster);
}

std::string name_of(const testing::TestParamInfo<Tale>& tale) {
  switch (tale.param) {
    case Tale::no_rooms: return "that_know_of_no_room";
    case Tale::no_rooms_fenced: return "that_say_they_have_fenced";
    case Tale::of_others: return "that_speak_for_others";
    case Tale::beyond_all: return "with_the_last_token_of_all";
    case Tale::highest_believed: return "with_the_highest_token_that_is_believed";
  }
  return "?";
}

INSTANTIATE_TEST_SUITE_P(Tales, LyingMasters,
                         testing::Values(Tale::no_rooms, Tale::no_rooms_fenced, Tale::of_others,
                                         Tale::beyond_all, Tale::highest_believed),
                         name_of);

}  // namespace
}  // namespace fixkeep::attack
