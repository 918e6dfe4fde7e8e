// Where a room is, who is told, and for how many more rooms there are places.
#include <gtest/gtest.h>

#include "common/wire/limits.hpp"
#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;
using wire::NamedPort;
using wire::RoomPhase;
using wire::RoomPlace;
using wire::SpawnOutcome;

class RoomPlaces : public testing::Test {
 protected:
  static RoomHostOptions options() {
    RoomHostOptions options = small_options();
    options.room_limit = 10;
    options.boot_backoff.most = seconds{60};
    return options;
  }

  RoomPlaces() {
    driver.places = false;
    driver.step(MasterConnected{m1});
    driver.step(MasterConnected{m2});
  }
  RoomNumber ordered() { return driver.spawn(m1, ++driver.token, 4, {1}).room.number; }
  const BelievedRoom& told(MasterId master, RoomNumber room) {
    return driver.masters[master].rooms.at(room);
  }

  Driver driver{options()};
};

TEST_F(RoomPlaces, every_master_is_told_of_a_place_once) {
  const RoomNumber room = ordered();
  driver.batch();
  EXPECT_FALSE(told(m1, room).place);
  EXPECT_FALSE(told(m2, room).place);
  driver.place(room);
  driver.batch();
  EXPECT_EQ(told(m1, room).place, place_of(room));
  EXPECT_EQ(told(m2, room).place, place_of(room));
  EXPECT_TRUE(told(m1, room).players.contains(player(1)));
  driver.place(room);
  EXPECT_TRUE(driver.batch().empty()) << "that is no news";
}

TEST_F(RoomPlaces, a_master_that_saw_the_room_before_it_had_one_is_told_within_the_same_batch) {
  const RoomNumber room = ordered();  // which shows it to m1
  driver.place(room);
  driver.batch();
  EXPECT_EQ(told(m1, room).place, place_of(room));
}

TEST_F(RoomPlaces, a_room_that_is_placed_and_ends_in_the_batch_of_its_order_is_gone_for_all) {
  const RoomNumber room = ordered();  // which shows it to m1
  driver.place(room);
  driver.step(ProcessExited{room, "exit code 3"});
  driver.batch();
  EXPECT_TRUE(driver.masters[m1].rooms.empty());
  EXPECT_TRUE(driver.masters[m2].rooms.empty());
}

TEST_F(RoomPlaces, one_that_changes_is_told_again) {
  const RoomNumber room = ordered();
  driver.place(room);
  driver.step(ProcessReady{room});
  driver.batch();
  const RoomPlace moved{"elsewhere.example", {{"default", 7}, {"query", 8}}};
  driver.step(RoomPlaced{room, moved});
  driver.batch();
  EXPECT_EQ(told(m2, room).place, moved);
}

TEST_F(RoomPlaces, a_room_that_is_ready_and_has_none_ends_and_its_game_is_not_to_blame) {
  const RoomNumber room = ordered();
  const Actions out = driver.step(ProcessReady{room});
  EXPECT_EQ(all<SignalProcess>(out).size(), 1U);
  EXPECT_TRUE(all<LogPause>(out).empty());
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::boot_failed);
  EXPECT_EQ(driver.spawn(m1, ++driver.token).outcome, SpawnOutcome::accepted) << "not paused";
}

TEST_F(RoomPlaces, one_that_is_not_valid_ends_the_room) {
  const std::string long_name(wire::limits::port_name_bytes + 1, 'n');
  const std::string long_host(wire::limits::address_bytes + 1, 'h');
  std::vector<NamedPort> many;
  for (std::size_t i = 0; i <= wire::limits::ports; ++i) many.push_back({std::to_string(i), 9});
  const std::vector<RoomPlace> wrong{{"", {}},
                                     {"", {{"default", 0}}},
                                     {"", {{"", 9}}},
                                     {"", {{long_name, 9}}},
                                     {"", {{"a b", 9}}},
                                     {"", {{"a", 9}, {"a", 10}}},
                                     {"", many},
                                     {long_host, {{"a", 9}}},
                                     {"a\nb", {{"a", 9}}}};
  for (const RoomPlace& place : wrong) {
    const RoomNumber room = ordered();
    EXPECT_EQ(all<SignalProcess>(driver.step(RoomPlaced{room, place})).size(), 1U);
    EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::boot_failed);
    driver.step(ProcessExited{room, "signal SIGTERM"});
    driver.batch();
  }
  EXPECT_EQ(driver.spawn(m1, ++driver.token).outcome, SpawnOutcome::accepted) << "not paused";
}

TEST_F(RoomPlaces, an_open_room_that_gets_one_that_is_not_valid_ends) {
  const RoomNumber room = ordered();
  driver.place(room);
  driver.step(ProcessReady{room});
  driver.batch();
  driver.step(RoomPlaced{room, {}});
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::unhealthy);
}

TEST_F(RoomPlaces, a_start_that_fails_for_no_fault_of_the_game_pauses_nothing) {
  const RoomNumber blameless = ordered();
  const Actions out = driver.step(ProcessExited{blameless, "no port is free", true});
  EXPECT_TRUE(all<LogPause>(out).empty());
  EXPECT_EQ(close_reason(driver.batch(), blameless), CloseReason::boot_failed);
  const RoomNumber room = ordered();
  EXPECT_EQ(all<LogPause>(driver.step(ProcessExited{room, "exit code 3", false})).size(), 1U);
}

TEST_F(RoomPlaces, what_was_ordered_since_is_subtracted) {
  EXPECT_EQ(driver.host.headroom(), 10U) << "nobody has said that there is a limit";
  const RoomNumber first = ordered();
  driver.step(PlacesChanged{3, first});
  EXPECT_EQ(driver.host.headroom(), 3U);
  ordered();
  const RoomNumber third = ordered();
  EXPECT_EQ(driver.host.headroom(), 1U);
  driver.step(PlacesChanged{2, first});  // one came back, and these two are not placed yet
  EXPECT_EQ(driver.host.headroom(), 0U);
  EXPECT_EQ(driver.spawn(m1, ++driver.token).outcome, SpawnOutcome::no_capacity);
  driver.step(PlacesChanged{1, third});
  EXPECT_EQ(driver.host.headroom(), 1U);
  driver.step(PlacesChanged{std::nullopt, third});
  EXPECT_EQ(driver.host.headroom(), 7U) << "the limit of rooms";
}

TEST_F(RoomPlaces, a_change_of_places_is_told) {
  driver.step(PlacesChanged{2, {}});
  driver.batch();
  EXPECT_EQ(driver.masters[m2].headroom, 2U);
}

TEST_F(RoomPlaces, masters_hear_why_there_are_none_for_as_long) {
  const std::string why = "needs the right to create pods in namespace games";
  driver.step(PlacesChanged{0, {}, why});
  driver.batch();
  EXPECT_EQ(driver.masters[m2].paused.size(), 2U) << "of every mode";
  EXPECT_EQ(driver.host.paused_modes().at(0).reason, why);
  EXPECT_EQ(driver.host.paused_modes().at(0).cause, wire::PauseCause::failing);
  driver.step(PlacesChanged{3, {}});
  driver.batch();
  EXPECT_TRUE(driver.masters[m2].paused.empty());
}

}  // namespace
}  // namespace fixkeep::worker
